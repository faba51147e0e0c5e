/** Translates statements and values: repositories write them as SQLite takes them. */
import type { Value } from "../Sql.ts"

/** Texts, quoted names and comments, in which a question mark is literal; and the placeholders. */
const TOKENS = /'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|\/\*[\s\S]*?\*\/|\?(\d*)/g

/** Numbered as in SQLite: a bare `?` follows the highest number so far. */
export const numbered = (sql: string): string => {
  let highest = 0
  return sql.replace(TOKENS, (token, number: string | undefined) => {
    if (number === undefined) return token
    const place = number === "" ? highest + 1 : Number(number)
    highest = Math.max(highest, place)
    return `$${place}`
  })
}

/** One beyond bigint; the text of a double that is nearer to 0 is within it. */
const BEYOND = 2 ** 63
const LARGEST = "9223372036854775807"
const SMALLEST = "-9223372036854775808"

/** An id or an amount beyond 64 bits compares larger or smaller than every stored one. */
const number = (value: number): Value => value >= BEYOND ? LARGEST : value <= -BEYOND ? SMALLEST : value

/** PostgreSQL cannot store a NUL in a text; an upstream's error message may have one. */
const text = (value: string): string => value.includes("\0") ? value.replaceAll("\0", "\u{FFFD}") : value

export const toPostgres = (value: Value): Value =>
  typeof value === "number" ? number(value) : typeof value === "string" ? text(value) : value
