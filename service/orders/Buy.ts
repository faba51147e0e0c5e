/** A create from the outside: one durable transaction, and only then a worker is woken. */
import * as Effect from "effect/Effect"
import { Transaction } from "../persistence/Transaction.ts"
import { Wake } from "../Wake.ts"
import { type PlaceOrder, placeOrder } from "./PlaceOrder.ts"

export const buy = Effect.fnUntraced(function*(command: PlaceOrder) {
  const placed = yield* (yield* Transaction).run(placeOrder(command))
  if (!placed.replayed) yield* (yield* Wake).worker
  return placed
})
