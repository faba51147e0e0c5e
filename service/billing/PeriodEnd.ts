/** The end of a paid period: renews the instance or lets it expire, and deletes it after the grace period. */
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import { enqueueAs } from "../operations/Enqueue.ts"
import { Expire } from "../operations/Expire.ts"
import { chargePeriod, recordRenewal } from "../operations/Renew.ts"
import { beginTermination } from "../operations/Terminate.ts"
import type { Subscription } from "../persistence/instances/Subscriptions.ts"
import { Instances } from "../persistence/Instances.ts"

/** Expired from now on; what remains is to power it off. */
const expire = Effect.fnUntraced(function*({ instanceId }: Subscription, at: number) {
  yield* (yield* Instances).subscriptions.expire(instanceId, at + (yield* Limits).EXPIRY_GRACE_MILLIS)
  yield* enqueueAs("system", instanceId, Expire.task({}), at)
})

/** Renews the instance or lets it expire, unless another replica was faster. Part of its caller's transaction. */
export const endPeriod = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const subscription = yield* (yield* Instances).subscriptions.find(instanceId)
  if (subscription === undefined || subscription.busy || (subscription.renewAfter ?? subscription.expiresAt) > at) {
    return
  }
  if (subscription.lifecycle !== "active" && subscription.lifecycle !== "suspended") return
  if (!subscription.autoRenew) return yield* expire(subscription, at)
  const refusal = yield* chargePeriod(subscription, at)
  if (refusal === undefined) return
  yield* recordRenewal(instanceId, at, refusal)
  yield* expire(subscription, at)
})

/**
 * The grace period is over, or a termination has to be attempted again: the machine of an expired instance is deleted;
 * a failed one, which has none, leaves the list. Part of its caller's transaction.
 */
export const deleteDue = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const instances = yield* Instances
  const instance = yield* instances.find(instanceId)
  if (instance === undefined || instance.task !== undefined) return
  const { graceUntil, lifecycle, terminateAt } = instance
  if ((terminateAt ?? graceUntil ?? at) > at) return
  if (lifecycle === "expired") yield* beginTermination("system", instanceId, at)
  if (lifecycle === "failed") yield* instances.subscriptions.delete(instanceId, at)
})
