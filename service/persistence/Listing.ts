/**
 * Pages of long lists for operators, by id. A query has only the conditions of its filter, so that each can use its
 * index. A search for a text cannot: it reads the list in steps, between which other work continues.
 */
import * as Effect from "effect/Effect"
import { type Columns, selectAll } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import type { Sql, Value } from "./Sql.ts"

/** SQL with `?` for its values, and the way to its rows. */
export interface Condition {
  readonly sql: string
  readonly values: ReadonlyArray<Value>
  readonly by: "index" | "sort" | "scan"
}

const condition = (by: Condition["by"]) => (sql: string, ...values: ReadonlyArray<Value>): Condition => ({
  sql,
  values,
  by
})

/** An index has the rows in the order of the list. */
export const indexed = condition("index")

/** An index has the rows, which are few and are sorted afterwards. */
export const few = condition("sort")

/** The rows are read one by one. */
export const scanning = condition("scan")

/** The condition, unless its value is null. */
export const given = <A>(value: A | null, condition: (value: A) => Condition): ReadonlyArray<Condition> =>
  value === null ? [] : [condition(value)]

const ID = /^[1-9]\d{0,14}$/

/** True for a text that a person may mean as an id. */
export const isId = (text: string): boolean => ID.test(text)

const END = Number.MAX_SAFE_INTEGER

/** Ids in one step of a search: up to 15 ms on SQLite, whose statements hold up all other work. */
const STEP = 20_000

export interface ListOptions<A> {
  readonly columns: Columns<A>
  readonly table: string
  /** The alias of the table in the query. */
  readonly alias: string
  /** The name of the id. */
  readonly id: string
  readonly joins?: string
  readonly newestFirst: boolean
  /** Ids in one step of a search. */
  readonly step?: number
}

export interface Page {
  readonly conditions: ReadonlyArray<Condition>
  /** The id after which the page begins, in the list's order; null for the first page. */
  readonly cursor: number | null
  readonly limit: number
}

interface Range {
  readonly above: number
  readonly below: number
}

/** Prepares a list. */
export const makeList = <A>(
  sql: Sql["Service"],
  { alias, columns, id, joins = "", newestFirst, step = STEP, table }: ListOptions<A>
) => {
  const newest = Rows.value(sql.one<[number | null]>(`SELECT max(${id}) FROM ${table}`)())
  const key = `${alias}.${id}`
  const read = (conditions: ReadonlyArray<Condition>, { above, below }: Range, limit: number) => {
    // The sign hides the column from the planner, which would rather follow the list's order than sort.
    const sorted = conditions.some(({ by }) => by === "sort") ? `+${key}` : key
    const where = [...conditions.map((one) => `(${one.sql})`), `${sorted} > ?`, `${sorted} < ?`].join(" AND ")
    const order = `ORDER BY ${sorted} ${newestFirst ? "DESC" : "ASC"} LIMIT ?`
    // Prepared for this run: operators read rarely, and there is a text for each combination of conditions.
    const select = selectAll(sql, columns, `FROM ${table} ${alias} ${joins} WHERE ${where} ${order}`)
    return select(...conditions.flatMap(({ values }) => values), above, below, limit)
  }
  /** One statement: an index finds the rows, or all of them match. */
  const readAtOnce = ({ conditions, cursor, limit }: Page) =>
    read(conditions, newestFirst ? { above: 0, below: cursor ?? END } : { above: cursor ?? 0, below: END }, limit)

  const readInSteps = Effect.fnUntraced(function*({ conditions, cursor, limit }: Page) {
    const end = ((yield* newest) ?? 0) + 1
    const rows: Array<A> = []
    let [above, below] = newestFirst ? [0, Math.min(cursor ?? end, end)] : [cursor ?? 0, end]
    while (rows.length < limit && above + 1 < below) {
      const part = newestFirst
        ? { above: Math.max(above, below - step - 1), below }
        : { above, below: Math.min(below, above + step + 1) }
      rows.push(...yield* read(conditions, part, limit - rows.length))
      if (newestFirst) below = part.above + 1
      else above = part.below - 1
      yield* Effect.yieldNow
    }
    return rows as ReadonlyArray<A>
  })

  return (page: Page): Effect.Effect<ReadonlyArray<A>> =>
    page.conditions.length > 0 && page.conditions.every(({ by }) => by === "scan")
      ? readInSteps(page)
      : readAtOnce(page)
}
