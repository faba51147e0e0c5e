/** Tables and lists of fields, aligned, and fitted to the width of the terminal. */
import { displayWidth } from "effect/cli/CliOutput"
import { sanitize } from "#contract/Text"
import { paint, type Style, type TerminalCapabilities } from "../terminal/TerminalCapabilities.ts"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Aligns the column to the right, for numbers. */
  readonly right?: true
  readonly style?: (row: Row) => Style | undefined
  /** Never left out on a narrow terminal, but truncated. */
  readonly keep?: true
  /** Neither left out nor truncated, because people copy it. */
  readonly whole?: true
}

const GAP = "  "
/** Minimum columns of a truncated column: less would not be readable. */
const COLUMN_MIN = 8

/** Truncates a text to a width, with an ellipsis. */
const truncate = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text
  let prefix = ""
  for (const character of text) {
    if (displayWidth(prefix + character) > columns - 1) break
    prefix += character
  }
  return `${prefix}…`
}

/** A column with its cells and the width that they need. */
interface Filled<Row> {
  readonly column: Column<Row>
  readonly cells: ReadonlyArray<string>
  readonly width: number
}

const totalWidth = (columns: ReadonlyArray<{ readonly width: number }>): number =>
  columns.reduce((sum, { width }) => sum + width, 0) + GAP.length * (columns.length - 1)

const fill = <Row>(column: Column<Row>, rows: ReadonlyArray<Row>, header: boolean): Filled<Row> => {
  const cells = rows.map((row) => sanitize(column.value(row)))
  return { column, cells, width: Math.max(header ? displayWidth(column.title) : 0, ...cells.map(displayWidth)) }
}

/** Leaves columns out from the right until the others fit, except those that are always shown. */
const leaveOut = <Row>(all: ReadonlyArray<Filled<Row>>, columns: number): ReadonlyArray<Filled<Row>> => {
  const last = totalWidth(all) > columns
    ? all.findLastIndex(({ column: { keep, whole } }) => keep !== true && whole !== true)
    : -1
  return last === -1 ? all : leaveOut(all.toSpliced(last, 1), columns)
}

/** Shrinks the widest column until all fit, or all that may be truncated have their minimum width. */
const shrink = <Row>(all: ReadonlyArray<Filled<Row>>, columns: number): ReadonlyArray<Filled<Row>> => {
  const fitted = all.map((each) => ({ ...each }))
  while (totalWidth(fitted) > columns) {
    const [widest] = fitted.filter(({ column, width }) => column.whole !== true && width > COLUMN_MIN)
      .toSorted((a, b) => b.width - a.width)
    if (widest === undefined) break
    widest.width -= 1
  }
  return fitted
}

const pad = (text: string, width: number, right: boolean): string => {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)))
  return right ? space + text : text + space
}

/** A table with a header row; `none` without rows. Without a header, nothing instead of `none`. */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  capabilities: TerminalCapabilities,
  header = true
): string => {
  if (rows.length === 0) return header ? "none\n" : ""
  const all = columns.map((column) => fill(column, rows, header))
  const shown = shrink(leaveOut(all, capabilities.columns), capabilities.columns)
  const line = (text: (filled: Filled<Row>) => string, style: (column: Column<Row>) => Style | undefined): string =>
    `${
      shown.map((filled, at) => {
        const { column, width } = filled
        const cell = truncate(text(filled), width)
        // The last column needs no padding.
        const aligned = at === shown.length - 1 && column.right !== true
          ? cell
          : pad(cell, width, column.right === true)
        return paint(capabilities, style(column), aligned)
      }).join(GAP)
    }\n`
  const head = header ? line(({ column }) => column.title, () => "bold") : ""
  const body = rows.map((row, at) => line(({ cells }) => cells[at]!, ({ style }) => style?.(row))).join("")
  const missing = columns.filter((column) => shown.every((each) => each.column !== column))
  return head + body + (missing.length === 0 ? "" : leftOut(missing, capabilities))
}

const leftOut = <Row>(columns: ReadonlyArray<Column<Row>>, capabilities: TerminalCapabilities): string =>
  `${paint(capabilities, "dim", `Too narrow for: ${columns.map(({ title }) => title.toLowerCase()).join(", ")}.`)}\n`

/** A field: its name, its value, and the style of the value. */
export type Field = readonly [name: string, value: string, style?: Style | undefined]

/** One record, one field per line. Values are never truncated, because people copy them. */
export const fields = (record: ReadonlyArray<Field>, capabilities: TerminalCapabilities): string => {
  const width = Math.max(...record.map(([name]) => displayWidth(name)))
  return record.map(([name, value, style]) =>
    `${paint(capabilities, "bold", pad(name, width, false))}${GAP}${paint(capabilities, style, sanitize(value))}\n`
  ).join("")
}
