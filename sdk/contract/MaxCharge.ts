/**
 * The `VPS-Max-Charge` header: the most that a create or a resize may charge, like `5.00 EUR`. An extension of this
 * service; another one ignores it.
 */
import * as Schema from "effect/Schema"
import { ErrorType } from "./Primitives.ts"

/** Twelve digits are far below the amounts at which floating-point numbers lose cents. */
const FORM = /^(?:0|[1-9]\d{0,11})(?:\.\d{1,2})? [A-Z]{3}$/
const message = "Input should be an amount with at most 2 decimals and a currency, like 5.00 EUR"

export const MaxChargeHeader = Schema.String.check(
  Schema.makeFilter<string>((value) => FORM.test(value), {
    message,
    expected: message,
    toJsonSchema: () => ({ pattern: FORM.source }),
    [ErrorType]: "value_error"
  })
).annotate({ description: "The most that may be charged. A higher charge is refused with 409, and nothing happens" })

/** In units of the currency. */
export interface MaxCharge {
  readonly amount: number
  /** ISO 4217 code. */
  readonly currency: string
}

/** Reads a valid header. */
export const parseMaxCharge = (header: string): MaxCharge => {
  const [amount, currency] = header.split(" ") as [string, string]
  return { amount: Number(amount), currency }
}
