/** Lists and records on a terminal: columns, and the flags that choose rows and columns. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { print, vps } from "../Command.ts"
import { didYouMean } from "../../Suggestions.ts"
import { type CommandError, usageError } from "../errors/CommandError.ts"
import type { View } from "./Output.ts"
import { displayWidth } from "effect/cli/CliOutput"
import { sanitize } from "@pulumi-vps/contract/CommandLine"
import { paint, type Style, type TerminalCapabilities } from "../terminal/Terminal.ts"

// Tables and lists of fields, aligned, and fitted to the width of the terminal.

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

/** A field that a host may not show. */
export type MaybeField = readonly [name: string, value: string | undefined, style?: Style | undefined]

/**
 * The fields that the host shows.
 * @throws Error when it shows none of them: then the response is printed as JSON.
 */
export const present = (all: ReadonlyArray<MaybeField>): ReadonlyArray<Field> => {
  const shown = all.filter((field): field is Field => field[1] !== undefined)
  if (shown.length === 0) throw new Error("The response has none of the documented fields")
  return shown
}

/** One record, one field per line. Values are never truncated, because people copy them. */
export const fields = (record: ReadonlyArray<Field>, capabilities: TerminalCapabilities): string => {
  const width = Math.max(...record.map(([name]) => displayWidth(name)))
  return record.map(([name, value, style]) =>
    `${paint(capabilities, "bold", pad(name, width, false))}${GAP}${paint(capabilities, style, sanitize(value))}\n`
  ).join("")
}

export interface ListColumn<Row> extends Column<Row> {
  /** The value that the column is sorted by; default: its text. */
  readonly by?: (row: Row) => string | number
  /** Shown only if `--columns` names it. */
  readonly extra?: true
}

/** The name of a column in flags: `BASE URL` is `base-url`. */
const nameOf = ({ title }: { readonly title: string }): string => title.toLowerCase().replaceAll(" ", "-")

const findColumn = <Row>(
  columns: ReadonlyArray<ListColumn<Row>>,
  name: string
): Effect.Effect<ListColumn<Row>, CommandError> => {
  const found = columns.find((column) => nameOf(column) === name)
  return found === undefined
    ? Effect.fail(usageError(`There is no column "${name}".`, didYouMean(name, columns.map(nameOf))))
    : Effect.succeed(found)
}

const CONDITION = /^([a-z0-9-]+)(!?=)(.*)$/
const ANY = "*"
const SPECIAL = /[\\^$.+?()[\]{}|]/g

/** True if a text is one of the alternatives, in which `*` is any text. Case does not matter. */
const matches = (text: string, alternatives: string): boolean =>
  alternatives.split(",").some((pattern) => {
    const quoted = pattern.replaceAll(SPECIAL, "\\$&").replaceAll(ANY, ".*")
    return new RegExp(`^${quoted}$`, "is").test(text)
  })

/** The rows that satisfy all conditions. */
export const parseFilters = <Row>(
  columns: ReadonlyArray<ListColumn<Row>>,
  conditions: ReadonlyArray<string>
): Effect.Effect<(row: Row) => boolean, CommandError> =>
  Effect.map(
    Effect.forEach(conditions, (condition) => {
      const [, name, operator, wanted] = CONDITION.exec(condition) ?? []
      if (name === undefined || wanted === undefined) {
        return Effect.fail(usageError(
          `--filter ${condition} is not a condition.`,
          "Write column=value or column!=value; * in a value is any text, and a comma separates alternatives."
        ))
      }
      return Effect.map(
        findColumn(columns, name),
        ({ value }) => (row: Row) => matches(value(row), wanted) === (operator === "=")
      )
    }),
    (tests) => (row) => tests.every((test) => test(row))
  )

type Compare<Row> = (a: Row, b: Row) => number

const ORDERS = { asc: 1, desc: -1 } as const

