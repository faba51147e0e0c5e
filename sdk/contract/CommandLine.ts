/** Texts that `vps` and `vps-service` print alike: those of other people, made safe, and wrong usage in words. */
import type { InvalidValue, NonShowHelpErrors } from "effect/cli/CliError"
import type { ArgDoc, FlagDoc, HelpDoc } from "effect/cli/HelpDoc"

/** Texts of other people in a terminal. */

/**
 * The characters by which a text could control the terminal, or show something other than it contains: C1 controls,
 * line separators, and controls of the text's direction. C0 controls come on top: JSON escapes them itself.
 */
const DECEPTIVE = "\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069"

const UNSAFE = new RegExp(`[\\u0000-\\u001f${DECEPTIVE}]`, "g")

/** Replaces control characters in a text of a response. */
export const sanitize = (text: string): string => text.replaceAll(UNSAFE, "?")

const UNESCAPED = new RegExp(`[${DECEPTIVE}]`, "g")

/** Adds the escapes that `JSON.stringify` omits. */
export const escapeJson = (text: string): string =>
  text.replaceAll(UNESCAPED, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

/** The expected value in a person's words: `"1h" | "6h"` becomes `1h or 6h`. */
const expectation = (expected: string): string => {
  const text = expected.replace(/^Expected:?\s+/, "")
  if (/\binteger\b/i.test(text)) return "a whole number"
  if (/\bfinite number\b/i.test(text)) return "a number"
  const choices = text.split(" | ").map((choice) => choice.replaceAll("\"", ""))
  return choices.length < 2 ? text : `${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`
}

const invalidValue = ({ expected, kind, option, value }: InvalidValue): string => {
  // A flag's own condition is a sentence that names the flag and the value.
  if (expected.startsWith("--")) return expected
  const name = kind === "flag" ? `--${option}` : option
  if (value !== "" || kind === "argument") return `${name} should be ${expectation(expected)}; got "${value}".`
  return expected === "string" ? `${name} needs a value.` : `${name} needs a value: ${expectation(expected)}.`
}

const isIn = (words: ReadonlyArray<string>) => ({ aliases, name }: FlagDoc): boolean =>
  [`--${name}`, ...aliases].some((flag) => words.some((word) => word === flag || word.startsWith(`${flag}=`)))

const list = (kind: string, names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.length === 0 ? [] : [`Missing required ${kind}${names.length === 1 ? "" : "s"}: ${names.join(", ")}`]

/** The parser stops at the first argument that is missing: the required ones after it are missing, too. */
const missingArguments = (args: ReadonlyArray<ArgDoc>, first: string | undefined): ReadonlyArray<string> =>
  first === undefined
    ? []
    : args.slice(Math.max(0, args.findIndex(({ name }) => name === first))).flatMap(({ name, required }) =>
      required ? [name] : []
    )

/** Everything that is missing, although the parser stops at the first. */
const missing = (
  errors: ReadonlyArray<NonShowHelpErrors>,
  { args = [], flags }: HelpDoc,
  words: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const named = errors.flatMap((error) => error._tag === "MissingOption" ? [error.option] : [])
  const absent = flags.filter((flag) => flag.required && !isIn(words)(flag)).map(({ name }) => name)
  const first = errors.find((error) => error._tag === "MissingArgument")
  if (named.length === 0 && first === undefined) return []
  return [
    ...list("argument", missingArguments(args, first?.argument)),
    ...list("flag", [...new Set([...absent, ...named])].map((name) => `--${name}`))
  ]
}

/** A sentence, or a few lines, for each error in the words of a command line. */
export const describeUsageErrors = (
  errors: ReadonlyArray<NonShowHelpErrors>,
  doc: HelpDoc,
  words: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const others = errors.flatMap((error) => {
    if (error._tag === "MissingOption" || error._tag === "MissingArgument") return []
    return [error._tag === "InvalidValue" ? invalidValue(error) : error.message]
  })
  const lines = [...missing(errors, doc, words), ...others].flatMap((text) => text.split("\n"))
  return [...new Set(lines.map((line) => line.trimEnd()).filter((line) => line !== ""))]
}

/** The line after the errors. */
export const usageHint = (commandPath: ReadonlyArray<string>): string =>
  `For usage, run: ${commandPath.join(" ")} --help`
