/** What checking the inputs of a resource finds. */
import type { Properties } from "./Properties.ts"

export interface CheckFailure {
  /** Empty for a problem of the whole resource, and for secrets: the engine prints the property's value beside it. */
  readonly property: string
  readonly reason: string
}

export interface Checked {
  readonly inputs: Properties
  readonly failures: ReadonlyArray<CheckFailure>
}
