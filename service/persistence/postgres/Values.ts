/** Values that SQLite takes and PostgreSQL would refuse: without this a request could tell one from the other. */
import type { Value } from "../Sql.ts"

/** One beyond bigint; the text of a double that is nearer to 0 is within it. */
const BEYOND = 2 ** 63
const LARGEST = "9223372036854775807"
const SMALLEST = "-9223372036854775808"

/** An id or an amount that is out of all bounds is compared as what it is, larger or smaller than all there are. */
const number = (value: number): Value => value >= BEYOND ? LARGEST : value <= -BEYOND ? SMALLEST : value

/** No text of PostgreSQL holds a NUL; what an upstream says of its failure may. */
const text = (value: string): string => value.includes("\0") ? value.replaceAll("\0", "\u{FFFD}") : value

export const toPostgres = (value: Value): Value =>
  typeof value === "number" ? number(value) : typeof value === "string" ? text(value) : value
