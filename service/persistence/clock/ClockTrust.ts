/**
 * Keeps the time of the service, and says whether it can be trusted. A source that jumps against the monotonic clock is
 * not followed; the scheduled jobs stop until an operator confirms the time. All processes on a database stop together.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../config/Limits.ts"
import { type ClockState, type Doubt, jump, startAt } from "../../domain/ClockDoubt.ts"
import type { StorageUnavailable } from "../../domain/Errors.ts"
import { ClockStates } from "../ClockStates.ts"
import { Transaction } from "../Transaction.ts"
import { ServiceClock } from "./ServiceClock.ts"
import { TimeSource } from "./TimeSource.ts"

export interface Trust {
  /** Null while the time is trusted. */
  readonly doubt: () => Doubt | null
  /** The source's lead over the service's time at the last check, in milliseconds. */
  readonly sourceAhead: () => number
  /** Compares the time with its source and with the stored state; false if it is in doubt. */
  readonly check: Effect.Effect<boolean, StorageUnavailable>
}

/** Always trusted unless the storage provides another one: an emulator's clock moves on purpose. */
export class ClockTrust extends Context.Reference<Trust>("pulumi-vps/service/ClockTrust", {
  defaultValue: () => ALWAYS
}) {}

/** Trusts every time. */
export const ALWAYS: Trust = { doubt: () => null, sourceAhead: () => 0, check: Effect.succeed(true) }

const make = Effect.gen(function*() {
  const { CLOCK_GAP_MILLIS, CLOCK_JUMP_MILLIS, CLOCK_STORE_MILLIS } = yield* Limits
  const system = yield* Clock.Clock
  const { read: source, steady } = (yield* TimeSource)(system)
  const states = yield* ClockStates
  const { run } = yield* Transaction
  const clock = new ServiceClock(system, steady)

  const first = yield* Effect.orDie(source)
  const stored = yield* states.find
  const tolerance = { aheadMillis: CLOCK_GAP_MILLIS, behindMillis: CLOCK_JUMP_MILLIS }
  const started = startAt(stored, first.millis, tolerance)
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
