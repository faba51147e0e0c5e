/** The built service follows its database to another server, without a restart. */
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { assertLike } from "../support/like.ts"
import { movingName, serverAt } from "../support/movingName.ts"
import { isAvailable, type PostgresServer, startPostgres } from "../support/postgres.ts"
import { ask, seedDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"

const create = (replica: ServiceProcess, key: string) =>
  ask(replica, "POST", "/instances", { body: { service_id: 1 }, headers: { "idempotency-key": key } })

const isDone = ({ status }: { readonly status: number }) => status === 201

/** The server stays up with its sessions, and only reads, as after a planned switch. */
const demote = async (server: PostgresServer): Promise<void> => {
  await server.query("ALTER SYSTEM SET default_transaction_read_only = on")
  await server.query("SELECT pg_reload_conf()")
}

const promote = async (server: PostgresServer): Promise<void> => {
  await server.query("ALTER SYSTEM RESET default_transaction_read_only")
  await server.query("SELECT pg_reload_conf()")
}

const instancesOn = async (server: PostgresServer): Promise<number> =>
  Number((await server.query("SELECT count(*) AS n FROM instances"))[0]!["n"])

const listed = async (replica: ServiceProcess): Promise<number> => (await ask(replica, "GET", "/instances")).body.length

/** Two hosts in the place of one, with more parameters. */
const withHosts = (one: PostgresServer, other: PostgresServer, words: string): string => {
  const [first, second] = [one, other].map(({ url }) => new URL(url))
  return first!.href.replace(first!.host, `${first!.host},${second!.host}`) + words
}

describe.skipIf(!isAvailable())("a failover (needs PostgreSQL)", () => {
  let servers: readonly [PostgresServer, PostgresServer]
  beforeEach(async () => {
    servers = await Promise.all([startPostgres(), startPostgres()])
    // The same rows on both, as a standby has them.
    for (const { url } of servers) await seedDatabase(url)
  })
  afterEach(async () => void await Promise.all(servers.map((server) => server.close())))

  it("by a name that moves: purchases continue at the new primary, though the old one keeps its sessions", async () => {
    const [old, next] = servers
    const name = await movingName(serverAt(old.url))
    const replica = await startReplica(name.in(old.url))
    await Promise.all(["1", "2", "3", "4"].map((key) => create(replica, key)))
    await demote(old)
    name.moveTo(serverAt(next.url))
    await until(() => create(replica, "5"), isDone)
    assert.strictEqual(await instancesOn(next), 1)
    assert.strictEqual(await replica.end(), 0)
  })

  it("by a name that moves: reads follow, too, without any write or health check", async () => {
    const [old, next] = servers
    const name = await movingName(serverAt(old.url))
    const replica = await startReplica(name.in(old.url))
    await create(replica, "1")
    assert.strictEqual(await listed(replica), 1)
    await demote(old)
    name.moveTo(serverAt(next.url))
    assert.strictEqual(await until(() => listed(replica), (count) => count === 0), 0)
    assert.strictEqual(await replica.end(), 0)
  })

  it("that takes a while: the service says that it can only read, reads, and follows the name later", async () => {
    const [old, next] = servers
    const name = await movingName(serverAt(old.url))
    const replica = await startReplica(name.in(old.url))
    await create(replica, "1")
    await demote(old)
    const refused = await until(() => create(replica, "2"), ({ status }) => status === 503)
    assertLike(refused.body, { detail: /can only be read/ })
    assert.strictEqual(await listed(replica), 1)
    name.moveTo(serverAt(next.url))
    await until(() => create(replica, "2"), isDone)
    assert.strictEqual(await replica.end(), 0)
  })

  it("during which a replica starts: it reads, and follows the name", async () => {
    const [old, next] = servers
    await demote(old)
    const name = await movingName(serverAt(old.url))
    const replica = await startReplica(name.in(old.url))
    assertLike(await fetch(`${replica.origin}/readyz`), { status: 503 })
    assert.strictEqual(await listed(replica), 0)
    name.moveTo(serverAt(next.url))
    await until(() => create(replica, "1"), isDone)
    assertLike(await fetch(`${replica.origin}/readyz`), { status: 200 })
    assert.strictEqual(await replica.end(), 0)
  })

  it("to a server without TLS: sslmode=prefer probes again", async () => {
    const [old, next] = servers
    const name = await movingName((client) => {
      client.on("error", () => undefined)
      client.once("data", () => void client.end("S"))
    })
    const starting = startReplica(name.in(old.url))
    name.moveTo(serverAt(next.url))
    const replica = await starting
    assert.strictEqual((await create(replica, "1")).status, 201)
    assert.strictEqual(await replica.end(), 0)
  })

  it("among the hosts of the URL: the one that can be written is found at start, and again later", async () => {
    const [standby, primary] = servers
    await demote(standby)
    const replica = await startReplica(withHosts(standby, primary, "?target_session_attrs=read-write"))
    assert.strictEqual((await create(replica, "1")).status, 201)
    assert.strictEqual(await instancesOn(primary), 1)
    await promote(standby)
    await demote(primary)
    await until(() => create(replica, "2"), isDone)
    assert.strictEqual(await instancesOn(standby), 1)
    assert.strictEqual(await replica.end(), 0)
  })

  it("among the hosts of the URL, when the first one is gone", async () => {
    const [gone, other] = servers
    const replica = await startReplica(withHosts(gone, other, "?target_session_attrs=read-write"))
    assert.strictEqual((await create(replica, "1")).status, 201)
    await gone.kill()
    await until(() => create(replica, "2"), isDone)
    assert.strictEqual(await instancesOn(other), 1)
    assert.strictEqual(await replica.end(), 0)
  })
})
