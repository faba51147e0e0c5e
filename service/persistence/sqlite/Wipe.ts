import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Wipe } from "../Wipe.ts"
import { Database } from "./Database.ts"

type Entry = [name: string, sql: string]

/** What was put aside under a name is not part of what goes on. */
const PUT_ASIDE = "emulator_states"

const entries = ({ all }: Database["Service"], type: "table" | "trigger"): ReadonlyArray<Entry> =>
  all<Entry>("SELECT name, sql FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%'")(type)

/** Every table that holds the service's own data. */
export const tablesOf = (db: Database["Service"]): ReadonlyArray<string> =>
  entries(db, "table").map(([name]) => name).filter((name) => name !== PUT_ASIDE)

/** Empties every table when it is called; has to be called in a transaction. */
export const wiping = (db: Database["Service"]): () => void => {
  const triggers = entries(db, "trigger")
  const sql = [
    // References are checked at the end of the transaction, so that the order of the tables does not matter.
    "PRAGMA defer_foreign_keys = ON",
    // The triggers that keep the ledger append-only have to step aside; they come back in the same transaction.
    ...triggers.map(([name]) => `DROP TRIGGER ${name}`),
    ...tablesOf(db).map((name) => `DELETE FROM ${name}`),
    "DELETE FROM sqlite_sequence",
    ...triggers.map(([, definition]) => definition)
  ].join(";")
  return () => db.connection.exec(sql)
}

const make = Effect.map(Database, (db) => Wipe.of({ everything: Effect.sync(wiping(db)) }))

export const layer: Layer.Layer<Wipe, never, Database> = Layer.effect(Wipe, make)
