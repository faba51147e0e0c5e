/** Something may have changed: wakes those who wait, and never loses a wake-up between their look and their wait. */
import * as Effect from "effect/Effect"

export interface Signal {
  /** Take it before looking at the state; hand it to `after` when the state is not yet as wished. */
  readonly mark: Effect.Effect<number>
  readonly raise: Effect.Effect<void>
  /** Ends at once when the signal was raised since the mark, else when it is raised next. */
  readonly after: (mark: number) => Effect.Effect<void>
}

export const make = (): Signal => {
  let raised = 0
  const waiting = new Set<() => void>()
  return {
    mark: Effect.sync(() => raised),
    raise: Effect.sync(() => {
      raised++
      const woken = [...waiting]
      waiting.clear()
      for (const wake of woken) wake()
    }),
    after: (mark) =>
      // Look and wait in one step: a fiber may be suspended between any two effects.
      Effect.callback<void>((resume) => {
        const wake = () => resume(Effect.void)
        if (raised !== mark) return wake()
        waiting.add(wake)
        return Effect.sync(() => void waiting.delete(wake))
      })
  }
}
