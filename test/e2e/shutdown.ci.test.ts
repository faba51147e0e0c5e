/** The shutdown of the built service under load: requests on open connections are answered. */
import { Agent } from "node:http"
import { setTimeout } from "node:timers/promises"
import { assert, describe, it, onTestFinished } from "vitest"
import { send, startClients } from "../support/requestLoad.ts"
import { startServiceWith } from "../support/serviceProcess.ts"
import { until } from "../support/until.ts"

const LAME_DUCK = { VPS_SERVICE_LAME_DUCK_MILLIS: "5000" }

const CLIENTS = 16

describe("SIGTERM under load", () => {
  it("requests on open connections are answered: none is reset", async () => {
    const service = await startServiceWith({ env: LAME_DUCK }, ["--emulator"])
    onTestFinished(async () => void await service.end("SIGKILL"))
    const clients = startClients(service.origin, CLIENTS, 0)
    await until(() => Promise.resolve(clients.sent()), (sent) => sent > 500)
    assert.strictEqual(await service.end(), 0)
    await clients.stop()
    const { 200: done = 0, ECONNREFUSED: _, ...others } = Object.fromEntries(clients.seen)
    assert.isAbove(done, 500)
    assert.deepStrictEqual(others, {})
  })

  it("a request on a connection that was idle is answered in the lame-duck time, and closes it", async () => {
    const service = await startServiceWith({ env: LAME_DUCK }, ["--emulator"])
    onTestFinished(async () => void await service.end("SIGKILL"))
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    const listed = { method: "GET", path: "/services" }
    const sendHere = () => send(service.origin, agent, listed)
    assert.notStrictEqual(await sendHere(), "ECONNREFUSED")
    const ended = service.end()
    await until(() => Promise.resolve(service.log()), (log) => log.includes("Shutting down"))
    await setTimeout(300)
    assert.notStrictEqual(await sendHere(), "ECONNRESET")
    assert.strictEqual(await sendHere(), "ECONNREFUSED")
    assert.strictEqual(await ended, 0)
  })
})
