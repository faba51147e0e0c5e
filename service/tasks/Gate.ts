/** Admits and counts work, so that it can be drained while new work is held back. */
import * as Effect from "effect/Effect"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"

export interface Gate {
  /** Waits while the gate is closed. Each entry needs a `leave`. */
  readonly enter: Effect.Effect<void>
  readonly leave: Effect.Effect<void>
  readonly open: Effect.Effect<void>
  readonly close: Effect.Effect<void>
  /** Completes when all admitted work has left. */
  readonly empty: Effect.Effect<void>
}

export const make = (): Gate => {
  const changed = ConditionVariable.make()
  let inside = 0
  let closed = false
  const leave = Effect.suspend(() => {
    inside--
    return changed.notifyAll
  })
  /** Checks and enters in one step: the gate may have been closed again while this caller waited. */
  const enter: Effect.Effect<void> = Effect.flatMap(changed.version, (version) =>
    Effect.suspend(() => {
      if (closed) return Effect.andThen(changed.waitSince(version), enter)
      inside++
      return Effect.void
    }))
  const empty: Effect.Effect<void> = Effect.flatMap(
    changed.version,
    (version) => Effect.suspend(() => inside === 0 ? Effect.void : Effect.andThen(changed.waitSince(version), empty))
  )
  const open = Effect.suspend(() => {
    closed = false
    return changed.notifyAll
  })
  const close = Effect.sync(() => {
    closed = true
  })
  return { enter, leave, empty, open, close }
}
