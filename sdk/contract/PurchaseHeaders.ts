/**
 * The headers of purchases. `Idempotency-Key`: one key per logical create. `VPS-Max-Charge`: the most that a create or
 * a resize may charge, like `5.00 EUR`; an extension of this service, which another one ignores.
 */
import * as Schema from "effect/Schema"
import { ErrorType } from "./Primitives.ts"

/** A header of this form. */
const header = (form: RegExp, message: string, description: string) =>
  Schema.String.check(
    Schema.makeFilter<string>((value) => form.test(value), {
      message,
      expected: message,
      toJsonSchema: () => ({ pattern: form.source }),
      [ErrorType]: "value_error"
    })
  ).annotate({ description })

/** Longest key, in characters: long enough for a URN, short enough for an index. */
export const IDEMPOTENCY_KEY_MAX = 255

const CHARACTERS = `[\\x21-\\x7e]{1,${IDEMPOTENCY_KEY_MAX}}`

/** The header's value with its quotes; `unquote` removes them. Two headers arrive joined by a space and are invalid. */
export const IdempotencyKeyHeader = header(
  // With or without quotes; an empty pair of quotes is not a key.
  new RegExp(`^(?!""$)(?:${CHARACTERS}|"${CHARACTERS}")$`),
  `Input should be 1 to ${IDEMPOTENCY_KEY_MAX} visible ASCII characters, sent once`,
  "Unique key per logical create, 1 to 255 visible ASCII characters"
)

/** The key without its quotes. */
export const unquote = (value: string): string =>
  value.length > 2 && value.startsWith("\"") && value.endsWith("\"") ? value.slice(1, -1) : value

export const MaxChargeHeader = header(
  // Twelve digits are far below the amounts at which floating-point numbers lose cents.
  /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})? [A-Z]{3}$/,
  "Input should be an amount with at most 2 decimals and a currency, like 5.00 EUR",
  "The most that may be charged. A higher charge is refused with 409, and nothing happens"
)

/** In units of the currency. */
export interface MaxCharge {
  readonly amount: number
  /** ISO 4217 code. */
  readonly currency: string
}

/** Reads a valid header. */
export const parseMaxCharge = (value: string): MaxCharge => {
  const [amount, currency] = value.split(" ") as [string, string]
  return { amount: Number(amount), currency }
}
