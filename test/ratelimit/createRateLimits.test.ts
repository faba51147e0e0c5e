/** The rate limits of creates: an account's own rates take precedence, and rounding favors the customer. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { admitCreate, arrivalsOf, boundArrivals, createRates } from "#service/ratelimit/CreateRateLimits"
import { type Account, Accounts } from "#service/persistence/Accounts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const RATES = createRates(DEFAULT_LIMITS)

const NOW = 1_000_000
const fresh = { perMinute: null, perHour: null, minuteArrival: 0, hourArrival: 0 }

const MINUTE = 60_000
const HOUR = 60 * MINUTE

describe("a create", () => {
  it.effect("is let in by the usual limits, all of which may come at once: 10 a minute, 60 an hour", () =>
    Effect.gen(function*() {
      const [minute, hour] = yield* admitCreate(fresh, RATES, NOW)
      assert.deepStrictEqual(minute.rate, { name: "create-minute", quota: 10, windowMillis: MINUTE, burst: 10 })
      assert.deepStrictEqual(hour.rate, { name: "create-hour", quota: 60, windowMillis: HOUR, burst: 60 })
      assert.deepStrictEqual([minute.remaining, hour.remaining], [9, 59])
    }))

  it.effect("is let in by the account's own limits, of which either may be the usual one", () =>
    Effect.gen(function*() {
      const [minute, hour] = yield* admitCreate({ ...fresh, perMinute: 3, perHour: 5 }, RATES, NOW)
      assert.deepStrictEqual([minute.rate.quota, hour.rate.quota], [3, 5])
      const [usual, own] = yield* admitCreate({ ...fresh, perHour: 5 }, RATES, NOW)
      assert.deepStrictEqual([usual.rate.quota, own.rate.quota], [10, 5])
    }))

  it.effect.each<readonly [string, object, Array<boolean>, Array<number>]>(
    [
      ["minute", { minuteArrival: NOW + MINUTE }, [false, true], [0, 60]],
      ["hour", { hourArrival: NOW + HOUR }, [true, false], [10, 0]]
    ] as const
  )(
    "is refused when the %s is used up, and takes nothing of the other",
    ([, used, allowed, remaining]) =>
      Effect.gen(function*() {
        const { clockWasAhead, standings } = yield* Effect.flip(admitCreate({ ...fresh, ...used }, RATES, NOW))
        assert.isFalse(clockWasAhead)
        assert.deepStrictEqual(standings.map((standing) => standing.allowed), allowed)
        assert.deepStrictEqual(standings.map((standing) => standing.remaining), remaining)
      })
  )

  it.effect("takes its token in whole milliseconds, rounded in the customer's favor", () =>
    Effect.gen(function*() {
      // A seventh of a minute is 8571.4 ms, a seventh of an hour 514285.7 ms.
      const standings = yield* admitCreate({ ...fresh, perMinute: 7, perHour: 7 }, RATES, NOW)
      assert.deepStrictEqual(arrivalsOf(fresh, standings), [NOW + 8_571, NOW + 514_285])
      assert.deepStrictEqual(arrivalsOf({ ...fresh, minuteArrival: 1, hourArrival: 2 }, undefined), [1, 2])
    }))

  it.effect.each([{ minuteArrival: NOW + MINUTE + 1 }, { hourArrival: NOW + HOUR + 1 }])(
    "is refused with the remark that the clock was ahead when it was: %o",
    (used) =>
      Effect.gen(function*() {
        assert.isTrue((yield* Effect.flip(admitCreate({ ...fresh, ...used }, RATES, NOW))).clockWasAhead)
      })
  )

  it.effect("is let in a window later at the latest, after a clock that was ahead", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(NOW)
      const stored: Array<ReadonlyArray<number>> = []
      const bound = (creates: object) =>
        Effect.provide(
          boundArrivals(4),
          Layer.mock(Accounts)({
            find: (id) => Effect.succeed(id === 4 ? { creates } as Account : undefined),
            setCreateArrivals: (...args) => Effect.sync(() => void stored.push(args))
          })
        )
      yield* bound({ minuteArrival: NOW + HOUR, hourArrival: NOW + 2 * HOUR })
      yield* bound({ minuteArrival: NOW + 1, hourArrival: NOW + 2 })
      assert.deepStrictEqual(stored, [[4, NOW + MINUTE, NOW + HOUR], [4, NOW + 1, NOW + 2]])
    }))
})
