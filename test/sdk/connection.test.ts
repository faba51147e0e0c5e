/** What happens on real sockets: "nothing was sent" and "the answer was lost" are told apart. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { once } from "node:events"
import { Agent } from "undici"
import type { Call } from "#sdk/client/chain/Handler"
import { CONNECTIONS_MAX, RESPONSE_MAX_BYTES } from "#sdk/client/options/Limits"
import { clientOf, json, startHost } from "./support/host.ts"
import { chance } from "./support/scripted.ts"

/** A base URL at which nobody listens. */
const deserted = Effect.scoped(Effect.map(startHost(() => {}), ({ baseUrl }) => baseUrl))

describe("a connection that is refused", () => {
  it.live("sent nothing, so that every call is repeated", () =>
    Effect.gen(function*() {
      const core = yield* clientOf(yield* deserted)
      for (const path of ["stop", "start"] as const) {
        const call: Call<unknown> = core.power[path](7, { maxRetries: 3 })
        const error = yield* Effect.flip(call.pipe(chance(0)))
        assert(error._tag === "ConnectionError")
        assert.deepStrictEqual([error.code, error.responseLost, error.attempts], ["ECONNREFUSED", false, 4])
      }
    }))

  it.live("is a refused connection also when the name has several addresses", () =>
    Effect.gen(function*() {
      const { port } = new URL(yield* deserted)
      const core = yield* clientOf(`http://localhost:${port}/api/v1`, { maxRetries: 0 })
      const error = yield* Effect.flip(core.instances.get(7))
      assert(error._tag === "ConnectionError")
      assert.strictEqual(error.code, "ECONNREFUSED")
      assert.match(error.message, /ECONNREFUSED.*nothing was sent/)
    }))
})

describe("a socket that is reset after the request has arrived", () => {
  const reset = startHost((request, response, count) =>
    count < 3 ? request.socket.destroy() : json(response, 201, { id: 7 })
  )

  it.live("does not repeat a mutation", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* reset
      const core = yield* clientOf(baseUrl)
      const error = yield* Effect.flip(core.power.stop(7).pipe(chance(0)))
      assert(error._tag === "ConnectionError")
      assert.deepStrictEqual([error.responseLost, error.attempts, seen.length], [true, 1, 1])
    }))

  it.live("repeats a create with the key it had", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* reset
      const core = yield* clientOf(baseUrl)
      const { response } = yield* core.instances.create({ service_id: 1 }).pipe(chance(0))
      assert.deepStrictEqual(seen.map(({ key }) => key), [1, 2, 3].map(() => response.idempotencyKey))
      assert.strictEqual(response.attempts, 3)
    }))
})

describe("an answer that breaks off", () => {
  it.live("is a lost answer", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* startHost((request, response) => {
        response.writeHead(200, { "content-length": 100 })
        response.write("{\"id\":")
        response.flushHeaders()
        setImmediate(() => request.socket.destroy())
      })
      const core = yield* clientOf(baseUrl)
      const error = yield* Effect.flip(core.power.start(7).pipe(chance(0)))
      assert(error._tag === "ConnectionError")
      assert.deepStrictEqual([error.responseLost, seen.length], [true, 1])
    }))

  it.live("that is larger than any list is given up", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* startHost((_, response) => {
        const chunk = Buffer.alloc(1024 * 1024, " ")
        const write = (left: number): void => {
          if (left > 0) response.write(chunk, () => write(left - chunk.length))
        }
        write(RESPONSE_MAX_BYTES + chunk.length)
      })
      const core = yield* clientOf(baseUrl)
      const error = yield* Effect.flip(core.instances.list())
      assert.strictEqual(error._tag, "DecodeError")
      assert.match(error.message, /larger than 33554432 bytes/)
    }))
})

describe("a dispatcher that never gets to it", () => {
  it.live("is a timeout of which nothing was sent", () =>
    Effect.gen(function*() {
      const core = yield* clientOf("http://127.0.0.1:9/api/v1", { dispatcher: { dispatch: () => true } })
      const error = yield* Effect.flip(core.power.stop(7, { timeout: 20, maxRetries: 1 }).pipe(chance(0)))
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([error.responseLost, error.attempts, error.timeout], [false, 2, 20])
    }))
})

