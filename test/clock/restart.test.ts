/** A start under a wrong clock: it is compared with the time that the database has. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ClockTrust } from "#service/persistence/clock/ClockTrust"
import { ClockStates } from "#service/persistence/ClockStates"
import { renewals } from "../support/billing.ts"
import { buy } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { HOUR, MINUTE, realTime, serviceOn, YEAR } from "../support/wrongClock.ts"

/** Some time that is not the beginning of all time. */
const BEGINNING = Date.parse("2027-01-31T12:00:00Z")

describe("a restart", () => {
  /** Runs a service for a while, stops it for some time, and returns what the next one finds. */
  const restarted = (ahead: number, stopped: number) =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/vps.db`
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      yield* Effect.provide(Effect.andThen(buy(), time.pass(2 * MINUTE, 500)), serviceOn(wrong, path))
      wrong.ahead = ahead
      yield* time.pass(stopped)
      return yield* Effect.gen(function*() {
        yield* time.pass(2 * MINUTE, 500)
        const { doubt } = yield* ClockTrust
        const off = (yield* Clock.currentTimeMillis) - time.now()
        return { charged: (yield* renewals).length, reason: doubt()?.reason, off }
      }).pipe(Effect.provide(serviceOn(wrong, path)))
    })

  it.effect("under a clock three years ahead charges nothing", () =>
    Effect.gen(function*() {
      const { charged, reason } = yield* restarted(3 * YEAR, HOUR)
      assert.strictEqual(charged, 0)
      assert.include(reason, "1095 days ahead of the service's last run")
    }))

  it.effect("under a clock three years behind continues from the stored time", () =>
    Effect.gen(function*() {
      const { off, reason } = yield* restarted(-3 * YEAR, HOUR)
      assert.include(reason, "behind the service's last run")
      assert.isAtLeast(off, -2 * HOUR)
    }))

  it.effect("after an hour under a clock that is right is nothing", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* restarted(0, HOUR), { charged: 0, reason: undefined, off: 0 })
    }))

  it.effect("does not end a doubt", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/vps.db`
      const wrong = { ahead: 0 }
      const time = yield* realTime
      yield* time.passUntil(BEGINNING)
      yield* Effect.gen(function*() {
        yield* time.pass(2 * MINUTE)
        wrong.ahead = HOUR
        yield* time.pass(2 * MINUTE)
        assert.isNotNull((yield* (yield* ClockStates).find).doubt)
      }).pipe(Effect.provide(serviceOn(wrong, path)))
      yield* Effect.gen(function*() {
        const { doubt } = yield* ClockTrust
        assert.strictEqual(doubt()?.reason, "The clock jumped 1 hours ahead.")
        assert.strictEqual(yield* Clock.currentTimeMillis, time.now())
      }).pipe(Effect.provide(serviceOn(wrong, path)))
    }))
})
