/** A scheduler that knows whether any fiber is about to go on. */
import type * as Scheduler from "effect/Scheduler"

export interface Tracking {
  readonly scheduler: Scheduler.Scheduler
  /** Tasks that are scheduled and were not run yet. */
  readonly pending: () => number
}

/** Does what the parent does, and counts. */
export const track = (parent: Scheduler.Scheduler): Tracking => {
  let pending = 0
  const scheduler: Scheduler.Scheduler = {
    executionMode: parent.executionMode,
    shouldYield: (fiber) => parent.shouldYield(fiber),
    makeDispatcher: () => {
      const dispatcher = parent.makeDispatcher()
      return {
        scheduleTask: (task, priority) => {
          pending++
          dispatcher.scheduleTask(() => {
            pending--
            task()
          }, priority)
        },
        flush: () => dispatcher.flush()
      }
    }
  }
  return { scheduler, pending: () => pending }
}
