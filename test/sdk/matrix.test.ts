/** The retry matrix, for every operation: how many requests are sent, and with which keys. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { operations } from "../support/operations.ts"
import { type Class, NAMES, SAMPLES } from "./support/calls.ts"
import { failureOf, script, type Step } from "./support/scripted.ts"

const busy: Step = { status: 409, headers: { "retry-after": "1" }, body: { detail: "busy" } }
const status = (code: number): Step => ({ status: code, body: { detail: `status ${code}` } })

const all: ReadonlyArray<Class> = ["read", "create", "other", "idempotent", "once"]
const repeatable: ReadonlyArray<Class> = ["read", "create"]
const unlost: ReadonlyArray<Class> = ["read", "create", "other", "idempotent"]
const none: ReadonlyArray<Class> = []

/** Each failure, and the classes that are retried after it. All others are sent once. */
const FAILURES: ReadonlyArray<readonly [string, Step, ReadonlyArray<Class>]> = [
  ["a refused connection", "refused", all],
  ["a connection that is never established", "unreached", all],
  ["a lost response", "lost", repeatable],
  ["a kept-alive connection that is closed", "stale", ["read", "create", "idempotent"]],
  ["no response", "silent", repeatable],
  ["400", status(400), none],
  ["401", status(401), none],
  ["402", status(402), none],
  ["403", status(403), none],
  ["404", status(404), none],
  ["408", status(408), repeatable],
  ["409", status(409), none],
  ["409 with Retry-After", busy, ["create", "other", "idempotent", "once"]],
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
