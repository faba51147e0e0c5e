/**
 * Charges the next period of an instance, and revives one that expired for lack of money. Each function is part of its
 * caller's transaction. The reference of a charge contains the period's start, so a period is charged once.
 */
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import { nextPeriodEnd } from "../domain/Period.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { explainVat } from "../domain/Explanation.ts"
import { deletionBegun } from "../domain/InstanceMachine.ts"
import { asText, type Charged, type Minor, toAmount } from "../domain/Money.ts"
import { type CustomerVat, price } from "../domain/Vat.ts"
import { ownerOf } from "../instances/Admission.ts"
import { pay } from "../ledger/Ledger.ts"
import { refundReference } from "../ledger/Refunds.ts"
import type { Subscription } from "../persistence/instances/Subscriptions.ts"
import { Instances } from "../persistence/Instances.ts"
import { Journals } from "../persistence/Journals.ts"
import { Orders } from "../persistence/Orders.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { enqueueAs } from "./Enqueue.ts"
import { Start } from "./Power.ts"

type Period = Pick<Subscription, "expiresAt" | "orderId" | "pausedMillis">

/** Unique for each charged period, also for one that is moved by a pause later. */
export const renewReference = ({ expiresAt, orderId, pausedMillis }: Period): string =>
  `instance_renew:order:${orderId}:${toTimestamp(expiresAt - pausedMillis)}`

/** The reference of the next charge for a period, or of its charge that was not refunded: one may have been undone. */
export const openReference = Effect.fnUntraced(function*(period: Period) {
  const { find } = yield* Journals
  const first = renewReference(period)
  let reference = first
  for (let count = 2; (yield* find(refundReference(reference))) !== undefined; count++) reference = `${first}:${count}`
  return reference
})

/** Records a renewal in the feed, with its charge or the reason why there was none; it has no work to do. */
export const recordRenewal = Effect.fnUntraced(function*(instanceId: number, at: number, outcome: Charged | string) {
  const by = { actor: "system", apiKeyId: null, requestId: null } as const
  const result = typeof outcome === "string"
    ? { status: "failed", error: outcome } as const
    : { status: "succeeded", error: null, params: JSON.stringify(outcome) } as const
  yield* (yield* Tasks).recordAudit({ ...by, instanceId, type: "renew", at, ...result })
})

type Prices = Pick<Subscription, "expiresAt" | "nextPrice" | "nextPriceFrom">

/** The price that was announced for the next period, if any. */
export const announced = ({ expiresAt, nextPrice, nextPriceFrom }: Prices): Minor | null =>
  (nextPriceFrom ?? expiresAt) <= expiresAt ? nextPrice : null

/** The charge of the period that begins at a moment, as the owner pays it. */
export const chargeAt = (
  { nextPrice, nextPriceFrom, price: now }: Pick<Subscription, "nextPrice" | "nextPriceFrom" | "price">,
  vat: CustomerVat,
  begin: number
): Minor => price(announced({ nextPrice, nextPriceFrom, expiresAt: begin }) ?? now, vat).charge

/** The charge of the next period, as the owner pays it. */
export const nextCharge = (subscription: Prices & Pick<Subscription, "price">, vat: CustomerVat): Minor =>
  chargeAt(subscription, vat, subscription.expiresAt)

/**
 * The begin and the end of the next period. One that is paid long after the end of the period before begins with the
 * payment: the instance was off, and a time that is over has no buyer.
 */
const nextPeriod = Effect.fnUntraced(function*(subscription: Subscription, at: number) {
  const { expiresAt, lifecycle, paidFrom, pausedMillis } = subscription
  const off = lifecycle === "expired" ? at - expiresAt : 0
  const pause = off > (yield* Limits).LATE_PAYMENT_MILLIS ? off : 0
  const paused = pausedMillis + pause
  return { from: expiresAt + pause, to: nextPeriodEnd(paidFrom, expiresAt - pausedMillis) + paused, paused }
})

