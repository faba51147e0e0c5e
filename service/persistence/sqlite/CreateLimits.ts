import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CreateLimits } from "../CreateLimits.ts"
import { Database } from "./Database.ts"

type Row = [perMinute: number | null, perHour: number | null, minuteArrival: number, hourArrival: number]

const make = Effect.map(Database, (db) => {
  const find = db.one<Row>(
    `SELECT creates_per_minute, creates_per_hour, create_minute_arrival, create_hour_arrival FROM accounts WHERE id = ?`
  )
  const take = db.run("UPDATE accounts SET create_minute_arrival = ?, create_hour_arrival = ? WHERE id = ?")
  const set = db.run("UPDATE accounts SET creates_per_minute = ?, creates_per_hour = ? WHERE id = ?")
  return CreateLimits.of({
    find: (accountId) =>
      Effect.suspend(() => {
        const row = find(accountId)
        if (row === undefined) return Effect.die(new Error(`account ${accountId} does not exist`))
        return Effect.succeed({ perMinute: row[0], perHour: row[1], minuteArrival: row[2], hourArrival: row[3] })
      }),
    take: (accountId, minute, hour) => Effect.sync(() => void take(minute, hour, accountId)),
    set: (accountId, { perHour, perMinute }) => Effect.sync(() => set(perMinute, perHour, accountId).changes === 1)
  })
})

export const layer: Layer.Layer<CreateLimits, never, Database> = Layer.effect(CreateLimits, make)
