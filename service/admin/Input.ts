/** Reads the input of operators' commands. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toMillis } from "../contract/Fields.ts"
import { fromAmount, type Minor } from "../domain/Money.ts"
import { validationItems } from "../http/decoding/ValidationErrors.ts"
import { rejectUsage } from "./CommandRejected.ts"

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
