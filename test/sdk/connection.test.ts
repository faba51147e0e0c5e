/** Failures on real sockets: errors distinguish "nothing was sent" from "the response was lost". */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { once } from "node:events"
import type { IncomingMessage, ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { Agent } from "undici"
import type { Call } from "#sdk/client/chain/Transport"
import { CONNECTIONS_MAX, RESPONSE_MAX_BYTES } from "#sdk/client/options/Limits"
import { clientOf, json, startServer } from "./support/server.ts"
import { fixedRandom } from "./support/scripted.ts"

/** A base URL at which no server listens. */
const unused = Effect.scoped(Effect.map(startServer(() => {}), ({ baseUrl }) => baseUrl))

describe("a connection that is refused", () => {
  it.live("is reported also when the name has several addresses", () =>
    Effect.gen(function*() {
      const { port } = new URL(yield* unused)
      const client = yield* clientOf(`http://localhost:${port}/api/v1`, { maxRetries: 0 })
      const error = yield* Effect.flip(client.instances.get(7))
      assert(error._tag === "ConnectionError")
      assert.strictEqual(error.code, "ECONNREFUSED")
      assert.match(error.message, /ECONNREFUSED.*nothing was sent/)
    }))
})

const RESET = (request: IncomingMessage) => request.socket.destroy()
const BREAK_OFF = (request: IncomingMessage, response: ServerResponse) => {
  response.writeHead(200, { "content-length": 100 })
  response.write("{\"id\":")
  response.flushHeaders()
  setImmediate(() => request.socket.destroy())
}

describe("a response", () => {
  it.live.each([["before", RESET], ["within", BREAK_OFF]] as const)(
    "is lost when the connection breaks %s it, and a mutation is not retried",
    ([, behave]) =>
      Effect.gen(function*() {
        const { baseUrl, seen } = yield* startServer(behave)
        const client = yield* clientOf(baseUrl)
        const error = yield* Effect.flip(client.power.stop(7).pipe(fixedRandom(0)))
        assert(error._tag === "ConnectionError")
        assert.deepStrictEqual([error.responseLost, error.attempts, seen.length], [true, 1, 1])
      })
  )

  it.live("is aborted when it is too large", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* startServer((_, response) => {
        const chunk = Buffer.alloc(1024 * 1024, " ")
        const write = (left: number): void => {
          if (left > 0) response.write(chunk, () => write(left - chunk.length))
        }
        write(RESPONSE_MAX_BYTES + chunk.length)
      })
      const client = yield* clientOf(baseUrl)
      const error = yield* Effect.flip(client.instances.list())
      assert.strictEqual(error._tag, "DecodeError")
      assert.match(error.message, /larger than 33554432 bytes/)
    }))
})

describe("a kept-alive connection", () => {
  it.live.each(["closed", "reset"] as const)(
    "that is %s before the response is recognized: a stop is sent again, and a restart is not",
    (how) =>
      Effect.gen(function*() {
        let isBroken = false
        const used = new WeakSet<Socket>()
        const { baseUrl, seen } = yield* startServer(({ socket }, response) => {
          if (isBroken || !used.has(socket)) {
            used.add(socket)
            return json(response, 200, { ok: true })
          }
          isBroken = true
          if (how === "closed") socket.end()
          else socket.resetAndDestroy()
        })
        const client = yield* clientOf(baseUrl)
        // The agent may open a few connections before it uses one again.
        const untilBroken = (call: Call<unknown>) =>
          Effect.gen(function*() {
            isBroken = false
            while (true) {
              const before = seen.length
              const exit = yield* Effect.exit(call.pipe(fixedRandom(0)))
              if (isBroken) return [exit._tag, seen.length - before]
            }
          })
        assert.deepStrictEqual(yield* untilBroken(client.power.stop(7)), ["Success", 2])
        assert.deepStrictEqual(yield* untilBroken(client.power.restart(7)), ["Failure", 1])
      })
  )
})

describe("a dispatcher that never sends", () => {
  it.live("is a timeout with nothing sent", () =>
    Effect.gen(function*() {
      const client = yield* clientOf("http://127.0.0.1:9/api/v1", { dispatcher: { dispatch: () => true } })
      const error = yield* Effect.flip(client.power.stop(7, { timeout: 20, maxRetries: 1 }).pipe(fixedRandom(0)))
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([error.responseLost, error.attempts, error.timeout], [false, 2, 20])
    }))
})

