/**
 * What repositories speak: one text of SQL for both databases, SQLite and PostgreSQL. A statement inside of
 * `Transaction.run` belongs to that transaction; outside, it stands alone.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/**
 * Booleans are 0 and 1, moments epoch milliseconds, money minor units, on both databases. A number beyond 64 bits is
 * compared as what it is; a NUL in a text comes back as it was, or as U+FFFD from PostgreSQL, which knows none.
 */
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
  /** Answers how many rows were changed. */
  readonly run: (sql: string) => (...values: Array<Value>) => Effect.Effect<number>
  /**
   * Inserts one row into a table whose `id` the database gives, and answers that id: on PostgreSQL by `RETURNING id`,
   * which is left out of the text because SQLite knows the id for half of what that costs. 0 when the text ends in
   * `ON CONFLICT ... DO NOTHING` and there was one.
   */
  readonly insert: (sql: string) => (...values: Array<Value>) => Effect.Effect<number>
  /**
   * What `read` answers, kept in memory as long as not one row of the tables is changed; undefined when nothing can be
   * kept, or not now: ask the tables then. PostgreSQL keeps nothing, because other replicas write as well.
   */
  readonly kept: <A>(tables: ReadonlyArray<string>, read: Effect.Effect<A>) => Effect.Effect<A | undefined>
  /**
   * The same question, answered from memory, with the very same object, as long as nothing at all was written since it
   * was read. PostgreSQL reads every time, because other replicas write as well.
   */
  readonly remembered: <A>(read: Read<A>) => Read<A>
}>()("pulumi-vps/service/Sql") {}

/** A read of something by its id and that of the account that it has to belong to. */
export type Read<A> = (accountId: number, id: number) => Effect.Effect<A | undefined>
