/** What the command itself says no to, before or without asking the service. */
import * as Data from "effect/Data"
import { EXIT, type ExitCode } from "./ExitCode.ts"

export class Refusal extends Data.TaggedError("Refusal")<{
  /** What is wrong. */
  readonly message: string
  /** What to do about it. */
  readonly hint?: string | undefined
  readonly exit: ExitCode
}> {}

/** Wrong usage that the command line alone does not show. */
export const misused = (message: string, hint?: string): Refusal => new Refusal({ message, hint, exit: EXIT.usage })

/** What was named is not there. */
export const absent = (message: string, hint?: string): Refusal => new Refusal({ message, hint, exit: EXIT.notFound })
