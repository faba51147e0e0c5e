/**
 * The emulator's clock, which everything below HTTP uses and the controls move. A move resumes the sleeping fibers in
 * the order in which they are due, and waits after each until all work that follows from it is done.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Semaphore from "effect/Semaphore"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { EmulatorSettings } from "../persistence/EmulatorSettings.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { IsClockFrozen, RealClock } from "../runtime/Time.ts"
import { trackPending, VirtualClock } from "./VirtualClock.ts"

export interface Reading {
  /** Epoch milliseconds. */
  readonly now: number
  readonly frozen: boolean
}

export class EmulatedClock extends Context.Service<EmulatedClock, {
  readonly read: Effect.Effect<Reading>
  readonly freeze: (frozen: boolean) => Effect.Effect<void, StorageUnavailable>
  /** Moves the clock forward; returns when everything that became due is done. */
  readonly advance: (millis: number) => Effect.Effect<void, StorageUnavailable>
  /** Runs an effect at another time, running or frozen; the previous time returns when it fails. */
  readonly at: <A, E, R>(reading: Reading, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The initial reading: by default the system's time, running. */
  readonly initial: (reading: Partial<Reading>) => Effect.Effect<Reading>
  /** Stores the current reading; part of a transaction. */
  readonly store: Effect.Effect<void>
}>()("@pulumi-vps/service/EmulatedClock") {}

/** Waits until no fiber is scheduled and no transaction is open: all wait for the clock or a call. */
const waitUntilIdle = (isIdle: () => boolean): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    // The check phase comes after everything that was scheduled in this turn.
    let turn = setImmediate(function poll() {
      if (isIdle()) return resume(Effect.void)
      turn = setImmediate(poll)
    })
    return Effect.sync(() => clearImmediate(turn))
  })

/** Resumes the fibers that are due until a time, one by one. */
const walk = Effect.fnUntraced(function*(clock: VirtualClock, target: number, untilIdle: Effect.Effect<void>) {
  yield* untilIdle
  while (clock.next !== undefined && clock.next <= target) {
    clock.moveTo(Math.max(clock.next, clock.currentTimeMillisUnsafe()))
    yield* untilIdle
  }
  clock.moveTo(target)
  yield* untilIdle
})

/** Reads and sets the clock, whether it runs or is frozen. */
const makeDial = (clock: VirtualClock, settings: EmulatorSettings["Service"]) => {
  let frozen = false
  const read = Effect.sync((): Reading => ({ now: clock.currentTimeMillisUnsafe(), frozen }))
  const show = (reading: Reading) =>
    Effect.sync(() => {
      frozen = reading.frozen
      clock.stop()
      clock.set(reading.now)
      if (!frozen) clock.run()
    })
  return {
    isFrozen: () => frozen,
    read,
    show,
    at: <A, E, R>(reading: Reading, effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(read, (before) => show(reading).pipe(Effect.andThen(effect), Effect.onError(() => show(before)))),
    store: Effect.suspend(() =>
      settings.setClock({ ahead: clock.ahead, frozenAt: frozen ? clock.currentTimeMillisUnsafe() : null })
    )
  }
}

const make = Effect.gen(function*() {
  const real = yield* Clock.Clock
  const settings = yield* EmulatorSettings
  const transaction = yield* Transaction
  const clock = new VirtualClock(real)
  const { at, isFrozen, read, show, store } = makeDial(clock, settings)
  const tracking = trackPending(yield* Scheduler.Scheduler)
  const untilIdle = waitUntilIdle(() => tracking.pending() === 0 && transaction.pending() === 0)
  const moves = yield* Semaphore.make(1)
  // An interrupted move would leave the clock stopped without being frozen.
  const whole = <A, E>(move: Effect.Effect<A, E>) => Effect.uninterruptible(moves.withPermit(move))

  const stored = yield* settings.clock
  if (stored !== undefined) {
    const now = stored.frozenAt ?? real.currentTimeMillisUnsafe() + stored.ahead
    yield* show({ now, frozen: stored.frozenAt !== null })
  }
  const freeze = (frozen: boolean) =>
    whole(Effect.flatMap(read, ({ now }) => at({ now, frozen }, Effect.asVoid(transaction.run(store)))))
  const advance = (millis: number) =>
    whole(Effect.gen(function*() {
      clock.stop()
      yield* walk(clock, clock.currentTimeMillisUnsafe() + millis, untilIdle)
      if (!isFrozen()) clock.run()
      yield* transaction.run(store)
    }))
  const initial = ({ frozen = false, now }: Partial<Reading>) =>
    Effect.sync(() => ({ now: now ?? real.currentTimeMillisUnsafe(), frozen }))
  return Context.make(EmulatedClock, { read, freeze, advance, at, initial, store }).pipe(
    Context.add(Clock.Clock, clock),
    Context.add(RealClock, real),
    Context.add(Scheduler.Scheduler, tracking.scheduler),
    Context.add(IsClockFrozen, isFrozen)
  )
})

/** The clock, and the references that depend on it. It continues from the time at which the service stopped. */
export const layer = Layer.effectContext(make)
