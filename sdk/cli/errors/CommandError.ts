/** Errors that the command itself finds, without or before a request to the service. */
import * as Data from "effect/Data"

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
