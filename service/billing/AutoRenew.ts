/** The automatic renewal of an instance: if it is off, the instance expires at the end of its period. */
import * as Effect from "effect/Effect"
import { reviveOne } from "../operations/Renew.ts"
import { Instances } from "../persistence/Instances.ts"
import type { AuditEntry } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"

type Author = Pick<AuditEntry, "actor" | "apiKeyId" | "personId" | "requestId">

/** Runs in a transaction. The instance was deployed and is not deleted. */
export const setAutoRenew = Effect.fnUntraced(function*(
  instanceId: number,
  autoRenew: boolean,
  { actor, apiKeyId, personId, requestId }: Author,
  at: number
) {
  const { subscriptions } = yield* Instances
  const before = yield* subscriptions.find(instanceId)
  if (before?.autoRenew !== autoRenew) {
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
