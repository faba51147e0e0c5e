/** Writes a lifecycle that nothing leads to here. */
import * as Effect from "effect/Effect"
import { Sql } from "#service/persistence/Sql"
import type { Lifecycle } from "#service/contract/Words"

export const setLifecycle = (id: number, lifecycle: Lifecycle) =>
  Effect.flatMap(Sql, (sql) => sql.run("UPDATE instances SET lifecycle = ? WHERE id = ?")(lifecycle, id))
