/** The error of the emulator and its controls. */
import type { ValidationIssue } from "@pulumi-vps/sdk"

/** A control was rejected, or the emulator could not start. Use `instanceof`, or `_tag` for Effect's `catchTag`. */
export class EmulatorError extends Error {
  static {
    this.prototype.name = "EmulatorError"
  }
  readonly _tag = "EmulatorError"
  /** HTTP status of the control: 404, 422, ...; undefined when no control responded. */
  readonly status: number | undefined
  /** The validation errors per field; empty unless the status is 422. */
  readonly issues: ReadonlyArray<ValidationIssue>

  constructor(message: string, status?: number, issues: ReadonlyArray<ValidationIssue> = []) {
    super(message)
    this.status = status
    this.issues = issues
  }
}
