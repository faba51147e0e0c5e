/** A scheduler that knows whether any fiber is about to go on. */
import type * as Scheduler from "effect/Scheduler"

export interface TrackedScheduler {
  readonly scheduler: Scheduler.Scheduler
  /** Tasks that are scheduled and were not run yet. */
  readonly pending: () => number
}

/** Does what the parent does, and counts. */
export const trackPending = (parent: Scheduler.Scheduler): TrackedScheduler => {
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
