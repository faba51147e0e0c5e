/** Renewal: the anchor day is preserved, and each period is charged exactly once. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { endPeriod } from "#service/billing/Renewals"
import { renewReference } from "#service/operations/Renew"
import { nextPeriodEnd } from "#service/domain/Period"
import { verify } from "#service/ledger/Ledger"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { at, renewals, running, topUp, until, wallet } from "../support/billing.ts"
import { allTasks, buy, coreLayer, deployTime, elapse, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const DAY = 86_400_000

describe("the anchor day", () => {
  it.effect("does not change when an instance is renewed: Jan 31, Feb 28, Mar 31", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(at("2026-01-31T10:00:00.000Z"))
      const { id } = yield* buy()
      yield* deployTime
      const ends = []
      for (let period = 0; period < 3; period++) {
        const end = (yield* show(id)).expires_at!
        ends.push(end)
        yield* until(at(end))
      }
      assert.deepStrictEqual(ends.map((end) => end.slice(0, 19)), [
        "2026-02-28T10:00:00",
        "2026-03-31T10:00:00",
        "2026-04-30T10:00:00"
      ])
      assert.strictEqual(yield* wallet, 100_000 - 4 * 499)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("the end of a period", () => {
  it.effect("charges the next one, not a moment too early, and is in the feed", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* TestClock.setTime(end - 1)
      yield* settle
      assert.deepStrictEqual(yield* renewals, [])
      yield* until(end)
      const [renewal] = yield* renewals
      assert.strictEqual(renewal!.reference, renewReference({ orderId: 1, expiresAt: end, pausedMillis: 0 }))
      assert.deepStrictEqual(renewal!.entries.map(({ amount }) => amount), [-499, 419, 80])
      assert.strictEqual(yield* wallet, 9_501)
      const shown = yield* show(id)
      assert.deepInclude(shown, { status: "running", expires_at: new Date(nextPeriodEnd(0, end)).toISOString() })
      const feed = { type: "renew", status: "succeeded", actor: "system", error: null } as const
      assert.deepInclude((yield* allTasks).at(-1), {
        ...feed,
        params: JSON.stringify({ charge: 499, currency: "EUR" })
      })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("charges the list price, not the coupon price", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(DAY)
      const { expires_at: end } = yield* buy({ coupon_code: "WELCOME10" })
      yield* deployTime
      assert.strictEqual(yield* wallet, 100_000 - 449)
      yield* until(at(end!))
      assert.strictEqual(yield* wallet, 100_000 - 449 - 499)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("charges every period that passed while the service was away, each once, and one a day", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* deployTime
      const charged = Effect.map(renewals, (journals) => journals.map(({ reference }) => reference.slice(-24, -14)))
      yield* until(at("1970-04-15T00:00:00.000Z"))
      assert.deepStrictEqual(yield* charged, ["1970-02-01"])
      yield* until(at("1970-04-15T00:00:00.000Z") + DAY - 60_000)
      assert.deepStrictEqual(yield* charged, ["1970-02-01"])
      yield* until(at("1970-04-16T00:00:00.000Z"))
      assert.deepStrictEqual(yield* charged, ["1970-02-01", "1970-03-01"])
      yield* until(at("1970-04-18T00:00:00.000Z"))
      assert.deepStrictEqual(yield* charged, ["1970-02-01", "1970-03-01", "1970-04-01"])
      assert.strictEqual((yield* show(id)).expires_at!.slice(0, 10), "1970-05-01")
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that many meet at once, or again after a crash, charges once", () =>
    Effect.gen(function*() {
      yield* buy()
      yield* execute("UPDATE instances SET lifecycle = 'active'")
      yield* execute("UPDATE tasks SET status = 'succeeded', finished_at = 0")
      const end = at((yield* show(1)).expires_at!)
      const { run } = yield* Transaction
      yield* Effect.all(Array.from({ length: 20 }, () => run(endPeriod(1, end))), { concurrency: "unbounded" })
      assert.strictEqual((yield* renewals).length, 1)
      // The crash: the charge was rolled back with all that belongs to it, and comes again whole.
      const crash = Effect.andThen(endPeriod(1, nextPeriodEnd(0, end)), Effect.die("crash"))
      yield* Effect.exit(run(crash))
      assert.strictEqual((yield* renewals).length, 1)
      yield* run(endPeriod(1, nextPeriodEnd(0, end)))
      assert.strictEqual((yield* renewals).length, 2)
      assert.strictEqual(yield* wallet, 100_000 - 3 * 499)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("waits for an operation that is open, and comes when it is done", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end - 10_000)
      yield* TestClock.setTime(end - 1_000)
      ;(yield* Upstream).hold = Effect.sleep(5_000)
      const { run } = yield* Transaction
      yield* run(Effect.gen(function*() {
        yield* execute(`INSERT INTO tasks (instance_id, kind, type, status, progress, actor, params, attempts, run_at,
          fence, created_at) VALUES (${id}, 'operation', 'restart', 'queued', 0, 'api_key', '{}', 0, 0, 0, 0)`)
      }))
      yield* topUp(0)
      yield* elapse(2_000)
      assert.deepStrictEqual(yield* renewals, [])
      yield* elapse(5_000)
      assert.strictEqual((yield* renewals).length, 1)
    }).pipe(Effect.provide(serviceLayer())))
})
