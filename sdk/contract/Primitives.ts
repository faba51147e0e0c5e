/** The building blocks of records and bodies: each bound with the message of its validation error. */
import * as Schema from "effect/Schema"
import type * as SchemaAST from "effect/SchemaAST"
import * as SchemaTransformation from "effect/SchemaTransformation"

// Texts that come from a set of words to which other services, and later versions, may add.

/** Editors complete these words; the compiler accepts any text. */
export type OpenSet<Words extends string> = Words | (string & {})

/** The annotation with the words, for what generates types from the contract. */
export const SetWords = "vps:setWords"

export const openSet = <const Words extends ReadonlyArray<string>>(
  words: Words,
  description: string,
  example?: Words[number]
) =>
  Schema.String.annotate({
    description,
    [SetWords]: words,
    ...(example === undefined ? {} : { examples: [example] })
  }) as unknown as Schema.Codec<OpenSet<Words[number]>>

/** The annotation of a record of which the specification shows no field: a client must do without any of them. */
export const Unshown = "vps:unshown"

/** Another host may fill such a record otherwise: `sdk/client/host` derives the types of the readers from this. */
export const UNSHOWN = { [Unshown]: true } as const

/** A schema's JSON type. As the base of an interface, it gives records a name that editors and errors show. */
export type Encoded<S extends { readonly Encoded: object }> = S["Encoded"]

/** The annotation with the `type` of a check's validation error; its `message` is the `msg`. */
export const ErrorType = "vps:errorType"

type JsonFragment = Record<string, string | number | boolean | ReadonlyArray<string>>

const check = <T>(
  type: string,
  message: string,
  json: JsonFragment,
  holds: (value: T) => boolean
): SchemaAST.Filter<T> =>
  Schema.makeFilter<T>((value) => holds(value), {
    message,
    expected: message,
    toJsonSchema: () => ({ ...json }),
    [ErrorType]: type
  })

/** Length in Unicode code points, as JSON Schema counts it (JavaScript's `length` counts UTF-16 units). */
const codePoints = (text: string): number => {
  let count = 0
  for (const _ of text) count++
  return count
}

const characters = (count: number): string => `${count} character${count === 1 ? "" : "s"}`

const atLeast = (min: number) =>
  check<string>(
    "string_too_short",
    `String should have at least ${characters(min)}`,
    { minLength: min },
    // A code point is one or two UTF-16 units, so the length alone decides for most strings.
    (text) => text.length >= min && (text.length >= 2 * min || codePoints(text) >= min)
  )

const atMost = (max: number) =>
  check<string>(
    "string_too_long",
    `String should have at most ${characters(max)}`,
    { maxLength: max },
    (text) => text.length <= max || (text.length <= 2 * max && codePoints(text) <= max)
  )

/** Decoders replace invalid UTF-8 with this character. */
const REPLACEMENT = "\ufffd"

/**
 * JSON allows NUL and lone surrogates, which cannot be stored or forwarded as UTF-8 text. Invalid UTF-8 arrives as
 * replacement characters: a password sent as Latin-1 must not be set as a different one.
 */
const wellFormed = check<string>(
  "string_unicode",
  "Input should be a valid string, unable to parse raw data as a unicode string",
  {},
  (text) => text.isWellFormed() && !text.includes("\0") && !text.includes(REPLACEMENT)
)

const CONTROLS = "[\\u0000-\\u001f\\u007f-\\u009f\\u2028-\\u202e\\u2066-\\u2069]"
const HAS_CONTROLS = new RegExp(CONTROLS)

/** Names are printed and logged: they must not control a terminal, nor reverse the direction of the text after them. */
const withoutControls = check<string>(
  "value_error",
  "Value error, should not contain control characters",
  { pattern: `^${CONTROLS.replace("[", "[^")}*$` },
  (text) => !HAS_CONTROLS.test(text)
)

/** A string of `min` to `max` Unicode code points. */
export const text = (min: number, max: number) => Schema.String.check(wellFormed, atLeast(min), atMost(max))

/** The same, without control characters. */
export const name = (min: number, max: number) => text(min, max).check(withoutControls)

/** An optional secret: programs inside of the instance read it as a line. */
export const optionalSecret = (min: number, max: number, description: string) =>
  Schema.optionalKey(Schema.NullOr(name(min, max)).annotate({ description }))

/** An optional body field: absent and `null` mean the same. */
export const optionalText = (min: number, max: number, description: string) =>
  Schema.optionalKey(Schema.NullOr(text(min, max)).annotate({ description }))

