/** The time of the service: readings of a source, continued by a monotonic clock. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ServiceClock } from "#service/persistence/clock/ServiceClock"

describe("the time of the service", () => {
  it.effect("shows the reading, and advances steadily from there", () =>
    Effect.gen(function*() {
      let steady = 1_000
      const clock = new ServiceClock(yield* Clock.Clock, () => steady)
      clock.set({ millis: 1_700_000_000_000, at: 1_000 })
      assert.strictEqual(yield* clock.currentTimeMillis, 1_700_000_000_000)
      steady += 250
      assert.strictEqual(yield* clock.currentTimeMillis, 1_700_000_000_250)
      assert.strictEqual(yield* clock.currentTimeNanos, 1_700_000_000_250_000_000n)
    }))
  it.effect("stops until the reading has caught up instead of going back", () =>
    Effect.gen(function*() {
      let steady = 0
      const clock = new ServiceClock(yield* Clock.Clock, () => steady)
      clock.set({ millis: 1_700_000_000_500, at: 0 })
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_700_000_000_500)
      clock.set({ millis: 1_700_000_000_000, at: 0 })
      steady = 400
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_700_000_000_500)
      steady = 600
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_700_000_000_600)
    }))
  it.effect("goes back only when it is restarted", () =>
    Effect.gen(function*() {
      const clock = new ServiceClock(yield* Clock.Clock, () => 0)
      clock.set({ millis: 5_000, at: 0 })
      assert.strictEqual(clock.difference({ millis: 7_000, at: 500 }), 1_500)
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 5_000)
      clock.restart({ millis: 1_000, at: 0 })
      assert.strictEqual(clock.currentTimeMillisUnsafe(), 1_000)
    }))
})
