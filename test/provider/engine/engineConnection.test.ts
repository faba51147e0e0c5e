import { once } from "node:events"
import { createServer } from "node:http2"
import { type AddressInfo, createServer as listenRaw, type Server, type Socket } from "node:net"
import { afterEach, assert, describe, it } from "vitest"
import { EngineConnection } from "#provider/engine/EngineConnection"
import { until } from "../../support/until.ts"

const open: Array<Socket> = []

/** Listens; `connections` counts who came. */
const listen = async (server: Server) => {
  let connections = 0
  server.on("connection", (socket) => {
    connections++
    open.push(socket)
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    address: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    connections: () => connections,
    /** As the system ends a process: it listens no more, and its connections are reset. */
    end: async () => {
      const closed = once(server, "close")
      server.close()
      for (const socket of open.splice(0)) socket.destroy()
      await closed
    }
  }
}

afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy()
})

const untilGone = (link: EngineConnection) => until(async () => !await link.isAlive())

describe("the link to the engine", () => {
  it("detects that the engine runs, and that it ended", async () => {
    const engine = await listen(createServer() as unknown as Server)
    const link = new EngineConnection(engine.address)
    assert.isTrue(await link.isAlive())
    await engine.end()
    await untilGone(link)
    assert.isFalse(await new EngineConnection(engine.address).isAlive())
  })
  it("reports the end of the engine by itself, but not a closed connection", async () => {
    const engine = await listen(createServer() as unknown as Server)
    const ended = Promise.withResolvers<void>()
    let times = 0
    const link = new EngineConnection(engine.address, () => {
      times++
      ended.resolve()
    })
    await link.isAlive()
    for (const socket of open.splice(0)) socket.destroy()
    await until(async () => await engine.connections() === 2)
    assert.strictEqual(times, 0)
    await engine.end()
    await ended.promise
    assert.strictEqual(times, 1)
  })
  it("does not report the end of an engine that never ran", async () => {
    const engine = await listen(createServer() as unknown as Server)
    await engine.end()
    let times = 0
    assert.isFalse(await new EngineConnection(engine.address, () => times++).isAlive())
    assert.strictEqual(times, 0)
  })
  it("connects once for any number of calls", async () => {
    const engine = await listen(createServer() as unknown as Server)
    const link = new EngineConnection(engine.address)
    await Promise.all(Array.from({ length: 50 }, () => link.isAlive()))
    for (let asked = 0; asked < 50; asked++) assert.isTrue(await link.isAlive())
    assert.strictEqual(engine.connections(), 1)
    await engine.end()
  })
  it("connects again when the engine closed the connection and is still there", async () => {
    const engine = await listen(createServer() as unknown as Server)
    const link = new EngineConnection(engine.address)
    await link.isAlive()
    for (const socket of open.splice(0)) socket.destroy()
    while (engine.connections() < 2) {
      assert.isTrue(await link.isAlive())
      await new Promise((resolve) => setImmediate(resolve))
    }
    await engine.end()
  })
  it("treats any listener as an engine: only a refused connection means that it ended", async () => {
    const engine = await listen(listenRaw((socket) => socket.end("what?\n")))
    assert.isTrue(await new EngineConnection(engine.address).isAlive())
    await engine.end()
  })
  it.each([undefined, "", "--flag", "x"])("takes %s for no address: then nothing can be said", async (address) => {
    assert.isTrue(await new EngineConnection(address).isAlive())
  })
})
