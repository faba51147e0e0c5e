/** Values that SQLite accepts and PostgreSQL would refuse: without this a client could distinguish the two. */
import type { Value } from "../Sql.ts"

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