/** Charges the next period at the order's price. Returns the reason, and writes nothing, if the balance is low. */
export const chargePeriod = Effect.fnUntraced(function*(subscription: Subscription, at: number) {
  const { vat, wallet } = yield* ownerOf(subscription)
  const { accountId, currency, instanceId } = subscription
  const { from, paused, to } = yield* nextPeriod(subscription, at)
  const nextPrice = announced({ ...subscription, expiresAt: from })
  const listPrice = nextPrice ?? subscription.price
  const charge = price(listPrice, vat)
  const reference = yield* openReference(subscription)
  const suspended = subscription.suspended ? { suspended: true } : {}
  const explanation = { plan: subscription.plan, price: listPrice, from, to, ...suspended, ...explainVat(vat) }
  if (wallet < 0) {
    return `The account owes ${asText(toAmount(-wallet))} ${currency}. Nothing is renewed until that is paid.`
  }
  const purpose = { kind: "instance_renew", instanceId, explanation } as const
  const paid = yield* pay({ ...purpose, accountId, reference, price: charge, currency, at })
  if (!paid) {
    return `The wallet holds ${asText(toAmount(wallet))} ${currency}; the next period costs ${
      asText(toAmount(charge.charge))
    } ${currency}.`
  }
  if (nextPrice !== null) yield* (yield* Orders).applyNextPrice(subscription.orderId)
  const renewAfter = to > at ? null : at + (yield* Limits).RENEWAL_PAUSE_MILLIS
  yield* (yield* Instances).subscriptions.renew(subscription, { expiresAt: to, pausedMillis: paused, renewAfter })
  yield* recordRenewal(subscription.instanceId, at, { charge: charge.charge, currency })
  return undefined
})

/**
 * The reason that no payment renews an expired instance now, then what to do; undefined if one does. `isLast`: its
 * deletion is about to begin, and this look decides whether it does.
 */
const objection = (
  { autoRenew, busy, graceUntil, instanceId, terminateAt }: Subscription,
  at: number,
  isLast: boolean
): string | undefined => {
  if (terminateAt !== null) return `${deletionBegun()} Order a new instance.`
  if (!isLast && (graceUntil ?? at) <= at) {
    return "Its grace period is over, so it will be deleted. Order a new instance."
  }
  if (!autoRenew) return `Its automatic renewal is off. To renew it, run "instances auto-renew ${instanceId} on".`
  if (busy) return "It is busy with another task. It is renewed when that ends, if the wallet holds the price then."
  return undefined
}

/**
 * Restores the state before it expired, if the wallet pays for it now; otherwise returns the reason. A busy one is
 * retried when its task ends.
 */
const revive = Effect.fnUntraced(function*(subscription: Subscription, at: number, isLast = false) {
  const reason = objection(subscription, at, isLast) ?? (yield* chargePeriod(subscription, at))
  if (reason !== undefined) return reason
  if (subscription.resumePower === "on" && !subscription.suspended) {
    yield* enqueueAs("system", subscription.instanceId, Start.task({}), at)
  }
  return undefined
})

/**
 * Renews one expired instance within its grace period, if it auto-renews and the wallet holds the price. With `isLast`,
 * also when the grace is over, before the deletion begins: an instance that can be paid is not deleted.
 */
export const reviveOne = Effect.fnUntraced(function*(instanceId: number, at: number, isLast = false) {
  const subscription = yield* (yield* Instances).subscriptions.find(instanceId)
  return subscription?.lifecycle === "expired" && (yield* revive(subscription, at, isLast)) === undefined
})

/** An account's expired instances after a payment, a refund, or another change of its wallet. */
export interface Revival {
  readonly renewed: ReadonlyArray<number>
  /** With the reason, then what to do. */
  readonly notRenewed: ReadonlyArray<{ readonly instanceId: number; readonly reason: string }>
}

/** Renews as many of the account's expired instances as the wallet pays for, earliest end first. */
export const reviveAll = Effect.fnUntraced(function*(accountId: number, at: number) {
  const renewed: Array<number> = []
  const notRenewed: Array<Revival["notRenewed"][number]> = []
  for (const subscription of yield* (yield* Instances).subscriptions.expired(accountId)) {
    const { instanceId } = subscription
    const reason = yield* revive(subscription, at)
    if (reason === undefined) renewed.push(instanceId)
    else notRenewed.push({ instanceId, reason })
  }
  return { renewed, notRenewed } satisfies Revival
})
