/** The kinds of settings: each parses a text, and describes the expected format in errors. */
import * as Schema from "effect/Schema"

/** A setting is invalid; `message` names it and says what to write instead. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String
}) {}

/** A setting without its value. */
export interface Setting<A> {
  /** The flag without dashes; null for a secret: every user of the computer can read command lines. */
  readonly flag: string | null
  readonly environment: string
  readonly unit: string
  readonly fallback: A
  readonly reason: string
  /** Undefined when the text is invalid. */
  readonly parse: (text: string) => A | undefined
  readonly expected: string
}

/** A non-empty text. */
export const text = (spec: Omit<Setting<string>, "parse" | "expected">): Setting<string> => ({
  ...spec,
  expected: "a non-empty text",
  parse: (value) => value === "" ? undefined : value
})

/** One of some values; undefined by default when the operator has to choose. */
export const oneOf = <Word extends string, Fallback extends Word | undefined>(
  words: ReadonlyArray<Word>,
  spec: Omit<Setting<Fallback>, "parse" | "expected" | "unit">
): Setting<Word | Fallback> => ({
  ...spec,
  unit: words.join(" or "),
  expected: "one of the listed values",
  parse: (value) => words.find((word) => word === value)
})

/** A URL with one of some schemes. */
export const url = (
  schemes: ReadonlyArray<string>,
  spec: Omit<Setting<string>, "parse" | "expected" | "fallback" | "unit">
): Setting<string> => ({
  ...spec,
  unit: "URL",
  fallback: "",
  expected: `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
  parse: (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}://`)) && URL.canParse(value) ? value : undefined
})

/** A whole number within bounds. */
export const whole = (
  min: number,
  max: number,
  spec: Omit<Setting<number>, "parse" | "expected">
): Setting<number> => ({
  ...spec,
  expected: `a whole number from ${min} to ${max}`,
  parse: (value) => {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined
  }
})

/** Comma-separated items; empty by default. */
export const list = (
  isItem: (item: string) => boolean,
  spec: Omit<Setting<ReadonlyArray<string>>, "parse" | "fallback">
): Setting<ReadonlyArray<string>> => ({
  ...spec,
  fallback: [],
  parse: (value) => {
    const items = value.split(",").map((item) => item.trim())
    return items.every(isItem) ? items : undefined
  }
})

const WORDS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false }

/** On or off. */
export const onOff = (spec: Omit<Setting<boolean>, "parse" | "expected">): Setting<boolean> => ({
  ...spec,
  expected: "true or false",
  parse: (value) => WORDS[value.toLowerCase()]
})
