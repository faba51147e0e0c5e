/** The building blocks of the panel's and the operators' schemas: each with its bounds and the text of its error. */
import * as Schema from "effect/Schema"
import { Amount as PlainAmount, ErrorType, name, queryWord } from "@pulumi-vps/contract/Primitives"
import { CURRENCIES } from "./Words.ts"

/** A check with the type and message of its validation error. */
export const rule = <A>(type: string, message: string, holds: (value: A) => boolean) =>
  Schema.makeFilter<A>(holds, { message, expected: message, [ErrorType]: type })

/** The checks of a number within bounds. */
export const between = (min: number, max: number) =>
  [
    rule<number>("greater_than_equal", `Input should be greater than or equal to ${min}`, (value) => value >= min),
    rule<number>("less_than_equal", `Input should be less than or equal to ${max}`, (value) => value <= max)
  ] as const

/** A text in a form that a regular expression describes. */
export const pattern = (form: string, expression: RegExp) =>
  Schema.String.check(
    rule<string>("string_pattern_mismatch", `Input should ${form}`, (text) => expression.test(text))
  )

/** The annotation with the words of a field, for command lines that complete them. */
export const WORDS = "vps:words"

/** One of a few words. */
export const word = <const Words extends ReadonlyArray<string>>(words: Words) =>
  queryWord(words).annotate({ [WORDS]: words }) as Schema.Codec<Words[number], string>

/** Hundredths in one unit of a currency, and basis points in a percent. */
const UNIT = 100

const isHundredths = (value: number): boolean => {
  const hundredths = Math.round(value * UNIT)
  return Number.isSafeInteger(hundredths) && hundredths / UNIT === value
}

const CENTS = rule<number>(
  "decimal_max_places",
  "Decimal input should have no more than 2 decimal places",
  isHundredths
)

/** Largest amount, in units of the currency: far below the point where floating-point numbers lose cents. */
const AMOUNT_MAX = 1_000_000_000

/** An amount in units of a currency, at least zero. */
export const Price = Schema.Finite.check(...between(0, AMOUNT_MAX), CENTS)

const POSITIVE = rule<number>("greater_than", "Input should be greater than 0", (value) => value > 0)

/** An amount above zero. */
export const Money = Price.check(POSITIVE)

/** The annotation of amounts in results, which tables show with their cents. */
export const AMOUNT = "vps:amount"

/** An amount in a result, in units of the currency. */
export const Amount = PlainAmount.annotate({ [AMOUNT]: true })
export const NullableAmount = Schema.NullOr(Amount)

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

export const isEmail = (address: string): boolean => /^[^\s@]+@[^\s@]+$/.test(address)

export const Email = name(3, EMAIL_MAX).check(
  rule<string>("value_error", "Input should be an e-mail address, like owner@example.com", isEmail)
)

export const Id = Schema.Int.check(...between(1, Number.MAX_SAFE_INTEGER))

/** Most rows in one result: larger tables are unreadable, and rendering them blocks the service. */
const ROWS_MAX = 1_000

export const Rows = Schema.Int.check(...between(1, ROWS_MAX))

/** Longest name or reason, in characters. */
const NAME_MAX = 255

export const Name = name(1, NAME_MAX)

/** Longest name of an account, in characters. */
const ACCOUNT_NAME_MAX = 64

/** An empty one takes the name away: then the e-mail address is shown. */
export const AccountName = name(0, ACCOUNT_NAME_MAX)

const TIMESTAMP_FORM = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d))?$/

/** Epoch milliseconds of a date (midnight UTC) or of a timestamp with its offset; NaN for any other text. */
export const toMillis = (written: string): number => TIMESTAMP_FORM.test(written) ? Date.parse(written) : Number.NaN

export const Time = Schema.String.check(
  rule<string>(
    "value_error",
    "Input should be a date or timestamp, like 2027-01-31 or 2027-01-31T12:00:00Z",
    (written) => !Number.isNaN(toMillis(written))
  )
)

/** The part of a resource that is in use. */
export const Use = Schema.Struct({ used: Schema.Finite, total: Schema.Finite })
export interface Use extends Schema.Schema.Type<typeof Use> {}
