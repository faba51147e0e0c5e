/** Tables and lists of fields, aligned, and cut to the width of the terminal. */
import { displayWidth } from "effect/cli/CliOutput"
import { harmless, paint, type Style, type Surface } from "../terminal/Surface.ts"

export interface Column<Row> {
  readonly title: string
  readonly value: (row: Row) => string
  /** Numbers stand at the right of their column. */
  readonly right?: true
  readonly style?: (row: Row) => Style | undefined
}

const GAP = "  "
/** A column is never cut narrower than this: what remains would say nothing. */
const COLUMN_MIN = 8

/** What is longer than the columns it has is cut, and says so. */
const cut = (text: string, columns: number): string => {
  if (displayWidth(text) <= columns) return text
  let kept = ""
  for (const character of text) {
    if (displayWidth(kept + character) > columns - 1) break
    kept += character
  }
  return `${kept}…`
}

const total = (widths: ReadonlyArray<number>): number =>
  widths.reduce((sum, width) => sum + width, 0) + GAP.length * (widths.length - 1)

/** Takes from the widest column until all fit, or none can give any more. */
const fitted = (wanted: ReadonlyArray<number>, columns: number): ReadonlyArray<number> => {
  const widths = [...wanted]
  while (total(widths) > columns) {
    const widest = Math.max(...widths)
    if (widest <= COLUMN_MIN) break
    widths[widths.indexOf(widest)] = widest - 1
  }
  return widths
}

const padded = (text: string, width: number, right: boolean): string => {
  const space = " ".repeat(Math.max(0, width - displayWidth(text)))
  return right ? space + text : text + space
}

/** Rows under the titles of their columns; `none` without rows. */
export const table = <Row>(columns: ReadonlyArray<Column<Row>>, rows: ReadonlyArray<Row>, surface: Surface): string => {
  if (rows.length === 0) return "none\n"
  const cells = rows.map((row) => columns.map(({ value }) => harmless(value(row))))
  const widths = fitted(
    columns.map(({ title }, at) => Math.max(displayWidth(title), ...cells.map((line) => displayWidth(line[at]!)))),
    surface.columns
  )
  const line = (texts: ReadonlyArray<string>, styleAt: (at: number) => Style | undefined): string => {
    const last = texts.length - 1
    return `${
      texts.map((text, at) => {
        const shown = cut(text, widths[at]!)
        const right = columns[at]!.right === true
        // Nothing stands behind the last column, so nothing is to be kept away from.
        const aligned = at === last && !right ? shown : padded(shown, widths[at]!, right)
        return paint(surface, styleAt(at), aligned)
      }).join(GAP)
    }\n`
  }
  const head = line(columns.map(({ title }) => title), () => "bold")
  return head + rows.map((row, index) => line(cells[index]!, (at) => columns[at]!.style?.(row))).join("")
}

/** A field: its name, its value, and the style of the value. */
export type Field = readonly [name: string, value: string, style?: Style | undefined]

/** One record, a field in a line. Values are never cut: a person copies them. */
export const fields = (record: ReadonlyArray<Field>, surface: Surface): string => {
  const width = Math.max(...record.map(([name]) => displayWidth(name)))
  return record.map(([name, value, style]) =>
    `${paint(surface, "bold", padded(name, width, false))}${GAP}${paint(surface, style, harmless(value))}\n`
  ).join("")
}
