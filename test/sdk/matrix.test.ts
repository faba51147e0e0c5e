/** The retry matrix, for every operation: how many requests are sent, and with which keys. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { IncomingMessage, ServerResponse } from "node:http"
import { operations } from "../support/operations.ts"
import { type Class, NAMES, SAMPLES } from "./support/calls.ts"
import { clientOf, json, startServer } from "./support/server.ts"
import { failureOf, fixedRandom, script, type Step } from "./support/scripted.ts"

const busy: Step = { status: 409, headers: { "retry-after": "1" }, body: { detail: "busy" } }
const status = (code: number): Step => ({ status: code, body: { detail: `status ${code}` } })

const all: ReadonlyArray<Class> = ["read", "create", "other", "once"]
const repeatable: ReadonlyArray<Class> = ["read", "create"]
const unlost: ReadonlyArray<Class> = ["read", "create", "other"]
const none: ReadonlyArray<Class> = []

/** Each failure, and the classes that are retried after it. All others are sent once. */
const FAILURES: ReadonlyArray<readonly [string, Step, ReadonlyArray<Class>]> = [
  ["a refused connection", "refused", all],
  ["a connection that is never established", "unreached", all],
  ["a lost response", "lost", repeatable],
  ["no response", "silent", repeatable],
  ["400", status(400), none],
  ["401", status(401), none],
  ["402", status(402), none],
  ["403", status(403), none],
  ["404", status(404), none],
  ["408", status(408), repeatable],
  ["409", status(409), none],
  ["409 with Retry-After", busy, ["create", "other", "once"]],
  ["413", status(413), none],
  ["422", status(422), none],
  ["429", status(429), all],
  ["500", status(500), repeatable],
  ["501", status(501), repeatable],
  ["502", status(502), unlost],
  ["503", status(503), all],
  ["504", status(504), repeatable],
  ["a redirect", { status: 308, headers: { location: "/elsewhere" } }, none],
  ["a success that is not JSON", { status: 200, text: "<html>" }, none]
]
const pairs = NAMES.flatMap((name) =>
  FAILURES.map(([failure, step, retried]) =>
    [name, failure, retried.includes(SAMPLES[name].class) ? 5 : 1, step] as const
  )
)

describe("the retry matrix", () => {
  it("covers every operation of the client", () => {
    assert.sameMembers([...NAMES], Object.keys(operations))
  })

  it.effect.each(pairs)("%s after %s: %i attempts", ([name, , attempts, step]) =>
    Effect.gen(function*() {
      const server = script([step])
      const error = yield* failureOf(SAMPLES[name].call(server.client))
      assert.strictEqual(server.sent.length, attempts)
      assert.strictEqual(error.attempts, attempts)
      const keys = server.keys()
      assert.strictEqual(keys.length, 1, "one key on every attempt")
      assert.strictEqual(error.idempotencyKey, keys[0], "the key that was sent is on the error")
      assert.strictEqual(keys[0] !== undefined, SAMPLES[name].class === "create")
    }))
})

/** The behavior of a server, and the number of requests that a call of each class then sends. */
interface Wire {
  readonly what: string
  readonly behave: (request: IncomingMessage, response: ServerResponse) => void
  readonly requests: Readonly<Record<Class, number>>
}

const LIMITED = { "content-type": "application/json", "retry-after": "0" }
const always = (count: number) => ({ read: count, create: count, other: count, "once": count })

const WIRES: ReadonlyArray<Wire> = [
  {
    what: "a lost response",
    behave: (request) => request.socket.destroy(),
    requests: { ...always(1), read: 5, create: 5 }
  },
  {
    what: "429 with Retry-After",
    behave: (_, response) => response.writeHead(429, LIMITED).end("{\"detail\":\"slow down\"}"),
    requests: always(5)
  },
  {
    what: "a storm of 502",
    behave: (_, response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>"),
    requests: { ...always(5), "once": 1 }
  },
  {
    what: "402",
    behave: (_, response) => json(response, 402, { detail: "Too low" }),
    requests: always(1)
  }
]

describe("on sockets", () => {
  it.live.each(WIRES)(
    "$what: every operation sends the allowed number of requests",
    ({ behave, requests }) =>
      Effect.gen(function*() {
        const { baseUrl, seen } = yield* startServer(behave)
        const client = yield* clientOf(baseUrl)
        for (const name of NAMES) {
          const before = seen.length
          const error = yield* Effect.flip(SAMPLES[name].call(client).pipe(fixedRandom(0)))
          const received = seen.slice(before)
          assert.strictEqual(received.length, requests[SAMPLES[name].class], name)
          assert.strictEqual(error.attempts, received.length, name)
          assert.deepStrictEqual([...new Set(received.map(({ key }) => key))], [error.idempotencyKey], name)
        }
      })
  )

  it.live("a server that is down: every operation is retried, and nothing is sent", () =>
    Effect.gen(function*() {
      const { baseUrl } = yield* Effect.scoped(startServer(() => {}))
      const client = yield* clientOf(baseUrl)
      for (const name of NAMES) {
        const error = yield* Effect.flip(SAMPLES[name].call(client).pipe(fixedRandom(0)))
        assert(error._tag === "ConnectionError")
        assert.deepStrictEqual([error.responseLost, error.attempts], [false, 5], name)
      }
    }))

  it.live("a transient failure: every call succeeds, with the key of the first request", () =>
    Effect.gen(function*() {
      let count = 0
      const { baseUrl, seen } = yield* startServer((_, response) => {
        if (count++ % 2 === 0) return response.writeHead(503, LIMITED).end("{\"detail\":\"draining\"}")
        json(response, 200, { id: 7, dry_run: true, items: [] })
      })
      const client = yield* clientOf(baseUrl)
      for (const name of NAMES) {
        const before = seen.length
        const { response } = yield* SAMPLES[name].call(client).pipe(fixedRandom(0))
        const received = seen.slice(before)
        assert.deepStrictEqual([received.length, response.attempts], [2, 2], name)
        assert.deepStrictEqual([...new Set(received.map(({ key }) => key))], [response.idempotencyKey], name)
      }
    }))
})
