/**
 * The end of a paid period: renews the instance or lets it expire, and deletes it after the grace period. Without
 * automatic renewal, it expires at the end of its period.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { authorOf, type Caller } from "../domain/Caller.ts"
import { deletionBegun } from "../domain/InstanceMachine.ts"
import { chargePeriod, nextCharge, recordRenewal, reviveOne } from "../operations/Renew.ts"
import { assertNotFrozen, findOwn, ownerOf } from "../instances/Admission.ts"
import { mailDeleted, mailExpired } from "../operations/ContractMails.ts"
import { Instances } from "../persistence/Instances.ts"
import type { AuditEntry } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Limits } from "../config/Limits.ts"
import { enqueueAs } from "../operations/Enqueue.ts"
import { beginTermination } from "../operations/Terminate.ts"
import { Expire } from "../operations/Expire.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import type { Subscription } from "../persistence/instances/Subscriptions.ts"

type Author = Pick<AuditEntry, "actor" | "apiKeyId" | "personId" | "requestId">

/** The instance cannot be renewed; the message says what to do instead. */
class NotRenewable extends Schema.TaggedError<NotRenewable>()("NotRenewable", { message: Schema.String }) {}

/** Runs in a transaction. The instance is not deleted. Fails with `NotRenewable`. */
export const setAutoRenew = Effect.fnUntraced(function*(
  instanceId: number,
  autoRenew: boolean,
  { actor, apiKeyId, personId, requestId }: Author,
  at: number
) {
  const { subscriptions } = yield* Instances
  const before = yield* subscriptions.find(instanceId)
  if (before === undefined || before.lifecycle === "failed") {
    return yield* new NotRenewable({
      message: `Instance ${instanceId} was never deployed, so there is nothing to renew. Order a new instance.`
    })
  }
  if (autoRenew && before.terminateAt !== null) {
    return yield* new NotRenewable({
      message: `${deletionBegun(instanceId)} Order a new instance.`
    })
  }
  if (before.autoRenew !== autoRenew) {
    yield* subscriptions.setAutoRenew(instanceId, autoRenew)
    yield* (yield* Tasks).recordAudit({
      actor,
      apiKeyId,
      personId,
      requestId,
      instanceId,
      type: "set_auto_renew",
      status: "succeeded",
      error: null,
      at
    })
  }
  // An instance that expired without automatic renewal is renewed now, if the wallet covers the price.
  const renewed = yield* reviveOne(instanceId, at)
  return { renewed, subscription: yield* subscriptions.find(instanceId) }
})

/**
 * `setAutoRenew` for a customer. The worker executes what it queued. Fails with `InstanceNotFound` or `AccountFrozen`,
 * too: turning it on renews an instance that has expired.
 */
export const changeAutoRenew = Effect.fnUntraced(function*(caller: Caller, instanceId: number, autoRenew: boolean) {
  const at = yield* Clock.currentTimeMillis
  const set = setAutoRenew(instanceId, autoRenew, authorOf(caller), at)
  const admitted = autoRenew ? Effect.flatMap(ownerOf(caller), assertNotFrozen) : Effect.void
  const changed = yield* (yield* Transaction).run(
    Effect.andThen(Effect.andThen(findOwn(caller, instanceId), admitted), set)
  )
  yield* (yield* WorkerNotifier).notify
  return changed
})

/** Expired from now on; what remains is to power it off. */
const expire = Effect.fnUntraced(function*(subscription: Subscription, at: number) {
  const { autoRenew, expiresAt, instanceId } = subscription
  const graceUntil = at + (yield* Limits).EXPIRY_GRACE_MILLIS
  yield* (yield* Instances).subscriptions.expire(instanceId, graceUntil)
  yield* enqueueAs("system", instanceId, Expire.task({}), at)
  const charge = nextCharge(subscription, (yield* ownerOf(subscription)).vat)
  yield* mailExpired({ instanceId, expiresAt, graceUntil, charge, autoRenew }, at)
})

/** Renews the instance or lets it expire, unless another replica was faster. Part of its caller's transaction. */
export const endPeriod = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const subscription = yield* (yield* Instances).subscriptions.find(instanceId)
  if (subscription === undefined || subscription.busy || (subscription.renewAfter ?? subscription.expiresAt) > at) {
    return
  }
  if (subscription.isFree || subscription.lifecycle !== "active" && subscription.lifecycle !== "suspended") return
  if (!subscription.autoRenew) return yield* expire(subscription, at)
  const refusal = yield* chargePeriod(subscription, at)
  if (refusal === undefined) return
  yield* recordRenewal(instanceId, at, refusal)
  yield* expire(subscription, at)
})

/**
 * The grace period is over, or a termination has to be attempted again: the machine of an expired instance is deleted,
 * unless the wallet pays for it now; a failed one, which has none, leaves the list. Part of its caller's transaction.
 */
export const deleteDue = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const instances = yield* Instances
  const instance = yield* instances.find(instanceId)
  if (instance === undefined || instance.task !== undefined) return
  const { graceUntil, lifecycle, terminateAt } = instance
  if ((terminateAt ?? graceUntil ?? at) > at) return
  if (lifecycle === "expired" && !(yield* reviveOne(instanceId, at, true))) {
    yield* beginTermination("system", instanceId, at)
    yield* mailDeleted(instanceId, false, at)
  }
  if (lifecycle === "failed") yield* instances.subscriptions.delete(instanceId, at)
})
