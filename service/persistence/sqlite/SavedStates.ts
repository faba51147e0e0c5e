import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SavedState, SavedStates } from "../SavedStates.ts"
import type { Value } from "../Sql.ts"
import { Database } from "./Database.ts"
import { tablesOf, wiping } from "./Wipe.ts"

interface Table {
  readonly name: string
  readonly columns: ReadonlyArray<string>
  readonly rows: ReadonlyArray<ReadonlyArray<Value>>
}

interface Content {
  readonly tables: ReadonlyArray<Table>
  /** Of each table, the last id that it gave out. */
  readonly sequences: ReadonlyArray<readonly [table: string, last: number]>
}

type Row = [name: string, savedAt: number]

const toState = ([name, savedAt]: Row): SavedState => ({ name, savedAt })

const read = (db: Database["Service"]): Content => ({
  tables: tablesOf(db).map((name) => {
    const columns = db.all<[string]>("SELECT name FROM pragma_table_info(?)")(name).map(([column]) => column)
    return { name, columns, rows: db.all<Array<Value>>(`SELECT ${columns.join(", ")} FROM ${name}`)() }
  }),
  sequences: db.all<[string, number]>("SELECT name, seq FROM sqlite_sequence")()
})

const write = (db: Database["Service"], { sequences, tables }: Content): void => {
  for (const { columns, name, rows } of tables) {
    const insert = db.run(
      `INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`
    )
    for (const row of rows) insert(...row)
  }
  // Rows that were inserted have moved them; what was given out and is gone again counts, too.
  db.connection.exec("DELETE FROM sqlite_sequence")
  const sequence = db.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
  for (const [name, last] of sequences) sequence(name, last)
}

const make = Effect.map(Database, (db) => {
  const wipe = wiping(db)
  const list = db.all<Row>("SELECT name, saved_at FROM emulator_states ORDER BY name")
  const find = db.one<Row>("SELECT name, saved_at FROM emulator_states WHERE name = ?")
  const content = db.one<[string]>("SELECT content FROM emulator_states WHERE name = ?")
  const save = db.run("INSERT OR REPLACE INTO emulator_states (name, saved_at, content) VALUES (?, ?, ?)")
  return SavedStates.of({
    list: Effect.sync(() => list().map(toState)),
    save: ({ name, savedAt }) => Effect.sync(() => void save(name, savedAt, JSON.stringify(read(db)))),
    find: (name) =>
      Effect.sync(() => {
        const row = find(name)
        return row === undefined ? undefined : toState(row)
      }),
    restore: (name) =>
      Effect.suspend(() => {
        const saved = content(name)
        if (saved === undefined) return Effect.die(new Error(`there is no state ${name}`))
        wipe()
        write(db, JSON.parse(saved[0]) as Content)
        return Effect.void
      })
  })
})

export const layer: Layer.Layer<SavedStates, never, Database> = Layer.effect(SavedStates, make)