const parseSort = <Row>(
  columns: ReadonlyArray<ListColumn<Row>>,
  text: string
): Effect.Effect<Compare<Row>, CommandError> =>
  Effect.map(
    Effect.forEach(text.split(","), (key) => {
      const [name = "", order = "asc", ...rest] = key.split(":")
      if ((order !== "asc" && order !== "desc") || rest.length > 0) {
        return Effect.fail(usageError(`--sort ${key} is not an order.`, "Write column, column:asc or column:desc."))
      }
      return Effect.map(findColumn(columns, name), ({ by, value }): Compare<Row> => {
        const of = by ?? ((row: Row) => value(row).toLowerCase())
        return (a, b) => of(a) === of(b) ? 0 : of(a) < of(b) ? -ORDERS[order] : ORDERS[order]
      })
    }),
    (keys) => (a, b) => keys.reduce((found, compare) => found === 0 ? compare(a, b) : found, 0)
  )

export const filterFlag = Flag.String("filter").pipe(
  Flag.withMetavar("column=value"),
  Flag.withDescription("Only matching rows, also with !=, * and alternatives: status=running,stopped; repeatable"),
  Flag.atLeast(1),
  Flag.withDefault([])
)

const flagsOf = (names: ReadonlyArray<string>) => ({
  filter: filterFlag,
  sort: Flag.String("sort").pipe(
    Flag.withMetavar("column[:desc]"),
    Flag.withDescription("Order by columns, separated by commas"),
    Flag.optional
  ),
  columns: Flag.String("columns").pipe(
    Flag.withMetavar("names"),
    Flag.withDescription(`Columns to show, separated by commas: ${names.join(", ")}`),
    Flag.optional
  ),
  noHeader: Flag.Boolean("no-header").pipe(
    Flag.withDescription("Leave out the titles"),
    Flag.withoutNegation,
    Flag.withDefault(false)
  )
})
export type ListFlags = Command.Command.Config.Infer<ReturnType<typeof flagsOf>>

const EVERYTHING: ListFlags = { filter: [], sort: Option.none(), columns: Option.none(), noHeader: false }

const chosen = <Row>(columns: ReadonlyArray<ListColumn<Row>>, names: Option.Option<string>) =>
  Option.isNone(names)
    ? Effect.succeed(columns.filter(({ extra }) => extra !== true))
    : Effect.forEach(names.value.split(","), (name) =>
      // A column that the user names is never left out.
      Effect.map(findColumn(columns, name.trim()), (column) => ({ ...column, keep: true } as const)))

/** A list that a command prints. */
export class List<Row> {
  readonly columns: ReadonlyArray<ListColumn<Row>>
  readonly flags: ReturnType<typeof flagsOf>
  readonly #ids: View<ReadonlyArray<Row>>["ids"]

  /** A row without an ID, which another host may not show, is left out of `-o id`. */
  constructor(columns: ReadonlyArray<ListColumn<Row>>, idOf: (row: Row) => string | number | undefined) {
    this.columns = columns
    this.flags = flagsOf(columns.map(nameOf))
    this.#ids = (rows) => rows.flatMap((row) => idOf(row) ?? [])
  }

  /** Checks the flags before the rows are requested. */
  readonly print = <E, R>(rows: Effect.Effect<ReadonlyArray<Row>, E, R>, flags: ListFlags = EVERYTHING) => {
    const { columns: every } = this
    const ids = this.#ids
    return Effect.gen(function*() {
      const { output } = yield* vps
      if (output !== "table" && (Option.isSome(flags.columns) || flags.noHeader)) {
        return yield* usageError(`--columns and --no-header do not apply to -o ${output}.`, "Select fields with jq.")
      }
      const test = yield* parseFilters(every, flags.filter)
      const columns = yield* chosen(every, flags.columns)
      const compare = Option.isNone(flags.sort) ? undefined : yield* parseSort(every, flags.sort.value)
      const selected = (yield* rows).filter(test)
      const text: View<ReadonlyArray<Row>>["text"] = (all, capabilities) =>
        table(columns, all, capabilities, !flags.noHeader)
      yield* print(compare === undefined ? selected : selected.toSorted(compare), { text, ids })
    })
  }
}
