/** A create: one durable transaction, after which a worker is notified. */
import * as Effect from "effect/Effect"
import { InFlight } from "../idempotency/InFlight.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { boundArrivals } from "../ratelimit/CreateRateLimits.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import { type PlaceOrder, placeOrder } from "./PlaceOrder.ts"

/** Fails as `placeOrder` does, or with `CreateInProgress`. */
export const buy = Effect.fnUntraced(function*(command: PlaceOrder) {
  const { caller, key } = command
  const { run } = yield* Transaction
  const { notify } = yield* WorkerNotifier
  // A client that disconnects must not come between the commit and the notification.
  const create = Effect.uninterruptible(
    run(placeOrder(command)).pipe(
      Effect.tap(({ replayed }) => replayed ? Effect.void : notify),
      Effect.tapErrorTag(
        "CreateLimitExceeded",
        ({ clockWasAhead }) => clockWasAhead ? run(boundArrivals(caller.accountId)) : Effect.void
      )
    )
  )
  return yield* key === undefined ? create : (yield* InFlight).under(caller, key, create)
})
