/** A use case of a person that is rejected. `message` says what is wrong, then what to do. */
import * as Schema from "effect/Schema"

/** `missing`: there is no such thing. `conflict`: its state does not allow it. `invalid`: the input is wrong. */
const REASONS = ["missing", "conflict", "invalid", "forbidden"] as const

export class Rejected extends Schema.TaggedError<Rejected>()("Rejected", {
  reason: Schema.Literals(REASONS),
  message: Schema.String
}) {}

export const reject = (reason: Rejected["reason"], message: string) => new Rejected({ reason, message })

export const missing = (thing: string) => reject("missing", `${thing} not found.`)
