import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CreateLimits } from "../CreateLimits.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

const make = Effect.map(Sql, (sql) => {
  const take = sql.run("UPDATE accounts SET create_minute_arrival = ?, create_hour_arrival = ? WHERE id = ?")
  const set = sql.run("UPDATE accounts SET creates_per_minute = ?, creates_per_hour = ? WHERE id = ?")
  return CreateLimits.of({
    take: (accountId, minute, hour) => Effect.asVoid(take(minute, hour, accountId)),
    set: (accountId, { perHour, perMinute }) => Rows.changed(set(perMinute, perHour, accountId))
  })
})

export const layer: Layer.Layer<CreateLimits, never, Sql> = Layer.effect(CreateLimits, make)
