import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Wipe } from "../Wipe.ts"
import { Database } from "./Database.ts"

const make = Effect.map(Database, ({ all, connection }) => {
  const names = all<[string]>("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'")()
  // References are checked at the end of the transaction, so that the order of the tables does not matter.
  const statements = [
    "PRAGMA defer_foreign_keys = ON",
    ...names.map(([name]) => `DELETE FROM ${name}`),
    "DELETE FROM sqlite_sequence"
  ]
  const sql = statements.join(";")
  return Wipe.of({ everything: Effect.sync(() => connection.exec(sql)) })
})

export const layer: Layer.Layer<Wipe, never, Database> = Layer.effect(Wipe, make)
