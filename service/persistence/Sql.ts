/**
 * The language of repositories: one text of SQL for both databases. A statement within `Transaction.run` belongs to
 * that transaction; outside of one, it is a transaction of its own.
 */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { SchemaDialect } from "./schema/Dialect.ts"

/**
 * Booleans are 0 and 1, times epoch milliseconds, money minor units, on both databases. A number beyond 64 bits
 * compares by its value; a NUL in a text comes back unchanged, or as U+FFFD from PostgreSQL, which cannot store it.
 */
export type Value = string | number | null

/** All differences between the databases that repositories and migrations depend on. */
export interface Dialect {
  readonly schema: SchemaDialect
  /** True if other processes write to the database, too. */
  readonly isShared: boolean
  /** A query of one text that differs after any committed write, of this or of another process that may write. */
  readonly version: string
  readonly tables: (sql: Sql["Service"]) => Tables
}

/**
 * Statements are written once, with `?` for their values in order, or `?1`, `?2` to use one twice, and prepared once
 * for many runs. Rows come as arrays, in the order of the columns. A broken database is a defect that `Transaction`
 * and HTTP recognize.
 */
export class Sql extends Context.Service<Sql, {
  readonly dialect: Dialect
  readonly one: <Row extends ReadonlyArray<unknown>>(
    sql: string
  ) => (...values: Array<Value>) => Effect.Effect<Row | undefined>
  readonly all: <Row extends ReadonlyArray<unknown>>(
    sql: string
  ) => (...values: Array<Value>) => Effect.Effect<ReadonlyArray<Row>>
  /** Returns how many rows were changed. */
  readonly run: (sql: string) => (...values: Array<Value>) => Effect.Effect<number>
  /**
   * A write whose number of rows is not needed. In a transaction on PostgreSQL it is sent without waiting for its
   * answer; if it fails, so does the transaction.
   */
  readonly post: (sql: string) => (...values: Array<Value>) => Effect.Effect<void>
  /**
   * Inserts one row into a table whose `id` the database assigns, and returns that id: on PostgreSQL by `RETURNING id`,
   * which is not in the text because SQLite reports the id for half of its cost. 0 when the text ends in
   * `ON CONFLICT ... DO NOTHING` and there was one.
   */
  readonly insert: (sql: string) => (...values: Array<Value>) => Effect.Effect<number>
}>()("@pulumi-vps/service/Sql") {}

/** Tables that a reset keeps, as SQL: saved states, and what keeps a person signed in while the emulator is reset. */
export const UNTOUCHED = "'emulator_states', 'sessions', 'sign_in_links', 'challenges', 'console_tickets'"

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** The last id that a table has assigned. */
export type Sequence = readonly [table: string, last: number]

export interface Tables {
  /** The tables with the service's own data, each after those that its rows refer to. */
  readonly list: Effect.Effect<ReadonlyArray<Table>>
  /** Empties all of them; ids start again at 1. Part of a transaction, at whose end references are checked. */
  readonly empty: Effect.Effect<void>
  /** Of the tables that have assigned an id. */
  readonly sequences: Effect.Effect<ReadonlyArray<Sequence>>
  /** Continues after these; the tables were emptied, and may have rows again. Part of the same transaction. */
  readonly setSequences: (sequences: ReadonlyArray<Sequence>) => Effect.Effect<void>
  /** Continues after these where it has not got so far. */
  readonly advance: (sequences: ReadonlyArray<Sequence>) => Effect.Effect<void>
}
