/** The mails about the turns of a contract: each is written in the transaction of the turn, once. */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { post } from "../mail/Outbox.ts"
import { Instances } from "../persistence/Instances.ts"
import { ownerOf } from "../instances/Admission.ts"

/** The owner and the name of an instance. */
const aboutInstance = Effect.fnUntraced(function*(instanceId: number) {
  const instance = yield* (yield* Instances).find(instanceId)
  if (instance === undefined) return yield* Effect.die(new Error(`instance ${instanceId} is missing`))
  const { currency, email, wallet } = yield* ownerOf(instance)
  const { accountId, expiresAt, hostname } = instance
  return { to: { accountId, instanceId, email }, named: { instanceId, hostname }, currency, expiresAt, wallet }
})

/** The end of its period, with the last day to pay. `charge`: of the next period. */
export const mailExpired = Effect.fnUntraced(function*(
  { autoRenew, charge, expiresAt, graceUntil, instanceId }: {
    readonly instanceId: number
    readonly expiresAt: number
    readonly graceUntil: number
    readonly charge: Minor
    readonly autoRenew: boolean
  },
  at: number
) {
  const { currency, named, to, wallet } = yield* aboutInstance(instanceId)
  const facts = { ...named, autoRenew, charge, currency, graceUntil, missing: Math.max(0, charge - wallet) }
  yield* post("expired", to, `${instanceId}:${expiresAt}`, facts, at)
})

/** `byHost`: an operator deletes it; else nothing paid for it until the end of its grace period. */
export const mailDeleted = Effect.fnUntraced(function*(instanceId: number, byHost: boolean, at: number) {
  const { named, to } = yield* aboutInstance(instanceId)
  yield* post("deleted", to, String(instanceId), { ...named, byHost, at }, at)
})

export const mailSuspended = Effect.fnUntraced(function*(
  instanceId: number,
  { freeSince, reason }: { readonly reason: string; readonly freeSince: number | null },
  at: number
) {
  const { named, to } = yield* aboutInstance(instanceId)
  const facts = { ...named, reason, isCharged: freeSince === null, at }
  yield* post("suspended", to, `${instanceId}:${at}`, facts, at)
})

export const mailUnsuspended = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const { expiresAt, named, to } = yield* aboutInstance(instanceId)
  yield* post("unsuspended", to, `${instanceId}:${at}`, { ...named, expiresAt, at }, at)
})

/** The deployment of an order failed, and its charge is back in the wallet. */
export const mailDeploymentFailed = Effect.fnUntraced(function*(instanceId: number, refund: Minor, at: number) {
  const { currency, named, to } = yield* aboutInstance(instanceId)
  yield* post("deployment_failed", to, String(instanceId), { ...named, refund, currency, at }, at)
})

/** The paid period of an instance was corrected; `type` says how, and `text` in sentences. */
export const mailCorrected = Effect.fnUntraced(function*(
  { expiresAt, instanceId, text, type }: {
    readonly instanceId: number
    readonly type: "undo_renew" | "undo_expire"
    readonly text: string
    readonly expiresAt: number
  },
  at: number
) {
  const { named, to } = yield* aboutInstance(instanceId)
  yield* post("corrected", to, `${instanceId}:${type}:${at}`, { ...named, text, expiresAt }, at)
})

/** An operator rejected the order, and its charge is back in the wallet. */
export const mailRejected = Effect.fnUntraced(function*(
  instanceId: number,
  order: { readonly planName: string; readonly reason: string; readonly refund: Minor },
  at: number
) {
  const { currency, named, to } = yield* aboutInstance(instanceId)
  yield* post("order_rejected", to, String(instanceId), { ...named, ...order, currency, at }, at)
})
