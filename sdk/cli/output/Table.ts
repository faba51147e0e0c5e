/** Tables and lists of fields, aligned, and truncated to the width of the terminal. */
import { displayWidth } from "effect/cli/CliOutput"
import { paint, sanitize, type Style, type TerminalCapabilities } from "../terminal/TerminalCapabilities.ts"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Aligns the column to the right, for numbers. */
  readonly right?: true
  readonly style?: (row: Row) => Style | undefined
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

const totalWidth = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)

/** Shrinks the widest column until all fit, or all have their minimum width. */
const fitWidths = (wanted: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  const widths = [...wanted]
  while (totalWidth(widths) > columns) {
    const widest = Math.max(...widths)
    if (widest <= COLUMN_MIN) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

const pad = (text: string, width: number, right: boolean): string => {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)))
  return right ? space + text : text + space
}

/** A table with a header row; `none` without rows. */
export const table = <Row>(
  columns: ReadonlyArray<Column<Row>>,
  rows: ReadonlyArray<Row>,
  capabilities: TerminalCapabilities
): string => {
  if (rows.length === 0) return "none\n"
  const cells = rows.map((row) => columns.map(({ value }) => sanitize(value(row))))
  const widths = fitWidths(
    columns.map(({ title }, at) => Math.max(displayWidth(title), ...cells.map((line) => displayWidth(line[at]!)))),
    capabilities.columns
  )
  const line = (texts: ReadonlyArray<string>, styleAt: (at: number) => Style | undefined): string => {
    const last = texts.length - 1
    return `${
      texts.map((text, at) => {
        const shown = truncate(text, widths[at]!)
        const right = columns[at]!.right === true
        // The last column needs no padding.
        const aligned = at === last && !right ? shown : pad(shown, widths[at]!, right)
        return paint(capabilities, styleAt(at), aligned)
      }).join(GAP)
    }\n`
  }
  const head = line(columns.map(({ title }) => title), () => "bold")
  return head + rows.map((row, index) => line(cells[index]!, (at) => columns[at]!.style?.(row))).join("")
}

/** A field: its name, its value, and the style of the value. */
export type Field = readonly [name: string, value: string, style?: Style | undefined]

/** One record, one field per line. Values are never truncated, because people copy them. */
export const fields = (record: ReadonlyArray<Field>, capabilities: TerminalCapabilities): string => {
  const width = Math.max(...record.map(([name]) => displayWidth(name)))
  return record.map(([name, value, style]) =>
    `${paint(capabilities, "bold", pad(name, width, false))}${GAP}${paint(capabilities, style, sanitize(value))}\n`
  ).join("")
}
