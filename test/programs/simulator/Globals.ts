/**
 * While a simulation runs, what the platform does by itself is done by the world: turns of the event loop, timers, the
 * monotonic clock. The run is synchronous, so nobody else in this process ever sees the difference.
 */
import type { Task, World } from "./World.ts"

/** The parts of the platform that the service below HTTP uses past Effect; whatever else it used would be caught. */
const replacements = (world: World) => ({
  setImmediate: (run: () => void): Task => world.soon(world.current, run),
  clearImmediate: (task: Task | undefined): void => {
    if (task !== undefined) task.cancelled = true
  },
  setTimeout: (run: () => void, millis = 0): Task => world.later(world.current, millis, run),
  clearTimeout: (task: Task | undefined): void => {
    if (task !== undefined) task.cancelled = true
  }
})

/** Runs something synchronous on the world's time; afterwards the platform is as it was, whatever happened. */
export const within = <A>(world: World, run: () => A): A => {
  const platform = globalThis as unknown as Record<string, unknown>
  const parts: Record<string, unknown> = replacements(world)
  const before = Object.keys(parts).map((name) => [name, platform[name]] as const)
  const { now: dateNow } = Date
  const { random } = Math
  const dice = world.dice.fork()
  Object.assign(platform, parts)
  Object.defineProperty(performance, "now", { value: () => world.now - world.beginning, configurable: true })
  Object.assign(Date, { now: () => world.now })
  Object.assign(Math, { random: () => dice.next() })
  try {
    return run()
  } finally {
    for (const [name, value] of before) platform[name] = value
    Reflect.deleteProperty(performance, "now")
    Object.assign(Date, { now: dateNow })
    Object.assign(Math, { random })
  }
}
