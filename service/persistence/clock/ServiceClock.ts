/**
 * The time of the service: a reading of its source, continued by a monotonic clock. A source that jumps changes nothing
 * until its next reading is adopted, and one that jumps against the monotonic clock is not followed: the scheduled jobs
 * of all processes on the database stop until an operator confirms the time.
 */
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { Limits } from "../../config/Limits.ts"
import { type ClockState, type Doubt, inWords, jump, type Start, startAt } from "../../domain/ClockDoubt.ts"
import { ClockStates } from "../ClockStates.ts"
import { Transaction } from "../Transaction.ts"

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

export interface Source {
  readonly read: Effect.Effect<Reading, StorageUnavailable>
  /** Counts milliseconds monotonically. */
  readonly steady: () => number
}

/** The monotonic clock of this process. */
export const steady = (): number => performance.now()

/** The system's clock, unless the database provides another one. */
export class TimeSource extends Context.Reference<(system: Clock.Clock) => Source>("@pulumi-vps/service/TimeSource", {
  defaultValue: () => (system) => ({
    read: Effect.sync(() => ({ millis: system.currentTimeMillisUnsafe(), at: steady() })),
    steady
  })
}) {}

export interface Trust {
  /** Null while the time is trusted. */
  readonly doubt: () => Doubt | null
  /** The source's lead over the service's time at the last check, in milliseconds. */
  readonly sourceAhead: () => number
  /** Compares the time with its source and with the stored state; false if it is in doubt. */
  readonly check: Effect.Effect<boolean, StorageUnavailable>
}

/** Always trusted unless the storage provides another one: an emulator's clock moves on purpose. */
export class ClockTrust extends Context.Reference<Trust>("@pulumi-vps/service/ClockTrust", {
  defaultValue: () => ALWAYS
}) {}

/** Trusts every time. */
export const ALWAYS: Trust = { doubt: () => null, sourceAhead: () => 0, check: Effect.succeed(true) }

/** The stored time may be one interval old while a process runs. */
const OUTAGE_STORES = 2

const make = Effect.gen(function*() {
  const { CLOCK_GAP_MILLIS, CLOCK_JUMP_MILLIS, CLOCK_STORE_MILLIS } = yield* Limits
  const system = yield* Clock.Clock
  const { read: source, steady } = (yield* TimeSource)(system)
  const states = yield* ClockStates
  const { run } = yield* Transaction
  const clock = new ServiceClock(system, steady)

  /** Once for all processes that start after an outage. */
  const continueAfterOutage = Effect.fnUntraced(function*(state: ClockState, { doubt, time }: Start) {
    if (state.newest === 0 || time - state.newest < OUTAGE_STORES * CLOCK_STORE_MILLIS) return
    const length = yield* run(Effect.gen(function*() {
      yield* states.beginOutage(state.newest)
      const length = doubt === null ? yield* states.endOutage(time) : 0
      yield* states.store({ ...state, newest: time, doubt, sourceAhead: 0 })
      return length
    }))
    if (length > 0) {
      yield* Effect.logInfo(`The service was stopped for ${inWords(length)}: grace periods continue as long.`)
    }
  })

  const first = yield* Effect.orDie(source)
  const stored = yield* states.find
  const tolerance = { aheadMillis: CLOCK_GAP_MILLIS, behindMillis: CLOCK_JUMP_MILLIS }
  const started = startAt(stored, first.millis, tolerance)
  yield* Effect.orDie(continueAfterOutage(stored, started))
  clock.set({ ...first, millis: started.time })
  let { doubt } = started
  let { confirmations } = stored
  let sourceAhead = first.millis - started.time

  /** Is the source where it may be some time after it was confirmed? If not, it has jumped since. */
  const isNear = (source: number, confirmed: number): boolean =>
    source - confirmed <= CLOCK_GAP_MILLIS && confirmed - source <= CLOCK_JUMP_MILLIS

  const isOutdated = (state: ClockState, now: number): boolean =>
    state.doubt === null && doubt !== null || now - state.newest >= CLOCK_STORE_MILLIS
    || doubt !== null && Math.abs(sourceAhead - state.sourceAhead) > CLOCK_JUMP_MILLIS

  const check = Effect.gen(function*() {
    const reading = yield* source
    const state = yield* states.find
    if (state.confirmations !== confirmations) {
      ;({ confirmations } = state)
      doubt = null
      clock.restart(isNear(reading.millis, state.newest) ? reading : { ...reading, millis: state.newest })
    }
    sourceAhead = Math.round(clock.difference(reading))
    doubt ??= state.doubt
    if (Math.abs(sourceAhead) <= CLOCK_JUMP_MILLIS) clock.set(reading)
    const now = clock.currentTimeMillisUnsafe()
    if (doubt === null && Math.abs(sourceAhead) > CLOCK_JUMP_MILLIS) {
      doubt = { since: now, reason: jump(sourceAhead) }
    }
    if (isOutdated(state, now)) yield* run(states.store({ newest: now, doubt, sourceAhead, confirmations }))
    return doubt === null
  })

  return Context.make(Clock.Clock, clock).pipe(
    Context.add(ClockTrust, { doubt: () => doubt, sourceAhead: () => sourceAhead, check })
  )
})

/** Everything above it uses this time. */
export const layer: Layer.Layer<never, never, ClockStates | Limits | Transaction> = Layer.effectContext(make)
