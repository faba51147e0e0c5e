/** Errors that the command itself finds, without or before a request to the service. */
import * as Data from "effect/Data"
import { EXIT, type ExitCode } from "./ExitCode.ts"

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
