/** Retries: with which key, how often, after which pause. Which call is repeated after what: matrix.test.ts. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { chance, failureOf, script, settle, type Step } from "./support/scripted.ts"

const busy: Step = { status: 409, headers: { "retry-after": "1" }, body: { detail: "busy" } }
const status = (code: number): Step => ({ status: code, body: { detail: `status ${code}` } })

describe("retries", () => {
  it.effect.each(["lost", "silent", status(500), status(502), status(503), status(429), busy] as const)(
    "a purchase goes through after %j, with the key of the first attempt",
    (trouble) =>
      Effect.gen(function*() {
        const host = script([trouble, trouble, { status: 201, body: { id: 7 } }])
        const { data, response } = yield* Effect.flatten(settle(host.core.instances.create({ service_id: 1 })))
        assert.deepStrictEqual([data.id, response.attempts, host.sent.length], [7, 3, 3])
        assert.deepStrictEqual(host.keys(), [response.idempotencyKey])
        assert.match(response.idempotencyKey ?? "", /^[\x21-\x7e]{16,255}$/)
      })
  )

  it.effect("two purchases have two keys", () =>
    Effect.gen(function*() {
      const host = script([{ status: 201, body: { id: 7 } }])
      const call = host.core.instances.create({ service_id: 1 })
      yield* call
      yield* call
      assert.strictEqual(host.keys().length, 2)
    }))

  it.effect("after an answered failure, a refused connection is still known to have sent nothing", () =>
    Effect.gen(function*() {
      const host = script([status(502), "refused", { status: 200, body: { ok: true } }])
      const { response } = yield* Effect.flatten(settle(host.core.power.stop(7)))
      assert.strictEqual(response.attempts, 3)
    }))

  it.effect("a lost answer is remembered: later attempts that sent nothing don't make it safe", () =>
    Effect.gen(function*() {
      const host = script(["lost", "refused"])
      const error = yield* failureOf(host.core.instances.create({ service_id: 1 }))
      assert(error._tag === "ConnectionError")
      assert.isTrue(error.responseLost)
      assert.include(error.message, `retry with idempotency key ${host.keys()[0]}, which never buys twice`)
    }))

  it.effect.each([[0, 1], [1, 2], [9, 10]])(
    "maxRetries %i makes %i attempts",
    ([maxRetries, attempts]) =>
      Effect.gen(function*() {
        const host = script([status(503)])
        yield* failureOf(host.core.instances.get(7, { maxRetries }))
        assert.strictEqual(host.sent.length, attempts)
        const client = script([status(503)], { maxRetries })
        yield* failureOf(client.core.instances.get(7))
        assert.strictEqual(client.sent.length, attempts)
      })
  )
})

const pauses = (host: ReturnType<typeof script>) =>
  host.sent.slice(1).map(({ at }, index) => at - (host.sent[index]?.at ?? 0))

describe("pauses", () => {
  it.effect("double from 0.5 s up to 8 s", () =>
    Effect.gen(function*() {
      const host = script([status(503)])
      yield* failureOf(host.core.instances.get(7, { maxRetries: 7 }).pipe(chance(1)))
      assert.deepStrictEqual(pauses(host), [500, 1000, 2000, 4000, 8000, 8000, 8000])
    }))

  it.effect.each([0, 0.25, 0.5])("have full jitter: drawn at %d of the bound", (drawn) =>
    Effect.gen(function*() {
      const host = script([status(503)])
      yield* failureOf(host.core.instances.get(7).pipe(chance(drawn)))
      assert.deepStrictEqual(pauses(host), [500, 1000, 2000, 4000].map((bound) => bound * drawn))
    }))

  it.effect("are as long as Retry-After says, and never shorter than the back-off", () =>
    Effect.gen(function*() {
      const host = script([{ status: 429, headers: { "retry-after": "3" }, body: { detail: "slow down" } }])
      const error = yield* failureOf(host.core.instances.get(7).pipe(chance(1)))
      assert.deepStrictEqual(pauses(host), [3000, 3000, 3000, 4000])
      assert(error._tag === "RateLimitError")
      assert.strictEqual(error.retryAfter, 3)
    }))

  it.effect("follow a Retry-After that is a date", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-21T09:30:00Z"))
      const headers = { "retry-after": "Sat, 21 Nov 2026 09:30:20 GMT" }
      const host = script([{ status: 503, headers, body: { detail: "draining" } }, { status: 200, body: { id: 7 } }])
      yield* Effect.flatten(settle(host.core.instances.get(7)))
      assert.deepStrictEqual(pauses(host), [20_000])
    }))

  it.effect.each([["60", 5], ["61", 1], ["86400", 1], ["soon", 5], ["-5", 5]] as const)(
    "Retry-After: %s makes %i attempts: longer than a minute is the caller's to decide",
    ([retryAfter, attempts]) =>
      Effect.gen(function*() {
        const host = script([{ status: 429, headers: { "retry-after": retryAfter }, body: { detail: "later" } }])
        const error = yield* failureOf(host.core.instances.create({ service_id: 1 }))
        assert.strictEqual(host.sent.length, attempts)
        assert(error._tag === "RateLimitError")
        assert.strictEqual(error.retryAfter, /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined)
      })
  )

  it.effect("are the back-off alone after a date that has passed", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-21T09:30:00Z"))
      const headers = { "retry-after": "Sat, 21 Nov 2026 09:29:00 GMT" }
      const host = script([{ status: 503, headers, body: { detail: "draining" } }])
      yield* failureOf(host.core.instances.get(7, { maxRetries: 2 }).pipe(chance(1)))
      assert.deepStrictEqual(pauses(host), [500, 1000])
    }))
})

describe("timeouts", () => {
  it.effect("bound each attempt: 30 s unless told otherwise", () =>
    Effect.gen(function*() {
      const host = script(["silent"])
      const error = yield* failureOf(host.core.instances.get(7).pipe(chance(0)))
      assert.deepStrictEqual(pauses(host), [30_000, 30_000, 30_000, 30_000])
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([error.timeout, error.responseLost], [30_000, true])
    }))

  it.effect("come from the call, else from the client", () =>
    Effect.gen(function*() {
      const host = script(["silent"], { timeout: 2000, maxRetries: 1 })
      yield* failureOf(host.core.instances.get(7).pipe(chance(0)))
      assert.deepStrictEqual(pauses(host), [2000])
      const error = yield* failureOf(host.core.instances.get(7, { timeout: 70, maxRetries: 0 }))
      assert(error._tag === "TimeoutError")
      assert.strictEqual(error.timeout, 70)
    }))

  it.effect("say whether something was sent: a mutation that never left is repeated, one that did is not", () =>
    Effect.gen(function*() {
      const left = script(["silent"])
      const error = yield* failureOf(left.core.power.restart(7))
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([left.sent.length, error.responseLost], [1, true])
      const kept = script(["unreached", { status: 200, body: { ok: true } }])
      yield* Effect.flatten(settle(kept.core.power.restart(7)))
      assert.strictEqual(kept.sent.length, 2)
    }))
})
