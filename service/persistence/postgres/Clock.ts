/**
 * The database's clock, which all replicas share, so that leases, limits and periods mean the same to each. It is read
 * at intervals, and a monotonic clock measures the time in between.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../config/Limits.ts"
import { describe, tryPg } from "./Failures.ts"
import { Pool } from "./Pool.ts"

const NANOS_PER_MILLI = 1_000_000n

/** Never runs backwards: set back, it stops until time catches up. */
export class SharedClock implements Clock.Clock {
  readonly #own: Clock.Clock
  readonly #steady: () => number
  #ahead: number
  #latest = 0

  /** `steady` counts milliseconds monotonically. */
  constructor(own: Clock.Clock, steady: () => number = () => performance.now()) {
    this.#own = own
    this.#steady = steady
    this.#ahead = own.currentTimeMillisUnsafe() - steady()
  }

  /** Sets the database's time, in epoch milliseconds, at a moment of the steady count. */
  set(millis: number, at: number): void {
    this.#ahead = millis - at
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

const NOW = { text: "SELECT extract(epoch FROM clock_timestamp()) * 1000", rowMode: "array" } as const

/** Reads the clock once. The result was true halfway between request and response. */
const compare = (pool: Pool["Service"], clock: SharedClock) =>
  tryPg(async () => {
    const connection = await pool.connect()
    try {
      const began = performance.now()
      const { rows } = await connection.query(NOW)
      clock.set(Number(rows[0]![0]), (began + performance.now()) / 2)
      connection.release(false)
    } catch (error) {
      connection.release(true)
      throw error
    }
  })

const make = Effect.gen(function*() {
  const pool = yield* Pool
  const { DATABASE_CLOCK_MILLIS } = yield* Limits
  const clock = new SharedClock(yield* Clock.Clock)
  yield* Effect.orDie(compare(pool, clock))
  const again = Effect.andThen(Effect.sleep(DATABASE_CLOCK_MILLIS), compare(pool, clock)).pipe(
    Effect.catch((error) => Effect.logWarning(`Cannot read the database's clock: ${describe(error)}`))
  )
  yield* Effect.forkScoped(Effect.forever(again))
  return clock
})

/** Every layer above it uses the database's clock. */
export const layer: Layer.Layer<never, never, Limits | Pool> = Layer.effect(Clock.Clock, make)
