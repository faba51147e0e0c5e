/** Reads the input of operators' commands, and rejects it. */
import * as Schema from "effect/Schema"
import * as Effect from "effect/Effect"
import { toMillis } from "../contract/Fields.ts"
import { fromAmount, type Minor } from "../domain/Money.ts"
import { validationItems } from "../http/decoding/ValidationErrors.ts"

/** The command was not executed. `message` says why, and how to fix it. */
export class CommandRejected extends Schema.TaggedError<CommandRejected>()("CommandRejected", {
  message: Schema.String,
  /** True if the input is malformed in any state of the service: the command line exits with another code then. */
  isUsage: Schema.Boolean
}) {}

export const reject = (message: string) => new CommandRejected({ message, isUsage: false })

export const rejectUsage = (message: string) => new CommandRejected({ message, isUsage: true })

/** An unknown id, for a thing that has a command `<thing>s list`. */
export const notFound = (
  thing: "account" | "announcement" | "instance" | "key" | "mail" | "note" | "plan" | "task",
  id: number
) => reject(`${thing[0]!.toUpperCase()}${thing.slice(1)} ${id} not found. Run "${thing}s list" to see all ${thing}s.`)

/** A valid timestamp in epoch milliseconds; null stays null. */
export const millisOf = (written: string | null | undefined): number | null =>
  written === null || written === undefined ? null : toMillis(written)

/** Valid decimals as minor units or basis points: both are hundredths. */
export const hundredths = (amount: number): Minor => fromAmount(amount)!

const BODY = "body"

/** Decodes a value, and rejects it with all of its errors, each with the name of its field. */
export const decode = <S extends Schema.Codec<unknown, unknown>>(schema: S, value: unknown) =>
  Schema.decodeUnknownEffect(schema, { errors: "all", onExcessProperty: "error" })(value).pipe(
    Effect.mapError(({ issue }) => {
      const lines = validationItems(BODY, issue).map(({ loc, msg }) => [loc.slice(1).join("."), msg])
      return rejectUsage(lines.map(([field, msg]) => field === "" ? msg : `${field}: ${msg}`).join("\n"))
    })
  )
