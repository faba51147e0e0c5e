/** The process that started this one. */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { realSleep } from "./Time.ts"

/** ms; a look costs a system call or two. */
const INTERVAL = 250

/** The parent of a process, where the system has files about it. */
const parentOf = (pid: number): number | undefined => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    // The name of the program, in parentheses, may have spaces.
    return Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1])
  } catch {
    return undefined
  }
}

/**
 * Ends when the process that started this one has ended: `npx` that got a signal, or the tests that a person has
 * stopped. Never ends for one that the system has started, or that was left alone before this.
 */
export const parentEnded: Effect.Effect<void> = Effect.gen(function*() {
  const parent = process.ppid
  // npm starts a shell, which outlives npm, and waits for this process.
  const isNpm = process.env["npm_command"] !== undefined
  const before = isNpm ? parentOf(parent) : undefined
  while (process.ppid === parent && (before === undefined || parentOf(parent) === before)) yield* realSleep(INTERVAL)
})
