/**
 * Termination deletes a machine, or the remains of a failed provisioning; the instance stays `failed` then. One that
 * has begun is final: the upstream may have deleted the machine although it did not confirm that, so no payment
 * revives it.
 */
import * as Effect from "effect/Effect"
import { Instances } from "../persistence/Instances.ts"
import { define, NoParams } from "./Operation.ts"
import { release } from "../catalogue/Capacity.ts"
import { Limits } from "../config/Limits.ts"
import { Backups, Snapshots } from "../persistence/Snapshots.ts"
import { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import type { Actor } from "../persistence/tasks/Task.ts"
import { enqueueAs } from "./Enqueue.ts"

export const Terminate = define({
  type: "terminate",
  params: NoParams,
  // A machine that is forgotten at the upstream costs money until an operator notices.
  retry: "persistent",
  execute: () => Effect.succeed([{ type: "terminate" }]),
  complete: Effect.fnUntraced(function*({ instance }, _, at) {
    yield* release(instance.id, at)
    if (instance.lifecycle === "failed" || instance.lifecycle === "deleted") return
    // The upstream's images went with the machine.
    yield* (yield* Snapshots).removeAll(instance.id)
    yield* (yield* Backups).removeAll(instance.id)
    yield* (yield* Instances).subscriptions.delete(instance.id, at)
    yield* (yield* IdempotencyKeys).expireAt(instance.id, at + (yield* Limits).IDEMPOTENCY_RETENTION_MILLIS)
  }),
  fail: Effect.fnUntraced(function*({ instance }, at) {
    if (instance.lifecycle !== "expired") return
    yield* (yield* Instances).subscriptions.terminate(instance.id, at + (yield* Limits).TERMINATE_RETRY_MILLIS)
  }),
  recovery: {
    retryable: true,
    // A failed instance leaves the list after a while, also if its machine still exists.
    lifecycles: ["failed", "expired", "deleted"],
    unreconciled: { left: "the machine may still exist" }
  }
})

/** Ends a deployed instance permanently; returns the id of the task. Part of its caller's transaction. */
export const beginTermination = Effect.fnUntraced(function*(
  actor: Exclude<Actor, "api_key">,
  instanceId: number,
  at: number
) {
  yield* (yield* Instances).subscriptions.terminate(instanceId, at)
  return yield* enqueueAs(actor, instanceId, Terminate.task({}), at)
})