describe("a host that is silent", () => {
  it.live("is a timeout, and the connection is given up", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* startHost(() => {})
      const core = yield* clientOf(baseUrl)
      // Long enough for a busy machine to load undici and send: a timeout before that loses no answer.
      const error = yield* Effect.flip(core.power.restart(7, { timeout: 2_000 }))
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([error.responseLost, error.attempts], [true, 1])
      const [socket] = sockets
      if (socket?.destroyed === false) yield* Effect.promise(() => once(socket, "close"))
    }))

  it.live("is left when the caller aborts", () =>
    Effect.gen(function*() {
      const controller = new AbortController()
      const { baseUrl, sockets } = yield* startHost(() => controller.abort(new Error("enough")))
      const core = yield* clientOf(baseUrl)
      const { signal } = controller
      const error = yield* Effect.flip(core.instances.create({ service_id: 1 }, { signal, idempotencyKey: "web-1" }))
      assert(error._tag === "AbortError")
      assert.deepStrictEqual([error.responseLost, error.idempotencyKey, error.attempts], [true, "web-1", 1])
      assert.strictEqual(error.cause, signal.reason)
      const [socket] = sockets
      if (socket?.destroyed === false) yield* Effect.promise(() => once(socket, "close"))
      const again = yield* Effect.flip(core.instances.get(7, { signal }))
      assert(again._tag === "AbortError")
      assert.deepStrictEqual([again.attempts, again.responseLost], [0, false], "aborted before: nothing is sent")
    }))

  it.live("is left when the fiber is interrupted", () =>
    Effect.gen(function*() {
      const { baseUrl, seen, server, sockets } = yield* startHost(() => server.emit("arrived"))
      const core = yield* clientOf(baseUrl)
      const arrived = once(server, "arrived")
      const fiber = yield* Effect.forkChild(core.instances.get(7))
      yield* Effect.promise(() => arrived)
      yield* Fiber.interrupt(fiber)
      const [socket] = sockets
      if (socket?.destroyed === false) yield* Effect.promise(() => once(socket, "close"))
      assert.strictEqual(seen.length, 1)
    }))
})

describe("connections", () => {
  const echo = startHost((request, response) => json(response, 200, { id: 7, url: request.url }))

  it.live("are kept and shared", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* echo
      const core = yield* clientOf(baseUrl)
      for (const id of [1, 2, 3, 4, 5, 6]) yield* core.instances.get(id)
      // undici frees a connection one turn of the event loop after its answer, so the next call may meet a second one.
      assert.isAtMost(sockets.size, 2)
    }))

  it.live("are bounded: more calls than connections wait their turn", () =>
    Effect.gen(function*() {
      const { baseUrl, seen, sockets } = yield* echo
      const core = yield* clientOf(baseUrl)
      const calls = Array.from({ length: 4 * CONNECTIONS_MAX }, (_, id) => core.instances.get(id))
      yield* Effect.all(calls, { concurrency: "unbounded" })
      assert.strictEqual(seen.length, 4 * CONNECTIONS_MAX)
      assert.isAtMost(sockets.size, CONNECTIONS_MAX)
    }))

  it.live("that the host has closed meanwhile are replaced", () =>
    Effect.gen(function*() {
      const { baseUrl, seen, sockets } = yield* echo
      const core = yield* clientOf(baseUrl)
      yield* core.instances.get(1)
      for (const socket of sockets) socket.destroy()
      yield* core.instances.get(2).pipe(chance(0))
      assert.strictEqual(seen.length, 2)
    }))

  it.live("of a client whose first call is still loading undici are closed after it", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* echo
      const core = yield* clientOf(baseUrl)
      const fiber = yield* Effect.forkChild(core.instances.get(2), { startImmediately: true })
      yield* core.close
      assert.strictEqual((yield* Fiber.join(fiber)).data.id, 7)
    }))

  it.live("of a client that is closed are closed after the calls under way; later calls say so", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* echo
      const core = yield* clientOf(baseUrl)
      yield* core.instances.get(1)
      const fiber = yield* Effect.forkChild(core.instances.get(2), { startImmediately: true })
      yield* core.close
      assert.strictEqual((yield* Fiber.join(fiber)).data.id, 7)
      yield* Effect.promise(() => Promise.all([...sockets].map((socket) => socket.destroyed || once(socket, "close"))))
      const error = yield* Effect.flip(core.instances.get(3))
      assert.deepStrictEqual([error._tag, error.attempts], ["ConfigurationError", 0])
      assert.match(error.message, /closed/)
      yield* core.close
    }))

  it.live("of a dispatcher that was given stay open", () =>
    Effect.gen(function*() {
      const { baseUrl, sockets } = yield* echo
      const dispatcher = yield* Effect.acquireRelease(
        Effect.sync(() => new Agent()),
        (agent) => Effect.promise(() => agent.close())
      )
      const core = yield* clientOf(baseUrl, { dispatcher })
      yield* core.instances.get(1)
      yield* core.close
      assert.isFalse(dispatcher.closed)
      assert.strictEqual(sockets.size, 1)
    }))

  it.live("of a dispatcher that its owner has closed say so", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* echo
      const dispatcher = new Agent()
      yield* Effect.promise(() => dispatcher.close())
      const core = yield* clientOf(baseUrl, { dispatcher })
      const error = yield* Effect.flip(core.instances.get(1))
      assert.deepStrictEqual([error._tag, seen.length], ["ConfigurationError", 0])
    }))
})
