/** Concurrent repeats: they wait for the first, 5 s at most, and replay; past the wait it is 409. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { CreateInProgress } from "#service/domain/Errors"
import { toErrorResponse } from "#service/http/Errors"
import { InFlight } from "#service/idempotency/InFlight"
import { RealClock } from "#service/runtime/Time"
import { startApp } from "../support/app.ts"
import { DEFAULT_LIMITS, limitsLayer } from "../support/limits.ts"

const KEY = { accountId: 1, apiKeyId: 1 }
const OTHER = { accountId: 1, apiKeyId: 2 }

const { IDEMPOTENCY_WAIT_MILLIS } = DEFAULT_LIMITS

const inFlightLayer = Layer.provide(InFlight.layer, limitsLayer())

/** Starts a create with a key; the test decides when it ends. */
const begin = Effect.fnUntraced(function*(owner = KEY, key = "k") {
  const { under } = yield* InFlight
  const end = yield* Deferred.make<string>()
  const fiber = yield* Effect.forkChild(under(owner, key, Deferred.await(end)), { startImmediately: true })
  return { fiber, finish: (value: string) => Deferred.succeed(end, value) }
})

describe("a repeat of a create that is under way", () => {
  it.effect("waits for its end before it looks for itself", () =>
    Effect.gen(function*() {
      const { under } = yield* InFlight
      const first = yield* begin()
      const seen: Array<string> = []
      const look = Effect.sync(() => seen.push("looked"))
      const second = yield* Effect.forkChild(under(KEY, "k", look), { startImmediately: true })
      yield* TestClock.adjust(IDEMPOTENCY_WAIT_MILLIS - 1)
      assert.deepStrictEqual(seen, [])
      yield* first.finish("done")
      yield* Fiber.join(second)
      assert.deepStrictEqual(seen, ["looked"])
    }).pipe(Effect.provide(inFlightLayer)))

  it.effect("gives up after 5 s, and the first continues", () =>
    Effect.gen(function*() {
      const { under } = yield* InFlight
      const first = yield* begin()
      const second = yield* Effect.forkChild(Effect.flip(under(KEY, "k", Effect.void)), { startImmediately: true })
      yield* TestClock.adjust(IDEMPOTENCY_WAIT_MILLIS)
      assert.strictEqual((yield* Fiber.join(second))._tag, "CreateInProgress")
      yield* first.finish("done")
      assert.strictEqual(yield* Fiber.join(first.fiber), "done")
    }).pipe(Effect.provide(inFlightLayer)))

  it.effect("gives up in real time, even with a frozen emulator clock", () =>
    Effect.gen(function*() {
      const { under } = yield* InFlight
      yield* begin()
      const passed = yield* Deferred.make<void>()
      const asked: Array<number> = []
      const real = {
        ...(yield* Clock.Clock),
        sleep: (duration: Duration.Duration) => {
          asked.push(Duration.toMillis(duration))
          return Deferred.await(passed)
        }
      }
      const second = yield* Effect.forkChild(
        Effect.provideService(Effect.flip(under(KEY, "k", Effect.void)), RealClock, real),
        { startImmediately: true }
      )
      yield* TestClock.adjust(10 * IDEMPOTENCY_WAIT_MILLIS)
      assert.isUndefined(second.pollUnsafe())
      yield* Deferred.succeed(passed, undefined)
      assert.strictEqual((yield* Fiber.join(second))._tag, "CreateInProgress")
      assert.deepStrictEqual(asked, [IDEMPOTENCY_WAIT_MILLIS])
    }).pipe(Effect.provide(inFlightLayer)))

  it.effect("with another key, or another API key, does not wait", () =>
    Effect.gen(function*() {
      const { under } = yield* InFlight
      yield* begin()
      assert.strictEqual(yield* under(KEY, "other", Effect.succeed("a")), "a")
      assert.strictEqual(yield* under(OTHER, "k", Effect.succeed("b")), "b")
    }).pipe(Effect.provide(inFlightLayer)))

  it.effect("waits for the one that is under way now, not for one that ended before", () =>
    Effect.gen(function*() {
      const { under } = yield* InFlight
      const first = yield* begin()
      yield* first.finish("done")
      yield* Fiber.join(first.fiber)
      const second = yield* begin()
      const seen: Array<string> = []
      const third = yield* Effect.forkChild(under(KEY, "k", Effect.sync(() => seen.push("looked"))), {
        startImmediately: true
      })
      yield* TestClock.adjust(IDEMPOTENCY_WAIT_MILLIS - 1)
      assert.deepStrictEqual(seen, [])
      yield* second.finish("done")
      yield* Fiber.join(third)
      assert.deepStrictEqual(seen, ["looked"])
    }).pipe(Effect.provide(inFlightLayer)))

  it.effect("that was interrupted or has failed leaves the key free", () =>
    Effect.gen(function*() {
      const { under } = yield* InFlight
      const first = yield* begin()
      yield* Fiber.interrupt(first.fiber)
      yield* Effect.flip(under(KEY, "k", Effect.fail("no")))
      assert.strictEqual(yield* under(KEY, "k", Effect.succeed("free")), "free")
    }).pipe(Effect.provide(inFlightLayer)))
})

