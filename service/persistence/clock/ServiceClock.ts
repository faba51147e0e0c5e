/**
 * The time of the service: a reading of its source, continued by a monotonic clock. A source that jumps changes nothing
 * until its next reading is adopted.
 */
import type * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

const NANOS_PER_MILLI = 1_000_000n

/** A time of the source, in epoch milliseconds, and the monotonic time at which it was read. */
export interface Reading {
  readonly millis: number
  readonly at: number
}

/** Never runs backwards unless it is restarted: set back, it stops until time catches up. */
export class ServiceClock implements Clock.Clock {
  readonly #own: Clock.Clock
  readonly #steady: () => number
  #ahead: number
  #latest = 0

  /** `steady` counts milliseconds monotonically. */
  constructor(own: Clock.Clock, steady: () => number) {
    this.#own = own
    this.#steady = steady
    this.#ahead = own.currentTimeMillisUnsafe() - steady()
  }

  set({ at, millis }: Reading): void {
    this.#ahead = millis - at
  }

  /** Continues from a reading that may be earlier. */
  restart(reading: Reading): void {
    this.#latest = 0
    this.set(reading)
  }

  /** The lead of a reading over this clock, in milliseconds. */
  difference({ at, millis }: Reading): number {
    return millis - at - this.#ahead
  }

  currentTimeMillisUnsafe(): number {
    this.#latest = Math.max(this.#latest, Math.floor(this.#steady() + this.#ahead))
    return this.#latest
  }

  currentTimeNanosUnsafe(): bigint {
    return BigInt(this.currentTimeMillisUnsafe()) * NANOS_PER_MILLI
  }

  monotonicTimeNanosUnsafe(): bigint {
    return this.#own.monotonicTimeNanosUnsafe()
  }

  readonly currentTimeMillis = Effect.sync(() => this.currentTimeMillisUnsafe())
  readonly currentTimeNanos = Effect.sync(() => this.currentTimeNanosUnsafe())
  readonly monotonicTimeNanos = Effect.sync(() => this.monotonicTimeNanosUnsafe())

  sleep(...[duration]: Parameters<Clock.Clock["sleep"]>): Effect.Effect<void> {
    return this.#own.sleep(duration)
  }
}
