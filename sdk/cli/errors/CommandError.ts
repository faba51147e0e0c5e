/** Errors that the command itself finds, without or before a request to the service. */
import * as Data from "effect/Data"
import { SUGGESTIONS } from "../Limits.ts"

/** The exit codes of the command. `vps --help` prints them. */
export const EXIT = {
  success: 0,
  failed: 1,
  usage: 2,
  notFound: 3,
  auth: 4,
  insufficientFunds: 5,
  timeout: 124,
  interrupted: 130
} as const
export type ExitCode = typeof EXIT[keyof typeof EXIT]

/** Each code with its meaning, for the help text. */
export const EXIT_CODES: ReadonlyArray<readonly [ExitCode, string]> = [
  [EXIT.success, "Success"],
  [EXIT.failed, "The request failed, or the service could not be reached"],
  [EXIT.usage, "Wrong usage, or not confirmed; nothing was changed"],
  [EXIT.notFound, "The instance, plan, snapshot, ... was not found"],
  [EXIT.auth, "Not logged in, or the API key is invalid or lacks a scope"],
  [EXIT.insufficientFunds, "Insufficient funds; nothing was charged"],
  [EXIT.timeout, "A wait exceeded its --timeout"],
  [EXIT.interrupted, "Interrupted (Ctrl-C)"]
]

// Suggests similar names when a name is not found.

/** The Levenshtein distance. */
const distance = (from: string, to: string): number => {
  let row = Array.from({ length: to.length + 1 }, (_, at) => at)
  for (let i = 1; i <= from.length; i++) {
    const next = [i]
    for (let j = 1; j <= to.length; j++) {
      const replaced = row[j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1))
    }
    row = next
  }
  return row[to.length]!
}

/** Without case and punctuation: `Debian13` is `debian-13`. */
const plain = (name: string): string => name.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, "")

/**
 * The closest names first: names that share a prefix, or differ in less than half of their letters. One that differs
 * only in case or punctuation is the only one.
 */
export const closest = (typed: string, names: ReadonlyArray<string>): ReadonlyArray<string> => {
  const same = names.filter((name) => plain(typed) !== "" && plain(name) === plain(typed))
  if (same.length > 0) return same
  const wanted = typed.toLowerCase()
  return names
    .map((name) => {
      const lower = name.toLowerCase()
      const begins = wanted !== "" && (lower.startsWith(wanted) || wanted.startsWith(lower))
      return { name, far: begins ? 0 : distance(wanted, lower) }
    })
    .filter(({ far, name }) => far < Math.max(wanted.length, name.length) / 2)
    .toSorted((a, b) => a.far - b.far || a.name.localeCompare(b.name))
    .slice(0, SUGGESTIONS)
    .map(({ name }) => name)
}

/** `Did you mean vps-s or vps-m?`, or all names when none is similar. */
export const didYouMean = (typed: string, names: ReadonlyArray<string>): string => {
  const close = closest(typed, names)
  if (close.length === 0) return names.length === 0 ? "None exist." : `Available: ${names.join(", ")}.`
  const last = close.at(-1)!
  return `Did you mean ${close.length === 1 ? last : `${close.slice(0, -1).join(", ")} or ${last}`}?`
}

export class CommandError extends Data.TaggedError("CommandError")<{
  /** Describes the problem. */
  readonly message: string
  /** Says how to solve it. */
  readonly hint?: string | undefined
  readonly exit: ExitCode
}> {}

/** Wrong usage that the parser of the command line cannot detect. */
export const usageError = (message: string, hint?: string): CommandError =>
  new CommandError({ message, hint, exit: EXIT.usage })

/** A name or ID that does not exist. */
export const notFoundError = (message: string, hint?: string): CommandError =>
  new CommandError({ message, hint, exit: EXIT.notFound })
