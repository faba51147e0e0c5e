/** The key, number and delay of retries. matrix.test.ts has the calls that are retried after each failure. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { failureOf, fixedRandom, script, settle, type Step } from "./support/scripted.ts"

const busy: Step = { status: 409, headers: { "retry-after": "1" }, body: { detail: "busy" } }
const status = (code: number): Step => ({ status: code, body: { detail: `status ${code}` } })

describe("retries", () => {
  it.effect.each(["lost", "silent", status(500), status(502), status(503), status(429), busy] as const)(
    "a purchase succeeds after %j, with the key of the first attempt",
    (failure) =>
      Effect.gen(function*() {
        const server = script([failure, failure, { status: 201, body: { id: 7 } }])
        const { data, response } = yield* Effect.flatten(settle(server.client.instances.create({ service_id: 1 })))
        assert.deepStrictEqual([data.id, response.attempts, server.sent.length], [7, 3, 3])
        assert.deepStrictEqual(server.keys(), [response.idempotencyKey])
        assert.match(response.idempotencyKey ?? "", /^[\x21-\x7e]{16,255}$/)
      })
  )

  it.effect("two purchases have two keys", () =>
    Effect.gen(function*() {
      const server = script([{ status: 201, body: { id: 7 } }])
      const call = server.client.instances.create({ service_id: 1 })
      yield* call
      yield* call
      assert.strictEqual(server.keys().length, 2)
    }))

  it.effect("a refused connection after an error response still counts as nothing sent", () =>
    Effect.gen(function*() {
      const server = script([status(502), "refused", { status: 200, body: { ok: true } }])
      const { response } = yield* Effect.flatten(settle(server.client.power.stop(7)))
      assert.strictEqual(response.attempts, 3)
    }))

  it.effect("a lost response is not forgotten after later attempts that sent nothing", () =>
    Effect.gen(function*() {
      const server = script(["lost", "refused"])
      const error = yield* failureOf(server.client.instances.create({ service_id: 1 }))
      assert(error._tag === "ConnectionError")
      assert.isTrue(error.responseLost)
      assert.include(error.message, `retry with idempotency key ${server.keys()[0]}, which never buys twice`)
    }))

  it.effect.each([[0, 1], [1, 2], [9, 10]])(
    "maxRetries %i makes %i attempts",
    ([maxRetries, attempts]) =>
      Effect.gen(function*() {
        const server = script([status(503)])
        yield* failureOf(server.client.instances.get(7, { maxRetries }))
        assert.strictEqual(server.sent.length, attempts)
        const own = script([status(503)], { maxRetries })
        yield* failureOf(own.client.instances.get(7))
        assert.strictEqual(own.sent.length, attempts)
      })
  )
})

const delays = (server: ReturnType<typeof script>) =>
  server.sent.slice(1).map(({ at }, index) => at - (server.sent[index]?.at ?? 0))

describe("delays", () => {
  it.effect("double from 0.5 s up to 8 s", () =>
    Effect.gen(function*() {
      const server = script([status(503)])
      yield* failureOf(server.client.instances.get(7, { maxRetries: 7 }).pipe(fixedRandom(1)))
      assert.deepStrictEqual(delays(server), [500, 1000, 2000, 4000, 8000, 8000, 8000])
    }))

  it.effect.each([0, 0.25, 0.5])("have full jitter: drawn at %d of the bound", (drawn) =>
    Effect.gen(function*() {
      const server = script([status(503)])
      yield* failureOf(server.client.instances.get(7).pipe(fixedRandom(drawn)))
      assert.deepStrictEqual(delays(server), [500, 1000, 2000, 4000].map((bound) => bound * drawn))
    }))

  it.effect("are as long as Retry-After and the backoff together, so that clients do not all come back at once", () =>
    Effect.gen(function*() {
      const server = script([{ status: 429, headers: { "retry-after": "3" }, body: { detail: "slow down" } }])
      const error = yield* failureOf(server.client.instances.get(7).pipe(fixedRandom(1)))
      assert.deepStrictEqual(delays(server), [3500, 4000, 5000, 7000])
      assert(error._tag === "RateLimitError")
      assert.strictEqual(error.retryAfter, 3)
    }))

  it.effect("follow a Retry-After date", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-21T09:30:00Z"))
      const headers = { "retry-after": "Sat, 21 Nov 2026 09:30:20 GMT" }
      const server = script([{ status: 503, headers, body: { detail: "draining" } }, { status: 200, body: { id: 7 } }])
      yield* Effect.flatten(settle(server.client.instances.get(7).pipe(fixedRandom(0))))
      assert.deepStrictEqual(delays(server), [20_000])
    }))

  it.effect.each(["2026-11-21T08:30:00Z", "2026-11-21T10:30:00Z"])(
    "follow a Retry-After date by the Date of the response, with a clock at %s",
    (clock) =>
      Effect.gen(function*() {
        yield* TestClock.setTime(Date.parse(clock))
        const headers = { date: "Sat, 21 Nov 2026 09:30:00 GMT", "retry-after": "Sat, 21 Nov 2026 09:30:20 GMT" }
        const server = script([{ status: 429, headers, body: { detail: "slow" } }, { status: 200, body: { id: 7 } }])
        yield* Effect.flatten(settle(server.client.instances.get(7).pipe(fixedRandom(0))))
        assert.deepStrictEqual(delays(server), [20_000])
      })
  )

  it.effect.each([["60", 5], ["61", 1], ["86400", 1], ["soon", 5], ["-5", 5]] as const)(
    "Retry-After: %s makes %i attempts: longer than a minute fails",
    ([retryAfter, attempts]) =>
      Effect.gen(function*() {
        const server = script([{ status: 429, headers: { "retry-after": retryAfter }, body: { detail: "later" } }])
        const error = yield* failureOf(server.client.instances.create({ service_id: 1 }))
        assert.strictEqual(server.sent.length, attempts)
        assert(error._tag === "RateLimitError")
        assert.strictEqual(error.retryAfter, /^\d+$/.test(retryAfter) ? Number(retryAfter) : undefined)
      })
  )

  it.effect("ignore a Retry-After date in the past", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(Date.parse("2026-11-21T09:30:00Z"))
      const headers = { "retry-after": "Sat, 21 Nov 2026 09:29:00 GMT" }
      const server = script([{ status: 503, headers, body: { detail: "draining" } }])
      yield* failureOf(server.client.instances.get(7, { maxRetries: 2 }).pipe(fixedRandom(1)))
      assert.deepStrictEqual(delays(server), [500, 1000])
    }))
})

describe("timeouts", () => {
  it.effect("apply to each attempt, 30 s by default", () =>
    Effect.gen(function*() {
      const server = script(["silent"])
      const error = yield* failureOf(server.client.instances.get(7).pipe(fixedRandom(0)))
      assert.deepStrictEqual(delays(server), [30_000, 30_000, 30_000, 30_000])
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([error.timeout, error.responseLost], [30_000, true])
    }))

  it.effect("come from the call, or else from the client", () =>
    Effect.gen(function*() {
      const server = script(["silent"], { timeout: 2000, maxRetries: 1 })
      yield* failureOf(server.client.instances.get(7).pipe(fixedRandom(0)))
      assert.deepStrictEqual(delays(server), [2000])
      const error = yield* failureOf(server.client.instances.get(7, { timeout: 70, maxRetries: 0 }))
      assert(error._tag === "TimeoutError")
      assert.strictEqual(error.timeout, 70)
    }))
})
