/**
 * The emulator's time: everything below HTTP lives on a clock that the controls move. A move wakes whoever is due in
 * due order, and waits each time until all that follows from it is done.
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
import { VirtualClock } from "./VirtualClock.ts"
import { trackPending } from "./TrackedScheduler.ts"

export interface Reading {
  /** Epoch milliseconds. */
  readonly now: number
  readonly frozen: boolean
}

export class EmulatedClock extends Context.Service<EmulatedClock, {
  readonly read: Effect.Effect<Reading>
  readonly freeze: (frozen: boolean) => Effect.Effect<void, StorageUnavailable>
  /** Moves it forward and does what falls due meanwhile; ends when all of that is done. */
  readonly advance: (millis: number) => Effect.Effect<void, StorageUnavailable>
  /** Runs an effect at another time, running or frozen; the old one comes back when it fails. */
  readonly at: <A, E, R>(reading: Reading, effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The machine's own time, running, unless something else is wanted. */
  readonly beginning: (wanted: Partial<Reading>) => Effect.Effect<Reading>
  /** Stores how it stands now; part of a transaction. */
  readonly store: Effect.Effect<void>
}>()("pulumi-vps/service/EmulatedClock") {}

/** Ends when no fiber is about to go on and no transaction is under way: everybody waits for the clock or a call. */
const quiet = (isQuiet: () => boolean): Effect.Effect<void> =>
  Effect.callback<void>((resume) => {
    // The check phase comes after all that was scheduled in this turn.
    let turn = setImmediate(function look() {
      if (isQuiet()) return resume(Effect.void)
      turn = setImmediate(look)
    })
    return Effect.sync(() => clearImmediate(turn))
  })

/** Wakes whoever is due until a moment, one by one. */
const walk = Effect.fnUntraced(function*(line: VirtualClock, target: number, settle: Effect.Effect<void>) {
  yield* settle
  while (line.next !== undefined && line.next <= target) {
    line.moveTo(Math.max(line.next, line.currentTimeMillisUnsafe()))
    yield* settle
  }
  line.moveTo(target)
  yield* settle
})

/** What a frozen clock and one that runs have in common: it shows a moment, and can show another. */
const makeDial = (line: VirtualClock, settings: EmulatorSettings["Service"]) => {
  let frozen = false
  const read = Effect.sync((): Reading => ({ now: line.currentTimeMillisUnsafe(), frozen }))
  const show = (reading: Reading) =>
    Effect.sync(() => {
      frozen = reading.frozen
      line.stand()
      line.set(reading.now)
      if (!frozen) line.run()
    })
  return {
    isFrozen: () => frozen,
    read,
    show,
    at: <A, E, R>(reading: Reading, effect: Effect.Effect<A, E, R>) =>
      Effect.flatMap(read, (before) => show(reading).pipe(Effect.andThen(effect), Effect.onError(() => show(before)))),
    store: Effect.suspend(() =>
      settings.setClock({ ahead: line.ahead, frozenAt: frozen ? line.currentTimeMillisUnsafe() : null })
    )
  }
}

const make = Effect.gen(function*() {
  const real = yield* Clock.Clock
  const settings = yield* EmulatorSettings
  const transaction = yield* Transaction
  const line = new VirtualClock(real)
  const { at, isFrozen, read, show, store } = makeDial(line, settings)
  const tracking = trackPending(yield* Scheduler.Scheduler)
  const settle = quiet(() => tracking.pending() === 0 && transaction.pending() === 0)
  const moves = yield* Semaphore.make(1)
  // Half a move would leave a clock that stands although nobody froze it.
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
      line.stand()
      yield* walk(line, line.currentTimeMillisUnsafe() + millis, settle)
      if (!isFrozen()) line.run()
      yield* transaction.run(store)
    }))
  const beginning = ({ frozen = false, now }: Partial<Reading>) =>
    Effect.sync(() => ({ now: now ?? real.currentTimeMillisUnsafe(), frozen }))
  return Context.make(EmulatedClock, { read, freeze, advance, at, beginning, store }).pipe(
    Context.add(Clock.Clock, line),
    Context.add(RealClock, real),
    Context.add(Scheduler.Scheduler, tracking.scheduler),
    Context.add(IsClockFrozen, isFrozen)
  )
})

/** The clock, and the references that depend on it. It continues from the time at which the service stopped. */
export const layer = Layer.effectContext(make)
