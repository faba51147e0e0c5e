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

/** npm, and the shells that it starts: they wait for this process, and outlive the one that started them. */
const WRAPPER = /^(?:sh|npm|npx|pnpm|yarn)\b/

/** This process and the wrappers above it, each with its parent, where the system has files about them. */
const wrappers = (): ReadonlyArray<{ readonly pid: number; readonly parent: number }> => {
  const links = [{ pid: process.pid, parent: process.ppid }]
  for (;;) {
    const { parent: pid } = links.at(-1)!
    const status = statusOf(pid)
    if (status === undefined || !WRAPPER.test(status.name)) return links
    links.push({ pid, parent: status.parent })
  }
}

/**
 * Completes once the process that started this one has ended: `npx` that got a signal, or the tests that started `npx`
 * and were stopped. Never completes for one that the system has started, or whose parent had ended before this.
 */
export const parentEnded: Effect.Effect<void> = Effect.gen(function*() {
  const [{ parent }, ...above] = wrappers() as [{ readonly parent: number }, ...ReturnType<typeof wrappers>]
  const hasEnded = (): boolean =>
    process.ppid !== parent || above.some((one) => statusOf(one.pid)?.parent !== one.parent)
  while (!hasEnded()) yield* realSleep(INTERVAL)
})
