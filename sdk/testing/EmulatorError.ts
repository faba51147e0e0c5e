/** What the emulator refuses. */
import type { ValidationIssue } from "../client/errors/ApiErrors.ts"

/**
 * A control was not carried out, or the emulator could not start. `instanceof` works, and `_tag` for Effect's
 * `catchTag`.
 */
export class EmulatorError extends Error {
  static {
    this.prototype.name = "EmulatorError"
  }
  readonly _tag = "EmulatorError"
  /** What the control answered: 404, 422, ...; undefined when there was no control to answer. */
  readonly status: number | undefined
  /** What is wrong with each field; empty unless the status is 422. */
  readonly issues: ReadonlyArray<ValidationIssue>

  constructor(message: string, status?: number, issues: ReadonlyArray<ValidationIssue> = []) {
    super(message)
    this.status = status
    this.issues = issues
  }
}
