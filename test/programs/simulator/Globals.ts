/**
 * While a simulation runs, the scheduler does what the platform otherwise does: turns of the event loop, timers, the
 * monotonic clock. The run is synchronous, so no other code in this process observes the difference.
 */
import type { Task } from "./Timers.ts"
import type { VirtualScheduler } from "./VirtualScheduler.ts"

/** The parts of the platform that the service below HTTP uses past Effect; any other use is detected. */
const replacements = (scheduler: VirtualScheduler) => ({
  setImmediate: (run: () => void): Task => scheduler.soon(scheduler.current, run),
  clearImmediate: (task: Task | undefined): void => {
    if (task !== undefined) task.cancelled = true
  },
  setTimeout: (run: () => void, millis = 0): Task => scheduler.later(scheduler.current, millis, run),
  clearTimeout: (task: Task | undefined): void => {
    if (task !== undefined) task.cancelled = true
  }
})

/** Runs a synchronous function on virtual time, and restores the platform afterwards, even after a failure. */
export const within = <A>(scheduler: VirtualScheduler, run: () => A): A => {
  const platform = globalThis as unknown as Record<string, unknown>
  const parts: Record<string, unknown> = replacements(scheduler)
  const before = Object.keys(parts).map((name) => [name, platform[name]] as const)
  const { now: dateNow } = Date
  const { random: original } = Math
  const random = scheduler.random.fork()
  Object.assign(platform, parts)
  Object.defineProperty(performance, "now", { value: () => scheduler.now - scheduler.beginning, configurable: true })
  Object.assign(Date, { now: () => scheduler.now })
  Object.assign(Math, { random: () => random.next() })
  try {
    return run()
  } finally {
    for (const [name, value] of before) platform[name] = value
    Reflect.deleteProperty(performance, "now")
    Object.assign(Date, { now: dateNow })
    Object.assign(Math, { random: original })
  }
}
