/**
 * What repositories speak: one text of SQL for both databases, SQLite and PostgreSQL. A statement inside of
 * `Transaction.run` belongs to that transaction; outside, it stands alone.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Booleans are 0 and 1, moments epoch milliseconds, money minor units, on both databases. */
export type Value = string | number | null

export type Dialect = "sqlite" | "postgres"

/**
 * Statements are written once, with `?` for their values in order, or `?1`, `?2` to use one twice, and prepared once
 * for many runs. Rows come as arrays, in the order of the columns. A broken database is a defect that `Transaction`
 * and HTTP know as one.
 */
export class Sql extends Context.Service<Sql, {
  readonly dialect: Dialect
  readonly one: <Row extends ReadonlyArray<unknown>>(
    sql: string
  ) => (...values: Array<Value>) => Effect.Effect<Row | undefined>
  readonly all: <Row extends ReadonlyArray<unknown>>(
    sql: string
  ) => (...values: Array<Value>) => Effect.Effect<ReadonlyArray<Row>>
  /** Answers how many rows were changed. Ids come by `RETURNING id` through `one`. */
  readonly run: (sql: string) => (...values: Array<Value>) => Effect.Effect<number>
  /**
   * What `read` answers, kept in memory as long as not one row of the tables is changed; undefined when nothing can be
   * kept, or not now: ask the tables then. PostgreSQL keeps nothing, because other replicas write as well.
   */
  readonly kept: <A>(tables: ReadonlyArray<string>, read: Effect.Effect<A>) => Effect.Effect<A | undefined>
}>()("pulumi-vps/service/Sql") {}
