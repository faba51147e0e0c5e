/** Deletes all data: for the emulator's reset only. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sql } from "./Sql.ts"

export class Wipe extends Context.Service<Wipe, {
  /** Empties every table; ids start again at 1. Runs in a transaction. */
  readonly everything: Effect.Effect<void>
}>()("pulumi-vps/service/Wipe") {
  static readonly layer = Layer.effect(this, Effect.map(Sql, (sql) => ({ everything: sql.dialect.tables(sql).empty })))
}