const greaterThan = (bound: number) =>
  check<number>(
    "greater_than",
    `Input should be greater than ${bound}`,
    { exclusiveMinimum: bound } as JsonFragment,
    (n) => n > bound
  )
const greaterThanEqual = (bound: number) =>
  check<number>(
    "greater_than_equal",
    `Input should be greater than or equal to ${bound}`,
    { minimum: bound },
    (n) => n >= bound
  )
const lessThanEqual = (bound: number) =>
  check<number>(
    "less_than_equal",
    `Input should be less than or equal to ${bound}`,
    { maximum: bound },
    (n) => n <= bound
  )

// Not Schema.Int, which rejects integers beyond 2^53 as fractional; here they are valid but unknown ids.
const integer = check<number>(
  "int_from_float",
  "Input should be a valid integer, got a number with a fractional part",
  { type: "integer" },
  Number.isInteger
)

/** An integer above 0 in a body; 1.0 is an integer, "1" and true are not. */
export const PositiveInt = Schema.Finite.check(integer, greaterThan(0))

const integerText = check<string>(
  "int_parsing",
  "Input should be a valid integer, unable to parse string as an integer",
  { pattern: "^[+-]?\\d+$" },
  (text) => /^[+-]?\d+$/.test(text)
)

/** Replaces ids that a number cannot represent exactly: they must never be rounded to an existing id. */
const UNKNOWN_ID = -1

/** Parses digits to a number; `beyond` replaces one that a number cannot represent exactly. */
const integerFromText = (beyond: (rounded: number) => number) =>
  SchemaTransformation.transform<number, string>({
    decode: (text) => Number.isSafeInteger(Number(text)) ? Number(text) : beyond(Number(text)),
    encode: String
  })

const IntegerText = Schema.String.check(integerText)

/** An id in a path: an optional sign and digits. An unknown id is the handler's 404, not a 422. */
export const PathId = IntegerText.pipe(Schema.decodeTo(Schema.Number, integerFromText(() => UNKNOWN_ID)))

/** In a query, such a number is too large or too small. */
const farthest = (rounded: number): number => Math.sign(rounded) * Number.MAX_SAFE_INTEGER

/** An integer in a query, from `min` to `max` (both included). */
export const queryInt = (min: number, max?: number) => {
  const lower = Schema.Number.check(greaterThanEqual(min))
  return IntegerText.pipe(
    Schema.decodeTo(max === undefined ? lower : lower.check(lessThanEqual(max)), integerFromText(farthest))
  )
}

const TRUE = ["true", "1", "yes", "on", "t", "y"]
const FALSE = ["false", "0", "no", "off", "f", "n"]

const booleanText = check<string>(
  "bool_parsing",
  "Input should be a valid boolean, unable to interpret input",
  { pattern: `^(?:${[...TRUE, ...FALSE].map((word) => [...word].map(anyCase).join("")).join("|")})$` },
  (text) => TRUE.includes(text.toLowerCase()) || FALSE.includes(text.toLowerCase())
)

function anyCase(letter: string): string {
  return letter === letter.toUpperCase() ? letter : `[${letter}${letter.toUpperCase()}]`
}

/** A boolean in a query: true, 1, yes, on, t, y and their opposites, in any case. */
export const QueryBoolean = Schema.String.check(booleanText).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform<boolean, string>({
      decode: (text) => TRUE.includes(text.toLowerCase()),
      encode: String
    })
  )
)

/** One of a few words in a query. */
export const queryWord = <const Words extends ReadonlyArray<string>>(words: Words) => {
  const quoted = words.map((word) => `'${word}'`)
  const message = `Input should be ${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`
  return Schema.String.check(
    check<string>("literal_error", message, { enum: words }, (word) => words.includes(word))
  ) as unknown as Schema.Codec<Words[number], string>
}

/** A moment: ISO 8601 in UTC with milliseconds and `Z`. */
export const Timestamp = Schema.String.annotate({
  description: "A moment in ISO 8601, UTC, with milliseconds",
  format: "date-time",
  examples: ["2026-11-21T09:30:00.000Z"]
})

/** An amount in units of the currency, with at most 2 decimals. */
export const Amount = Schema.Finite.annotate({
  description: "An amount of money in units of the currency, at most 2 decimals",
  examples: [9.99]
})

export const NullableString = Schema.NullOr(Schema.String)
export const NullableTimestamp = Schema.NullOr(Timestamp)
export const NullableInt = Schema.NullOr(Schema.Int)
