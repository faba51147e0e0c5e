/** Replicas and the secret that they share: one with another is noticed, and the documented rotation is not. */
import { assert, describe, it } from "vitest"
import { idsOf } from "#service/config/Secret"
import { runCommand } from "../support/command.ts"
import { freshDatabase, noPostgres } from "../support/postgresProject.ts"
import { ask, operate, SECRET, seededDatabase, startReplica, startReplicas } from "../support/replicas.ts"
import type { ServiceProcess } from "../support/serviceProcess.ts"
import { assertLike } from "../support/like.ts"

const NEW = "a-newer-secret-of-the-tests-0123456789"

const given = (...secrets: ReadonlyArray<string>) => ({ VPS_SERVICE_SECRET: secrets.join(",") })

const whoami = async (replica: ServiceProcess, key?: string) =>
  (await ask(replica, "GET", "/whoami", key === undefined ? {} : { key })).status

const isWarned = (replica: ServiceProcess): boolean =>
  replica.log().includes("depends on secrets that are not configured")

describe.skipIf(noPostgres)("a replica with another secret than the others (needs PostgreSQL)", () => {
  it("does not start while it would know no key; with a key of its own it warns of the others", async () => {
    const database = await seededDatabase()
    const refused = await startReplica(database, given(NEW)).then(() => "it started", String)
    const [old, current] = idsOf([SECRET, NEW])
    assert.include(
      refused,
      `${old} (1 API key, 0 pending passwords); configured: ${current}. Set VPS_SERVICE_SECRET to all`
    )
    for (const secret of [SECRET, NEW]) assert.notInclude(refused, secret)
    const environment = { VPS_SERVICE_DATABASE: database, ...given(NEW) }
    const create = ["admin", "keys", "create", "--account", "1", "--scope", "vps:read", "-o", "json"]
    const { stdout } = await runCommand(create, { env: environment })
    const replica = await startReplica(database, given(NEW))
    assert.deepStrictEqual([
      isWarned(replica),
      await whoami(replica),
      await whoami(replica, JSON.parse(stdout).api_key)
    ], [true, 401, 200])
    // The other way round, too.
    assert.strictEqual(await replica.end(), 0)
    const other = await startReplica(database)
    assert.deepStrictEqual([isWarned(other), await whoami(other)], [true, 200])
  })

  it("does not start beside one that runs, also before there is any key", async () => {
    const database = await freshDatabase()
    const first = await startReplica(database)
    const refused = await startReplica(database, given(NEW)).then(() => "it started", String)
    const [old, current] = idsOf([SECRET, NEW])
    assert.include(
      refused,
      `Another replica uses the secret ${old}, which is not configured here; configured: ${current}.`
    )
    // A replica that has stopped counts no more.
    assert.strictEqual(await first.end(), 0)
    assert.strictEqual(await (await startReplica(database, given(NEW))).end(), 0)
  })

  it("is accepted during a rotation in the documented order, replica by replica", async () => {
    const database = await seededDatabase()
    const replicas = [...await startReplicas(2, database)]
    for (const secrets of [[SECRET, NEW], [NEW, SECRET], [NEW]]) {
      for (const number of [0, 1]) {
        assert.strictEqual(await replicas[number]!.end(), 0)
        replicas[number] = await startReplica(database, given(...secrets))
        assert.deepStrictEqual(await Promise.all(replicas.map((replica) => whoami(replica))), [200, 200])
      }
      assert.deepStrictEqual(replicas.map(isWarned), [false, false])
    }
    assertLike(await operate(database, "secret", "list"), [
      { state: "current", keys: 0 },
      { secret: idsOf([NEW])[0], state: "unknown", keys: 1 }
    ])
  })
})
