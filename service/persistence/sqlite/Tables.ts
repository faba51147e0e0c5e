import * as Effect from "effect/Effect"
import { type Sequence, type Sql, type Table, type Tables, UNTOUCHED } from "../Sql.ts"
import * as Rows from "../Rows.ts"

type Entry = readonly [name: string, definition: string]

const emptying = (
  triggers: ReadonlyArray<Entry>,
  tables: ReadonlyArray<readonly [name: string]>
): ReadonlyArray<string> => [
  // References are checked at the end of the transaction, so that the order of the tables does not matter.
  "PRAGMA defer_foreign_keys = ON",
  // The triggers that make the ledger append-only are dropped, and created again in the same transaction.
  ...triggers.map(([name]) => `DROP TRIGGER ${name}`),
  ...tables.map(([name]) => `DELETE FROM ${name}`),
  "DELETE FROM sqlite_sequence",
  ...triggers.map(([, definition]) => definition)
]

export const tables = (sql: Sql["Service"]): Tables => {
  const tables = sql.all<[name: string]>(
    `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN (${UNTOUCHED})`
  )
  const columns = sql.all<[name: string]>("SELECT name FROM pragma_table_info(?)")
  const triggers = sql.all<Entry>("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'")
  const sequences = sql.all<Sequence>("SELECT name, seq FROM sqlite_sequence")
  const forget = sql.run("DELETE FROM sqlite_sequence")
  const remember = sql.run("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)")
  const advance = sql.run("UPDATE sqlite_sequence SET seq = max(seq, ?2) WHERE name = ?1")
  const list = Effect.flatMap(
    tables(),
    Effect.forEach(([name]) => Effect.map(Rows.column(columns(name)), (names): Table => ({ name, columns: names })))
  )
  return {
    list,
    empty: Effect.flatMap(
      Effect.zipWith(triggers(), tables(), emptying),
      Effect.forEach((text) => sql.run(text)(), { discard: true })
    ),
    sequences: sequences(),
    // Inserted rows have advanced them; ids that were assigned and deleted since count, too.
    setSequences: (lasts) =>
      Effect.andThen(forget(), Effect.forEach(lasts, ([name, last]) => remember(name, last), { discard: true })),
    advance: Effect.forEach(
      ([name, last]) => Effect.flatMap(advance(name, last), (rows) => rows === 0 ? remember(name, last) : Effect.void),
      { discard: true }
    )
  }
}
