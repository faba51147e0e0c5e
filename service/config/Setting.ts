/** The kinds of settings there are: how each is read from a text, and what it says when the text makes no sense. */
import * as Schema from "effect/Schema"

/** A setting makes no sense; `message` names it and says what to write instead. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String
}) {}

/** What a setting is, before it has a value. */
export interface Setting<A> {
  /** The flag without dashes; null for what must not stand on a command line, which every user of the machine sees. */
  readonly flag: string | null
  readonly environment: string
  readonly unit: string
  readonly fallback: A
  readonly reason: string
  /** Undefined when the text makes no sense. */
  readonly parse: (text: string) => A | undefined
  readonly expected: string
}

/** A text that is not empty. */
export const text = (spec: Omit<Setting<string>, "parse" | "expected">): Setting<string> => ({
  ...spec,
  expected: "a text that is not empty",
  parse: (value) => value === "" ? undefined : value
})

/** One of these words. */
export const oneOf = <Word extends string>(
  words: ReadonlyArray<Word>,
  spec: Omit<Setting<Word>, "parse" | "expected" | "unit">
): Setting<Word> => ({
  ...spec,
  unit: words.join(" or "),
  expected: "a word that it knows",
  parse: (value) => words.find((known) => known === value)
})

/** An address with one of these schemes. */
export const url = (
  schemes: ReadonlyArray<string>,
  spec: Omit<Setting<string>, "parse" | "expected" | "fallback" | "unit">
): Setting<string> => ({
  ...spec,
  unit: "URL",
  fallback: "",
  expected: `an address that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
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

/** Items divided by commas; none when absent. */
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
