/** A wallet's statement as CSV (RFC 4180), for spreadsheets. */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import type { StatementFilter } from "../persistence/Statements.ts"
import type { StatementRecord } from "../contract/Statement.ts"
import { statementOf } from "./Statement.ts"

/** Lines that are read at once: memory stays bounded, and other requests are served between two pages. */
const PAGE = 500

const COLUMNS: ReadonlyArray<keyof StatementRecord> = [
  "id",
  "at",
  "kind",
  "description",
  "amount",
  "balance",
  "currency",
  "net",
  "vat_rate",
  "vat_amount",
  "vat_treatment",
  "plan",
  "list_price",
  "previous_plan",
  "previous_list_price",
  "period_from",
  "period_to",
  "coupon",
  "discount",
  "reason",
  "instance_id",
  "order_id",
  "refund_of",
  "reference"
]

/** A spreadsheet would evaluate a text that begins like this, after what it does not show. */
const FORMULA = /^[\s\p{C}]*[=+\-@|%\t\r]/u

/**
 * Texts are always quoted; one that a spreadsheet would evaluate gets an apostrophe, also with a sign of full width,
 * which some read like the plain one. Numbers are numbers.
 */
const cell = (value: string | number | null): string => {
  if (value === null) return ""
  if (typeof value === "number") return String(value)
  const safe = FORMULA.test(value.normalize("NFKC")) ? `'${value}` : value
  return `"${safe.replaceAll("\"", "\"\"")}"`
}

const row = (cells: ReadonlyArray<string>): string => `${cells.join(",")}\r\n`

const HEADER = row(COLUMNS.map((name) => cell(name)))

/** The lines, below their header if they are the first ones. */
export const csvOf = (lines: ReadonlyArray<StatementRecord>, isFirst: boolean): string =>
  `${isFirst ? HEADER : ""}${lines.map((line) => row(COLUMNS.map((name) => cell(line[name])))).join("")}`

/** All lines of an account, newest first, in texts of many lines each. */
export const statementCsv = (accountId: number, filter: StatementFilter) =>
  Stream.paginate(
    { filter, isFirst: true },
    ({ filter, isFirst }) =>
      Effect.map(statementOf(accountId, filter, PAGE), (lines) => {
        const last = Option.fromUndefinedOr(lines.at(-1))
        const next = Option.map(last, ({ id }) => ({ filter: { ...filter, before: id }, isFirst: false }))
        return [[csvOf(lines, isFirst)], next] as const
      })
  )
