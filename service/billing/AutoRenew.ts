/** The automatic renewal of an instance: if it is off, the instance expires at the end of its period. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { deletionBegun } from "../domain/InstanceStatus.ts"
import { reviveOne } from "../operations/Renew.ts"
import { Instances } from "../persistence/Instances.ts"
import type { AuditEntry } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"

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
