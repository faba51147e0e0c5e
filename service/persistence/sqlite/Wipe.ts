import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Wipe } from "../Wipe.ts"
import { Database } from "./Database.ts"

type Entry = [name: string, sql: string]

const make = Effect.map(Database, ({ all, connection }) => {
  const entries = (type: "table" | "trigger") =>
    all<Entry>("SELECT name, sql FROM sqlite_schema WHERE type = ? AND name NOT LIKE 'sqlite_%'")(type)
  const triggers = entries("trigger")
  const sql = [
    // References are checked at the end of the transaction, so that the order of the tables does not matter.
    "PRAGMA defer_foreign_keys = ON",
    // The triggers that keep the ledger append-only have to step aside; they come back in the same transaction.
    ...triggers.map(([name]) => `DROP TRIGGER ${name}`),
    ...entries("table").map(([name]) => `DELETE FROM ${name}`),
    "DELETE FROM sqlite_sequence",
    ...triggers.map(([, definition]) => definition)
  ].join(";")
  return Wipe.of({ everything: Effect.sync(() => connection.exec(sql)) })
})

export const layer: Layer.Layer<Wipe, never, Database> = Layer.effect(Wipe, make)
