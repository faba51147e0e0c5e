/** Takes a machine down for good. What a failed provisioning left behind goes the same way; it stays `failed`. */
import * as Effect from "effect/Effect"
import { Limits } from "../../config/Limits.ts"
import { Backups } from "../../persistence/Backups.ts"
import { Contracts } from "../../persistence/Contracts.ts"
import { IdempotencyKeys } from "../../persistence/IdempotencyKeys.ts"
import { Snapshots } from "../../persistence/Snapshots.ts"
import { PAID_BUDGET, type Saga, type TaskContext } from "../../operations/Saga.ts"

export const terminate = ({ instance }: TaskContext): Saga => ({
  // A machine that is forgotten at the upstream costs money for ever.
  retry: PAID_BUDGET,
  steps: Effect.succeed([{ type: "terminate" }]),
  complete: Effect.fnUntraced(function*(_, at) {
    if (instance.lifecycle === "failed") return
    // The upstream's images went with the machine.
    yield* (yield* Snapshots).removeAll(instance.id)
    yield* (yield* Backups).removeAll(instance.id)
    yield* (yield* Contracts).delete(instance.id, at)
    yield* (yield* IdempotencyKeys).forgetAt(instance.id, at + (yield* Limits).IDEMPOTENCY_RETENTION_MILLIS)
  }),
  fail: Effect.fnUntraced(function*(at) {
    // Its grace is over already: this is when the deletion is tried again.
    if (instance.lifecycle !== "expired") return
    yield* (yield* Contracts).setGrace(instance.id, at + (yield* Limits).TERMINATE_RETRY_MILLIS)
  }),
  compensation: null
})