describe("over HTTP", () => {
  const headers = { "idempotency-key": "k1" }

  it("a wait in vain is 409 with Retry-After: 1", () => {
    const answer = toErrorResponse(new CreateInProgress(), DEFAULT_LIMITS)
    assert.deepStrictEqual([answer.status, answer.headers["retry-after"]], [409, "1"])
  })

  it.live("50 identical creates at once are 50 times 201 with one id and one charge", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const create = app.api({ method: "POST", path: "/instances", body: { service_id: 1 }, headers })
      const answers = yield* Effect.all(Array.from({ length: 50 }, () => create), { concurrency: "unbounded" })
      assert.deepStrictEqual([...new Set(answers.map(({ body, status }) => `${status} ${body.id}`))], ["201 1"])
      const replays = answers.filter(({ headers }) => headers.get("idempotent-replayed") === "true")
      assert.strictEqual(replays.length, 49)
      const { body } = yield* app.control("GET", "/ledger")
      assert.strictEqual(body.journals.length, 2)
    }))

  it.live("quotes around a key do not belong to it", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const ids = yield* Effect.forEach(["k-1", "\"k-1\""], (key) => {
        const headers = { "idempotency-key": key }
        const request = app.api({ method: "POST", path: "/instances", body: { service_id: 1 }, headers })
        return Effect.map(request, ({ body }) => body.id)
      })
      assert.deepStrictEqual(ids, [1, 1])
    }))

  it.live("`strict` refuses another body at the header, names the original, and replays the same body", () =>
    Effect.gen(function*() {
      const app = yield* startApp(["--strict-idempotency"])
      const post = (body: object, query = "") => app.api({ method: "POST", path: `/instances${query}`, body, headers })
      const { body: bought } = yield* post({ service_id: 1, hostname: "web" })
      const refused = yield* post({ service_id: 2, hostname: "web", os: null })
      assert.strictEqual(refused.status, 422)
      assert.deepStrictEqual(refused.body.detail, [{
        loc: ["header", "Idempotency-Key"],
        msg: `Value error, this key was already used to buy instance ${bought.id} with a different body (service_id)`,
        type: "value_error"
      }])
      assert.strictEqual(refused.headers.get("location"), `/api/v1/instances/${bought.id}`)
      assert.strictEqual((yield* post({ service_id: 2 }, "?dry_run=true")).status, 422)
      const replayed = yield* post({ hostname: "web", service_id: 1, os: null })
      assert.deepStrictEqual([replayed.status, replayed.body.id], [201, bought.id])
    }))
})
