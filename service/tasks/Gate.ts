/** Lets work in and counts it, so that one can wait until none is left and hold back what comes meanwhile. */
import * as Effect from "effect/Effect"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"

export interface Gate {
  /** Waits while the gate is closed. Who entered must leave. */
  readonly enter: Effect.Effect<void>
  readonly leave: Effect.Effect<void>
  readonly open: Effect.Effect<void>
  readonly close: Effect.Effect<void>
  /** Ends when nobody is inside. */
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
  /** Looks and enters in one step; another caller may have closed it while this one waited. */
  const enter: Effect.Effect<void> = Effect.flatMap(changed.version, (mark) =>
    Effect.suspend(() => {
      if (closed) return Effect.andThen(changed.waitSince(mark), enter)
      inside++
      return Effect.void
    }))
  const empty: Effect.Effect<void> = Effect.flatMap(
    changed.version,
    (mark) => Effect.suspend(() => inside === 0 ? Effect.void : Effect.andThen(changed.waitSince(mark), empty))
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