describe("a server that does not respond", () => {
  it.live("is a timeout, and the connection is closed", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* startServer(() => {})
      const client = yield* clientOf(baseUrl)
      // Long enough to load undici and send under load: a timeout before that loses no response.
      const error = yield* Effect.flip(client.power.restart(7, { timeout: 2_000 }))
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([error.responseLost, error.attempts], [true, 1])
      const [socket] = sockets
      if (socket?.destroyed === false) yield* Effect.promise(() => once(socket, "close"))
    }))

  it.live("loses its connection when the caller aborts", () =>
    Effect.gen(function*() {
      const controller = new AbortController()
      const { baseUrl, sockets } = yield* startServer(() => controller.abort(new Error("enough")))
      const client = yield* clientOf(baseUrl)
      const { signal } = controller
      const error = yield* Effect.flip(client.instances.create({ service_id: 1 }, { signal, idempotencyKey: "web-1" }))
      assert(error._tag === "AbortError")
      assert.deepStrictEqual([error.responseLost, error.idempotencyKey, error.attempts], [true, "web-1", 1])
      assert.strictEqual(error.cause, signal.reason)
      const [socket] = sockets
      if (socket?.destroyed === false) yield* Effect.promise(() => once(socket, "close"))
      const again = yield* Effect.flip(client.instances.get(7, { signal }))
      assert(again._tag === "AbortError")
      assert.deepStrictEqual([again.attempts, again.responseLost], [0, false], "already aborted: nothing is sent")
    }))

  it.live("loses its connection when the fiber is interrupted", () =>
    Effect.gen(function*() {
      const { baseUrl, seen, server, sockets } = yield* startServer(() => server.emit("arrived"))
      const client = yield* clientOf(baseUrl)
      const arrived = once(server, "arrived")
      const fiber = yield* Effect.forkChild(client.instances.get(7))
      yield* Effect.promise(() => arrived)
      yield* Fiber.interrupt(fiber)
      const [socket] = sockets
      if (socket?.destroyed === false) yield* Effect.promise(() => once(socket, "close"))
      assert.strictEqual(seen.length, 1)
    }))
})

describe("connections", () => {
  const echo = startServer((request, response) => json(response, 200, { id: 7, url: request.url }))

  it.live("are reused", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* echo
      const client = yield* clientOf(baseUrl)
      for (const id of [1, 2, 3, 4, 5, 6]) yield* client.instances.get(id)
      // undici frees a connection one turn of the event loop after its answer, so the next call may meet a second one.
      assert.isAtMost(sockets.size, 2)
    }))

  it.live("are limited: further calls wait", () =>
    Effect.gen(function*() {
      const { baseUrl, seen, sockets } = yield* echo
      const client = yield* clientOf(baseUrl)
      const calls = Array.from({ length: 4 * CONNECTIONS_MAX }, (_, id) => client.instances.get(id))
      yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.strictEqual(seen.length, 4 * CONNECTIONS_MAX)
      assert.isAtMost(sockets.size, CONNECTIONS_MAX)
    }))

  it.live("that the server has closed are replaced", () =>
    Effect.gen(function*() {
      const { baseUrl, seen, sockets } = yield* echo
      const client = yield* clientOf(baseUrl)
      yield* client.instances.get(1)
      for (const socket of sockets) socket.destroy()
      yield* client.instances.get(2).pipe(fixedRandom(0))
      assert.strictEqual(seen.length, 2)
    }))

  it.live("are closed after a first call that is still loading undici", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* echo
      const client = yield* clientOf(baseUrl)
      const fiber = yield* Effect.forkChild(client.instances.get(2), { startImmediately: true })
      yield* client.close
      assert.strictEqual((yield* Fiber.join(fiber)).data.id, 7)
    }))

  it.live("are closed after the running calls; later calls are refused", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* echo
      const client = yield* clientOf(baseUrl)
      yield* client.instances.get(1)
      const fiber = yield* Effect.forkChild(client.instances.get(2), { startImmediately: true })
      yield* client.close
      assert.strictEqual((yield* Fiber.join(fiber)).data.id, 7)
      yield* Effect.promise(() => Promise.all([...sockets].map((socket) => socket.destroyed || once(socket, "close"))))
      const error = yield* Effect.flip(client.instances.get(3))
      assert.deepStrictEqual([error._tag, error.attempts], ["ConfigurationError", 0])
      assert.match(error.message, /closed/)
      yield* client.close
    }))

  it.live("of the caller's dispatcher stay open", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* echo
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent()),
        (agent) => Effect.promise(() => agent.close())
      )
      const client = yield* clientOf(baseUrl, { dispatcher })
      yield* client.instances.get(1)
      yield* client.close
      assert.isFalse(dispatcher.closed)
      assert.strictEqual(sockets.size, 1)
    }))

  it.live("of a closed dispatcher are a clear error", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* echo
      const dispatcher = new Agent()
      yield* Effect.promise(() => dispatcher.close())
      const client = yield* clientOf(baseUrl, { dispatcher })
      const error = yield* Effect.flip(client.instances.get(1))
      assert.deepStrictEqual([error._tag, seen.length], ["ConfigurationError", 0])
    }))
})
