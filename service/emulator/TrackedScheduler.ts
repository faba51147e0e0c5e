/** A scheduler that counts the tasks that have not run yet. */
import type * as Scheduler from "effect/Scheduler"

export interface TrackedScheduler {
  readonly scheduler: Scheduler.Scheduler
  /** The number of scheduled tasks that have not run yet. */
  readonly pending: () => number
}

/** Delegates to the parent, and counts. */
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
