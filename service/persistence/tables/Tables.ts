/** All tables at once, for the emulator's reset and its saved states. Each database keeps its own catalogue of them. */
import type * as Effect from "effect/Effect"
import type { Sql } from "../Sql.ts"
import * as Postgres from "./Postgres.ts"
import * as Sqlite from "./Sqlite.ts"

export interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
}

/** Of a table, the last id that it gave out. */
export type Sequence = readonly [table: string, last: number]

export interface Tables {
  /** Those that hold the service's own data, each after those that its rows refer to. */
  readonly list: Effect.Effect<ReadonlyArray<Table>>
  /** Empties all of them; ids start again at 1. Part of a transaction, at the end of which references are checked. */
  readonly empty: Effect.Effect<void>
  /** Of the tables that have given out an id. */
  readonly sequences: Effect.Effect<ReadonlyArray<Sequence>>
  /** Goes on after these; the tables were emptied, and may have rows again. Part of the same transaction. */
  readonly setSequences: (sequences: ReadonlyArray<Sequence>) => Effect.Effect<void>
}

export const tablesOf = (sql: Sql["Service"]): Tables =>
  sql.dialect === "sqlite" ? Sqlite.make(sql) : Postgres.make(sql)
