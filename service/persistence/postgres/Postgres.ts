/** PostgreSQL, ready for repositories: schema, transactions, the shared clock, and the bus of replicas. */
import * as Layer from "effect/Layer"
import * as DatabaseClock from "./Clock.ts"
import * as Database from "./Database.ts"
import * as Notifications from "./Notifications.ts"
import * as Pool from "./Pool.ts"
import * as Start from "./Startup.ts"
import * as Transaction from "./Transaction.ts"

/** Fails with `DatabaseUnusable` when it cannot be reached, is too old, or belongs to a newer service. */
export const layer = (url: string) =>
  Layer.mergeAll(Database.layer, Transaction.layer, DatabaseClock.layer, Notifications.layer).pipe(
    Layer.provideMerge(Start.layer(url)),
    Layer.provideMerge(Pool.layer(url))
  )
