/** Whether what is asked can be kept. */
import * as Effect from "effect/Effect"
import { Transaction } from "../persistence/Transaction.ts"

/** Fails with `StorageUnavailable`, which says why not. */
export const health = Effect.flatMap(Transaction, (transaction) => transaction.health)
