/**
 * Time besides Effect's `Clock`, which in an emulator may run ahead, jump or stand still. What must go on all the same
 * (waiting for a lock, giving up on a caller) is measured in real time.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The machine's own clock where `Clock` is an emulated one; undefined where they are the same. */
export const RealClock = Context.Reference<Clock.Clock | undefined>("pulumi-vps/service/RealClock", {
  defaultValue: () => undefined
})

/** Waits in real time, in milliseconds. */
const realSleep = (millis: number): Effect.Effect<void> =>
  Effect.flatMap(RealClock, (real) => {
    const sleep = Effect.sleep(millis)
    return real === undefined ? sleep : Effect.provideService(sleep, Clock.Clock, real)
  })

/** Gives up after some milliseconds of real time. */
export const realTimeout = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  millis: number,
  orElse: Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E | E2, R | R2> => Effect.raceFirst(effect, Effect.andThen(realSleep(millis), orElse))

/** Whether time stands still: in an emulator with a frozen clock, and nowhere else. */
export const IsClockFrozen = Context.Reference<() => boolean>("pulumi-vps/service/IsClockFrozen", {
  defaultValue: () => () => false
})

/** Whether a caller waits for this work: nobody could move a frozen clock for it. */
export const IsCallerWaiting = Context.Reference<boolean>("pulumi-vps/service/IsCallerWaiting", {
  defaultValue: () => false
})
