/** Notifies waiting fibers of a change, without losing a notification between their check and their wait. */
import * as Effect from "effect/Effect"

export interface ConditionVariable {
  /** Read it before checking the state; pass it to `waitSince` if the state is not the expected one yet. */
  readonly version: Effect.Effect<number>
  readonly notifyAll: Effect.Effect<void>
  /** Ends at once if `notifyAll` was called since `version`, else with the next call. */
  readonly waitSince: (mark: number) => Effect.Effect<void>
}

export const make = (): ConditionVariable => {
  let raised = 0
  const waiting = new Set<() => void>()
  return {
    version: Effect.sync(() => raised),
    notifyAll: Effect.sync(() => {
      raised++
      const woken = [...waiting]
      waiting.clear()
      for (const wake of woken) wake()
    }),
    waitSince: (mark) =>
      // Look and wait in one step: a fiber may be suspended between any two effects.
      Effect.callback<void>((resume) => {
        const wake = () => resume(Effect.void)
        if (raised !== mark) return wake()
        waiting.add(wake)
        return Effect.sync(() => void waiting.delete(wake))
      })
  }
}
