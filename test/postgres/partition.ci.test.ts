/** A network that drops every packet: no error reports that the database is unreachable, and no request may hang. */
import { once } from "node:events"
import { connect, createServer, type Socket } from "node:net"
import { assert, describe, it } from "vitest"
import { noPostgres } from "../support/postgresProject.ts"
import { ask, seededDatabase, startReplica } from "../support/replicas.ts"
import { until } from "../support/until.ts"

/** A way to the database of a URL that can be made to lose all that is sent on it, without a word. */
const makeWay = async (database: string) => {
  const { hostname, port } = new URL(database)
  const sockets = new Set<Socket>()
  let isSilent = false
  const carry = (from: Socket, to: Socket) => {
    sockets.add(from)
    from.on("data", (chunk) => void (isSilent || to.write(chunk)))
    from.on("close", () => void (isSilent || to.destroy()))
    from.on("error", () => undefined)
  }
  const server = createServer((near) => {
    const far = connect(Number(port), hostname)
    carry(near, far)
    carry(far, near)
  }).listen(0, "127.0.0.1")
  await once(server, "listening")
  const url = new URL(database)
  url.port = String((server.address() as { readonly port: number }).port)
  return {
    url: url.href,
    silence: (silent: boolean) => {
      isSilent = silent
    },
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    }
  }
}

describe.skipIf(noPostgres)("a replica that is cut off from its database (needs PostgreSQL)", () => {
  it("returns 503 after a while, and recovers when the network is back", async () => {
    const way = await makeWay(await seededDatabase())
    const replica = await startReplica(way.url, {
      VPS_SERVICE_DATABASE_CONNECT_MILLIS: "1000",
      VPS_SERVICE_DATABASE_STATEMENT_MILLIS: "1000"
    })
    const create = () =>
      ask(replica, "POST", "/instances", { body: { service_id: 1 }, headers: { "idempotency-key": "one" } })
    const list = () => ask(replica, "GET", "/instances")
    const { body: { id } } = await create()
    way.silence(true)
    const answers = await Promise.all([create(), list(), fetch(`${replica.origin}/readyz`)])
    assert.deepStrictEqual(answers.map(({ status }) => status), [503, 503, 503])
    way.silence(false)
    const { body } = await until(create, ({ status }) => status === 201)
    assert.strictEqual(body.id, id)
    await until(list, (answer) => answer.status === 200 && answer.body[0].status === "running")
    way.silence(true)
    assert.strictEqual(await replica.end(), 0)
    way.close()
  })
})
