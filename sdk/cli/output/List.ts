/** Lists: their columns, and the flags that choose rows and columns. */
import type * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { print, vps } from "../Command.ts"
import { type CommandError, usageError } from "../errors/CommandError.ts"
import { didYouMean } from "../errors/Suggestions.ts"
import type { View } from "./Output.ts"
import { type Column, table } from "./Table.ts"

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

  constructor(columns: ReadonlyArray<ListColumn<Row>>, idOf: (row: Row) => string | number) {
    this.columns = columns
    this.flags = flagsOf(columns.map(nameOf))
    this.#ids = (rows) => rows.map(idOf)
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
