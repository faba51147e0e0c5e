/**
 * Idempotency keys: the fingerprint of a request, and repeats while it is under way.
 */
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { CreateInProgress } from "#service/domain/Errors"
import { toErrorResponse } from "#service/http/Errors"
import { InFlight } from "#service/idempotency/InFlight"
import { RealClock } from "#service/runtime/Time"
import { startApp } from "../support/app.ts"
import { DEFAULT_LIMITS, limitsLayer } from "../support/limits.ts"
import { fingerprint, mismatch } from "#service/idempotency/Fingerprint"
import { make } from "#service/config/Secret"

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

const FIRST = "first-secret-of-the-test-0123456789"
const SECOND = "second-secret-of-the-test-0123456789"

const BODY = { service_id: 1, hostname: "web-1", coupon: null }
const [{ markers: first }, { markers: both }, { markers: second }] = [
  make([FIRST]),
  make([SECOND, FIRST]),
  make([SECOND])
] as const

const of = (body: Parameters<typeof fingerprint>[0]) => fingerprint(body, first[0])
const stored = of(BODY)

describe("the fingerprint of a create", () => {
  it("names the fields in which a repeat differs; null equals absent", () => {
    assert.deepStrictEqual(mismatch(stored, { hostname: "web-1", service_id: 1 }, first), [])
    assert.deepStrictEqual(mismatch(stored, { ...BODY, hostname: "web-2", os: "debian-13" }, first), ["hostname", "os"])
  })

  it("is compared under the secret that made it, also when that is an older one", () => {
    assert.deepStrictEqual(mismatch(stored, BODY, both), [])
    assert.deepStrictEqual(mismatch(stored, { ...BODY, service_id: 2 }, both), ["service_id"])
  })

  it("of a version that stored no secret's id is compared under each", () => {
    const { "": _, ...bare } = JSON.parse(stored)
    const old = JSON.stringify(bare)
    for (const markers of [both, both.toReversed()]) {
      assert.deepStrictEqual(mismatch(old, BODY, markers), [])
      assert.deepStrictEqual(mismatch(old, { ...BODY, service_id: 2 }, markers), ["service_id"])
    }
  })

  it("cannot be compared without its secret, and then differs in nothing", () => {
    assert.deepStrictEqual(mismatch(stored, { service_id: 9 }, second), [])
  })
})

describe("a fingerprint", () => {
  it("takes null and undefined for absent, and no other value", () => {
    assert.strictEqual(of({ service_id: 1, hostname: null, os: undefined }), of({ service_id: 1 }))
    assert.notStrictEqual(of({ service_id: 1, hostname: "" }), of({ service_id: 1 }))
    assert.notStrictEqual(of({ service_id: 0 }), of({}))
  })

  it("is the same for any order of the fields", () => {
    assert.strictEqual(of({ os: "debian-12", service_id: 1 }), of({ service_id: 1, os: "debian-12" }))
  })

  it("shows no value, and the same value in two fields does not look the same", () => {
    const text = of({ hostname: "hunter2", os: "hunter2" })
    assert.notInclude(text, "hunter2")
    const { hostname, os } = JSON.parse(text)
    assert.notStrictEqual(hostname, os)
  })

  it("names what was changed, added and left out, in alphabetical order", () => {
    const before = { service_id: 1, os: "debian-12", b: "same" }
    assert.deepStrictEqual(mismatch(of(before), { b: "same", service_id: 2, a: "x" }, first), ["a", "os", "service_id"])
    assert.deepStrictEqual(mismatch(of(before), before, first), [])
  })
})
