import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CreateLimits } from "../CreateLimits.ts"
import { Database } from "./Database.ts"

const make = Effect.map(Database, (db) => {
  const take = db.run("UPDATE accounts SET create_minute_arrival = ?, create_hour_arrival = ? WHERE id = ?")
  const set = db.run("UPDATE accounts SET creates_per_minute = ?, creates_per_hour = ? WHERE id = ?")
  return CreateLimits.of({
    take: (accountId, minute, hour) => Effect.sync(() => void take(minute, hour, accountId)),
    set: (accountId, { perHour, perMinute }) => Effect.sync(() => set(perMinute, perHour, accountId).changes === 1)
  })
})

export const layer: Layer.Layer<CreateLimits, never, Database> = Layer.effect(CreateLimits, make)
