/** All data at once, for the emulator only: its reset, and named copies, which a reset does not delete. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, placeholders, selectAll, selectOne } from "./Columns.ts"
import { type Sequence, Sql, type Table, type Tables, type Value } from "./Sql.ts"

export interface SavedState {
  readonly name: string
  /** Epoch milliseconds of the emulator's clock. */
  readonly savedAt: number
}

export class SavedStates extends Context.Service<SavedStates, {
  /** By name. */
  readonly list: Effect.Effect<ReadonlyArray<SavedState>>
  /** Saves every table and the last ids; replaces a state of the same name. Part of a transaction. */
  readonly save: (state: SavedState) => Effect.Effect<void>
  readonly find: (name: string) => Effect.Effect<SavedState | undefined>
  /** Restores everything as it was saved; dies when there is no such state. Part of a transaction. */
  readonly restore: (name: string) => Effect.Effect<void>
}>()("@pulumi-vps/service/SavedStates") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const tables = sql.dialect.tables(sql)
      const read = reading(sql, tables)
      const write = writing(sql, tables)
      const list = selectAll(sql, STATE, "FROM emulator_states ORDER BY name")
      const content = sql.one<[string]>("SELECT content FROM emulator_states WHERE name = ?")
      const save = sql.run(
        `INSERT INTO emulator_states (name, saved_at, content) VALUES (?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET saved_at = excluded.saved_at, content = excluded.content`
      )
      return {
        list: list(),
        save: ({ name, savedAt }) =>
          Effect.flatMap(read, (everything) => Effect.asVoid(save(name, savedAt, JSON.stringify(everything)))),
        find: selectOne(sql, STATE, "FROM emulator_states WHERE name = ?"),
        restore: (name) =>
          Effect.flatMap(content(name), (saved) =>
            saved === undefined
              ? Effect.die(new Error(`there is no state ${name}`))
              : Effect.andThen(tables.empty, write(JSON.parse(saved[0]) as Content)))
      }
    })
  )
}

const STATE = columns<SavedState>({ name: "name", savedAt: "saved_at" })

interface Content {
  readonly tables: ReadonlyArray<Table & { readonly rows: ReadonlyArray<ReadonlyArray<Value>> }>
  readonly sequences: ReadonlyArray<Sequence>
}

const reading = (sql: Sql["Service"], tables: Tables): Effect.Effect<Content> => {
  const rowsOf = ({ columns, name }: Table) => sql.all<Array<Value>>(`SELECT ${columns.join(", ")} FROM ${name}`)()
  const contents = Effect.flatMap(
    tables.list,
    Effect.forEach((table) => Effect.map(rowsOf(table), (rows) => ({ ...table, rows })))
  )
  return Effect.zipWith(contents, tables.sequences, (tables, sequences) => ({ tables, sequences }))
}

const writing = (sql: Sql["Service"], tables: Tables) => {
  const insertAll = ({ columns, name, rows }: Content["tables"][number]) => {
    const insert = sql.run(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${placeholders(columns.length)})`)
    return Effect.forEach(rows, (row) => insert(...row), { discard: true })
  }
  return (content: Content): Effect.Effect<void> =>
    Effect.forEach(content.tables, insertAll, { discard: true }).pipe(
      Effect.andThen(tables.setSequences(content.sequences))
    )
}

export class Wipe extends Context.Service<Wipe, {
  /** Empties every table; ids start again at 1. Runs in a transaction. */
  readonly everything: Effect.Effect<void>
}>()("@pulumi-vps/service/Wipe") {
  static readonly layer = Layer.effect(this, Effect.map(Sql, (sql) => ({ everything: sql.dialect.tables(sql).empty })))
}
