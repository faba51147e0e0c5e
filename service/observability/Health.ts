/** Checks for load balancers and operators: whether the time is trusted, and the database can be written. */
import * as Effect from "effect/Effect"
import { ClockTrust } from "../persistence/clock/ServiceClock.ts"
import { Transaction } from "../persistence/Transaction.ts"

/** Null while it is. */
export const clockDoubt = Effect.map(ClockTrust, ({ doubt }) => doubt())

/** Dies with `StorageUnavailable` like any use of an unavailable database, which HTTP turns into a 503. */
export const checkDatabase = Effect.flatMap(Transaction, ({ health }) => Effect.orDie(health))
