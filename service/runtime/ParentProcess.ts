/** The process that started this one. */
import * as Effect from "effect/Effect"
import { readFileSync } from "node:fs"
import { realSleep } from "./Time.ts"

/** ms; each poll costs a system call or two. */
const INTERVAL = 250

interface Status {
  readonly name: string
  readonly parent: number
}

/** The name and the parent of a process, where the system has files about it. */
const statusOf = (pid: number): Status | undefined => {
  try {
    // "7 (sh) S 6 ...": the name may have spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const end = stat.lastIndexOf(")")
    return { name: stat.slice(stat.indexOf("(") + 1, end), parent: Number(stat.slice(end + 2).split(" ")[1]) }
  } catch {
    return undefined
  }
}

/**
 * Completes once the process that started this one has ended: `npx` that got a signal, or the tests that a person has
 * stopped. Never completes for one that the system has started, or whose parent had ended before this.
 */
export const parentEnded: Effect.Effect<void> = Effect.gen(function*() {
  const parent = process.ppid
  const status = statusOf(parent)
  // npm starts a shell, which outlives npm, and waits for this process.
  const shell = status?.name === "sh" ? status : undefined
  const hasEnded = (): boolean =>
    process.ppid !== parent || (shell !== undefined && statusOf(parent)?.parent !== shell.parent)
  while (!hasEnded()) yield* realSleep(INTERVAL)
})
