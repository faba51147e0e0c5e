/** The kinds of settings: each parses a text, and describes the expected format in errors. */
import * as Schema from "effect/Schema"
import { isHostName } from "../domain/HostName.ts"

/** A setting is invalid; `message` names it and says what to write instead. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String,
  /** True for a wrong flag: the exit code is that of wrong usage then. */
  isUsage: Schema.optionalKey(Schema.Boolean)
}) {}

/** A value of JSON: a text, a whole number, true or false, or a list of texts. */
export interface ValueSchema {
  readonly type: "string" | "integer" | "boolean" | "array"
  readonly [keyword: string]: unknown
}

/** A setting without its value. */
export interface Setting<A> {
  /** The flag without dashes; null for a secret: every user of the computer can read command lines. */
  readonly flag: string | null
  readonly environment: string
  readonly unit: string
  readonly fallback: A
  /** First what it is, then why. */
  readonly reason: string
  /** The JSON Schema of its value in a config file. */
  readonly schema: ValueSchema
  /** Undefined when the text is invalid. */
  readonly parse: (text: string) => A | undefined
  readonly expected: string
}

/** The fields that each kind of setting derives by itself. */
type Derived = "parse" | "expected" | "schema"

/** A non-empty text. */
export const text = (spec: Omit<Setting<string>, Derived>): Setting<string> => ({
  ...spec,
  schema: { type: "string", minLength: 1 },
  expected: "a non-empty text",
  parse: (value) => value === "" ? undefined : value
})

/** Characters that change how a line is read: control characters, marks of direction, and ends of lines. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u

/** A line of few characters. */
export const shortText = (max: number, spec: Omit<Setting<string>, Derived | "unit">): Setting<string> => ({
  ...spec,
  unit: `text of at most ${max} characters`,
  schema: { type: "string", minLength: 1, maxLength: max },
  expected: "one line without control characters, and without spaces around it",
  parse: (value) => {
    const isValid = value !== "" && value.trim() === value && !INVISIBLE.test(value)
    return isValid && Array.from(value).length <= max ? value : undefined
  }
})

/** One of some values; undefined by default when the operator has to choose. */
export const oneOf = <Word extends string, Fallback extends Word | undefined>(
  words: ReadonlyArray<Word>,
  spec: Omit<Setting<Fallback>, Derived | "unit">
): Setting<Word | Fallback> => ({
  ...spec,
  schema: { type: "string", enum: words },
  unit: words.join(" or "),
  expected: "one of the listed values",
  parse: (value) => words.find((word) => word === value)
})

/** A URL with one of some schemes. */
export const url = (
  schemes: ReadonlyArray<string>,
  spec: Omit<Setting<string>, Derived | "fallback" | "unit">
): Setting<string> => ({
  ...spec,
  schema: { type: "string", pattern: `^(?:${schemes.join("|")})://` },
  unit: "URL",
  fallback: "",
  expected: `a URL that begins with ${schemes.map((scheme) => `${scheme}://`).join(" or ")}`,
  parse: (value) =>
    schemes.some((scheme) => value.startsWith(`${scheme}://`)) && URL.canParse(value) ? value : undefined
})

/** Only a browser on the same computer reaches it, and keeps a session over plain http. */
const isLoopback = (host: string): boolean =>
  host === "localhost" || host.endsWith(".localhost") || host === "[::1]" || /^127(?:\.\d{1,3}){3}$/.test(host)

/** Public paths of the service that people copy from their browsers. */
const ROOTS: ReadonlySet<string> = new Set(["/", "/panel", "/panel/"])

/** Browsers keep a session over https only, and the panel is at a path of its own. */
const isPublicOrigin = (value: string): boolean => {
  if (!/^https?:\/\//.test(value) || !URL.canParse(value)) return false
  const { hash, hostname, pathname, protocol, search } = new URL(value)
  return ROOTS.has(pathname) && search === "" && hash === "" && (protocol === "https:" || isLoopback(hostname))
}

/** The address at which browsers reach the service. */
export const publicOrigin = (spec: Omit<Setting<string>, Derived | "fallback" | "unit">): Setting<string> => ({
  ...spec,
  schema: { type: "string", pattern: "^https?://" },
  unit: "URL",
  fallback: "",
  expected: "an https:// address without a path, like https://vps.example.com, because browsers keep a session over "
    + "http:// at localhost only, and the panel is always at /panel",
  parse: (value) => isPublicOrigin(value) ? value : undefined
})

const ADDRESS = /^mailto:[^\s@?]+@[^\s@?]+(?:\?\S*)?$/

/** The address of a page, or of mail, that people open. */
export const link = (
  schemes: ReadonlyArray<"https" | "mailto">,
  spec: Omit<Setting<string>, Derived | "fallback" | "unit">
): Setting<string> => ({
  ...spec,
  schema: { type: "string", pattern: schemes.includes("mailto") ? "^(?:https://|mailto:)" : "^https://" },
  unit: "URL",
  fallback: "",
  expected: "an address like https://example.com/contact"
    + (schemes.includes("mailto") ? " or mailto:support@example.com" : ""),
  parse: (value) => {
    if (schemes.includes("mailto") && ADDRESS.test(value)) return value
    return /^https:\/\/\S+$/.test(value) && URL.canParse(value) ? value : undefined
  }
})

/** The name of a domain. */
export const domain = (
  spec: Omit<Setting<string>, Derived | "fallback" | "unit">
): Setting<string> => ({
  ...spec,
  schema: { type: "string", format: "hostname" },
  unit: "domain",
  fallback: "",
  expected: "the name of a domain, like static.example.net",
  parse: (value) => isHostName(value) ? value : undefined
})

const isTimeZone = (value: string): boolean => {
  try {
    return new Intl.DateTimeFormat("en-US", { timeZone: value }).resolvedOptions().timeZone !== ""
  } catch {
    return false
  }
}

/** A time zone by its name. */
export const timeZone = (spec: Omit<Setting<string>, Derived | "unit">): Setting<string> => ({
  ...spec,
  schema: { type: "string", minLength: 1 },
  unit: "name of a time zone",
  expected: "the name of a time zone, like Europe/Berlin",
  parse: (value) => isTimeZone(value) ? value : undefined
})

/** A whole number within bounds. */
export const whole = (
  min: number,
  max: number,
  spec: Omit<Setting<number>, Derived>
): Setting<number> => ({
  ...spec,
  schema: { type: "integer", minimum: min, maximum: max },
  expected: `a whole number from ${min} to ${max}`,
  parse: (value) => {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined
  }
})

/** Comma-separated items; empty by default. */
export const list = (
  isItem: (item: string) => boolean,
  spec: Omit<Setting<ReadonlyArray<string>>, "parse" | "fallback" | "schema">
): Setting<ReadonlyArray<string>> => ({
  ...spec,
  schema: { type: "array", items: { type: "string" } },
  fallback: [],
  parse: (value) => {
    const items = value.split(",").map((item) => item.trim())
    return items.every(isItem) ? items : undefined
  }
})

const WORDS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false }

/** On or off. */
export const onOff = (spec: Omit<Setting<boolean>, Derived>): Setting<boolean> => ({
  ...spec,
  schema: { type: "boolean" },
  expected: "true or false",
  parse: (value) => WORDS[value.toLowerCase()]
})
