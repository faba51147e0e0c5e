/** Checks for load balancers that the database can be written. */
import * as Effect from "effect/Effect"
import { Transaction } from "../persistence/Transaction.ts"

/** Dies with `StorageUnavailable` like any use of an unavailable database, which HTTP turns into a 503. */
export const checkDatabase = Effect.flatMap(Transaction, ({ health }) => Effect.orDie(health))
