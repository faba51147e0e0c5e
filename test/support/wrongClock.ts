/** A service on a clock that can be wrong. The test's clock is the time that really passes. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as TestClock from "effect/testing/TestClock"
import { layer as trustLayer, TimeSource } from "#service/persistence/clock/ServiceClock"
import { layer as watchLayer } from "#service/tasks/ClockWatch"
import { serviceLayer, settle } from "./service.ts"

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR
export const YEAR = 365 * DAY

/** The clock of the computer, which is ahead of the real time by some milliseconds. */
export interface WrongClock {
  ahead: number
}

const sourceOf = (wrong: WrongClock) =>
  Layer.succeed(TimeSource, (real) => {
    const now = () => real.currentTimeMillisUnsafe()
    return { read: Effect.sync(() => ({ millis: now() + wrong.ahead, at: now() })), steady: now }
  })

/** The clock without protection: the service follows it at once, as every program does. */
const unprotected = (wrong: WrongClock) =>
  Layer.effect(
    Clock.Clock,
    Effect.map(Clock.Clock, (real) => {
      const now = () => real.currentTimeMillisUnsafe() + wrong.ahead
      return Object.assign(Object.create(real) as Clock.Clock, {
        currentTimeMillisUnsafe: now,
        currentTimeMillis: Effect.sync(now)
      })
    })
  )

/** The service with the worker, on a clock. */
export const serviceOn = (wrong: WrongClock, path?: string) =>
  Layer.provideMerge(watchLayer, serviceLayer(path, Layer.provide(trustLayer, sourceOf(wrong))))

export const unprotectedServiceOn = (wrong: WrongClock, path?: string) => serviceLayer(path, unprotected(wrong))

/** Real time: it passes in the test's clock, independently of the service's. */
export const realTime = Effect.map(Clock.Clock, (clock) => {
  const real = clock as TestClock.TestClock
  const passUntil = Effect.fnUntraced(function*(moment: number) {
    yield* real.setTime(moment)
    yield* settle
  })
  return {
    now: () => real.currentTimeMillisUnsafe(),
    passUntil,
    /** Lets time pass in steps, and all work continue at each. */
    pass: Effect.fnUntraced(function*(millis: number, step = millis) {
      yield* settle
      const end = real.currentTimeMillisUnsafe() + millis
      while (real.currentTimeMillisUnsafe() < end) {
        yield* passUntil(Math.min(end, real.currentTimeMillisUnsafe() + step))
      }
    })
  }
})
