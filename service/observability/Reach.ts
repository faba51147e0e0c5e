/** Whether what is asked can be kept: for those who send requests elsewhere when it cannot. */
import * as Effect from "effect/Effect"
import { Transaction } from "../persistence/Transaction.ts"

/** Dies as every use of a database that cannot be used: HTTP answers 503, and says why. */
export const reach = Effect.flatMap(Transaction, ({ health }) => Effect.orDie(health))
