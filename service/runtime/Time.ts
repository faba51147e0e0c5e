/**
 * Real time. In an emulator Effect's `Clock` may run ahead, jump or be frozen; waits that must end anyway (for a lock,
 * of a caller) use real time.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

/** The system's clock when `Clock` is an emulated one; undefined when they are the same. */
export const RealClock = Context.Reference<Clock.Clock | undefined>("@pulumi-vps/service/RealClock", {
  defaultValue: () => undefined
})

/** Waits in real time, in milliseconds. */
export const realSleep = (millis: number): Effect.Effect<void> =>
  Effect.flatMap(RealClock, (real) => {
    const sleep = Effect.sleep(millis)
    return real === undefined ? sleep : Effect.provideService(sleep, Clock.Clock, real)
  })

/** Times out after some milliseconds of real time. */
export const realTimeout = <A, E, R, B, E2, R2>(
  effect: Effect.Effect<A, E, R>,
  millis: number,
  orElse: Effect.Effect<B, E2, R2>
): Effect.Effect<A | B, E | E2, R | R2> => Effect.raceFirst(effect, Effect.andThen(realSleep(millis), orElse))

/** True in an emulator with a frozen clock. */
export const IsClockFrozen = Context.Reference<() => boolean>("@pulumi-vps/service/IsClockFrozen", {
  defaultValue: () => () => false
})

/** True when a caller waits for this work, so that a frozen clock cannot be advanced for it. */
export const IsCallerWaiting = Context.Reference<boolean>("@pulumi-vps/service/IsCallerWaiting", {
  defaultValue: () => false
})
