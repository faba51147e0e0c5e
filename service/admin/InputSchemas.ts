/** Schemas for the input of operator commands, with the bounds of each value. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { name } from "#contract/Primitives"
import { CURRENCIES } from "../domain/Currency.ts"
import { fromAmount, type Minor } from "../domain/Money.ts"
import { between, rule } from "./Bounds.ts"
import { rejectUsage } from "./CommandRejected.ts"
import { validationItems } from "../http/decoding/ValidationErrors.ts"

export { between, rule }

const CENTS = rule<number>(
  "decimal_max_places",
  "Decimal input should have no more than 2 decimal places",
  (value) => fromAmount(value) !== undefined
)

/** Largest amount, in units of the currency: far below the point where floating-point numbers lose cents. */
const AMOUNT_MAX = 1_000_000_000

/** An amount in units of a currency, at least zero. */
export const Price = Schema.Finite.check(...between(0, AMOUNT_MAX), CENTS)

const POSITIVE = rule<number>("greater_than", "Input should be greater than 0", (value) => value > 0)

/** An amount above zero. */
export const Money = Price.check(POSITIVE)

/** A percentage with at most two decimals. */
export const Percent = Schema.Finite.check(...between(0, 100), CENTS)

/** A percentage above zero. */
export const PositivePercent = Percent.check(POSITIVE)

export const Currency = Schema.String.check(
  rule<string>(
    "enum",
    `Input should be a currency with two decimals: ${CURRENCIES.join(", ")}`,
    (code) => CURRENCIES.includes(code)
  )
)

/** Longest e-mail address, RFC 5321 §4.5.3.1.3. */
export const EMAIL_MAX = 254

export const Email = name(3, EMAIL_MAX).check(
  rule<string>(
    "value_error",
    "Input should be an e-mail address, like owner@example.com",
    (address) => /^[^\s@]+@[^\s@]+$/.test(address)
  )
)

export const Id = Schema.Int.check(...between(1, Number.MAX_SAFE_INTEGER))

/** Most rows in one result: larger tables are unreadable, and rendering them blocks the service. */
const ROWS_MAX = 1_000

export const Rows = Schema.Int.check(...between(1, ROWS_MAX))

/** Longest name or reason, in characters. */
const NAME_MAX = 255

export const Name = name(1, NAME_MAX)

/** The input of commands that take an id only. Like all schemas of commands, it is created on first use. */
export const ById = () => Schema.Struct({ id: Id })

export const Empty = () => Schema.Struct({})

/** The type of a command's input. */
export type Input<S extends () => Schema.Top> = ReturnType<S>["Type"]

const TIMESTAMP_FORM = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Epoch milliseconds of a date (midnight UTC) or of a timestamp with its offset; NaN for any other text. */
const toMillis = (written: string): number => TIMESTAMP_FORM.test(written) ? Date.parse(written) : Number.NaN

export const Timestamp = Schema.String.check(
  rule<string>(
    "value_error",
    "Input should be a date or timestamp, like 2027-01-31 or 2027-01-31T12:00:00Z",
    (written) => !Number.isNaN(toMillis(written))
  )
)

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
