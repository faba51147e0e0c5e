import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type SavedState, SavedStates } from "../SavedStates.ts"
import { Sql, type Value } from "../Sql.ts"
import * as Rows from "../Rows.ts"
import { type Sequence, type Table, type Tables, tablesOf } from "./tables/Tables.ts"

interface Content {
  readonly tables: ReadonlyArray<Table & { readonly rows: ReadonlyArray<ReadonlyArray<Value>> }>
  readonly sequences: ReadonlyArray<Sequence>
}

type Row = [name: string, savedAt: number]

const toState = ([name, savedAt]: Row): SavedState => ({ name, savedAt })

/** Each text is prepared once, however often a state is saved or restored. */
const once = <A>(prepare: (text: string) => A) => {
  const prepared = new Map<string, A>()
  return (text: string): A => {
    const statement = prepared.get(text) ?? prepare(text)
    prepared.set(text, statement)
    return statement
  }
}

const reading = (sql: Sql["Service"], tables: Tables): Effect.Effect<Content> => {
  const all = once((text) => sql.all<Array<Value>>(text))
  const rowsOf = ({ columns, name }: Table) => all(`SELECT ${columns.join(", ")} FROM ${name}`)()
  const contents = Effect.flatMap(
    tables.list,
    Effect.forEach((table) => Effect.map(rowsOf(table), (rows) => ({ ...table, rows })))
  )
  return Effect.zipWith(contents, tables.sequences, (tables, sequences) => ({ tables, sequences }))
}

const writing = (sql: Sql["Service"], tables: Tables) => {
  const run = once(sql.run)
  const insert = ({ columns, name }: Table) =>
    run(`INSERT INTO ${name} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})`)
  return (content: Content): Effect.Effect<void> =>
    Effect.andThen(
      Effect.forEach(
        content.tables,
        (table) => Effect.forEach(table.rows, (row) => insert(table)(...row), { discard: true }),
        { discard: true }
      ),
      tables.setSequences(content.sequences)
    )
}

const make = Effect.map(Sql, (sql) => {
  const tables = tablesOf(sql)
  const read = reading(sql, tables)
  const write = writing(sql, tables)
  const list = sql.all<Row>(`SELECT name, saved_at FROM emulator_states ORDER BY name`)
  const find = sql.one<Row>("SELECT name, saved_at FROM emulator_states WHERE name = ?")
  const content = sql.one<[string]>("SELECT content FROM emulator_states WHERE name = ?")
  const save = sql.run(
    `INSERT INTO emulator_states (name, saved_at, content) VALUES (?, ?, ?)
     ON CONFLICT (name) DO UPDATE SET saved_at = excluded.saved_at, content = excluded.content`
  )
  return SavedStates.of({
    list: Rows.each(list(), toState),
    save: ({ name, savedAt }) =>
      Effect.flatMap(read, (everything) => Effect.asVoid(save(name, savedAt, JSON.stringify(everything)))),
    find: (name) => Rows.optional(find(name), toState),
    restore: (name) =>
      Effect.flatMap(content(name), (saved) =>
        saved === undefined
          ? Effect.die(new Error(`there is no state ${name}`))
          : Effect.andThen(tables.empty, write(JSON.parse(saved[0]) as Content)))
  })
})

export const layer: Layer.Layer<SavedStates, never, Sql> = Layer.effect(SavedStates, make)
