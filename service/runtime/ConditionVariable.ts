/** Notifies waiting fibers of a change, without losing a notification between their check and their wait. */
import * as Effect from "effect/Effect"

export interface ConditionVariable {
  /** Read it before checking the state; pass it to `waitSince` if the state is not the expected one yet. */
  readonly version: Effect.Effect<number>
  readonly notifyAll: Effect.Effect<void>
  /** Ends at once if `notifyAll` was called since `version`, else with the next call. */
  readonly waitSince: (version: number) => Effect.Effect<void>
}

export const make = (): ConditionVariable => {
  let current = 0
  const waiting = new Set<() => void>()
  return {
    version: Effect.sync(() => current),
    notifyAll: Effect.sync(() => {
      current++
      const notified = [...waiting]
      waiting.clear()
      for (const resume of notified) resume()
    }),
    waitSince: (version) =>
      // Checks and waits in one step: a fiber may be suspended between any two effects.
      Effect.callback<void>((resume) => {
        const proceed = () => resume(Effect.void)
        if (current !== version) return proceed()
        waiting.add(proceed)
        return Effect.sync(() => void waiting.delete(proceed))
      })
  }
}
