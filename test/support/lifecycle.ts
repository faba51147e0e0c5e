/** Writes a lifecycle that nothing leads to here. */
import * as Effect from "effect/Effect"
import type { Lifecycle } from "#service/domain/InstanceStatus"
import { Sql } from "#service/persistence/Sql"

export const setLifecycle = (id: number, lifecycle: Lifecycle) =>
  Effect.flatMap(Sql, (sql) => sql.run("UPDATE instances SET lifecycle = ? WHERE id = ?")(lifecycle, id))
