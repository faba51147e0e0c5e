/** Takes a renewal or an expiry back that should not have happened. Each is part of its caller's transaction. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { difference } from "../domain/Proration.ts"
import { type Period, periodEnding } from "../domain/Period.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { deletionBegun } from "../domain/InstanceMachine.ts"
import { asText, type Minor, toAmount } from "../domain/Money.ts"
import { ownerOf } from "../instances/Admission.ts"
import { refundable, refundPart, refundRenewal } from "../ledger/Refunds.ts"
import { enqueueAs } from "../operations/Enqueue.ts"
import { Start } from "../operations/Power.ts"
import { openReference } from "../operations/Renew.ts"
import type { Subscription } from "../persistence/instances/Subscriptions.ts"
import { Instances } from "../persistence/Instances.ts"
import { type Journal, Journals } from "../persistence/Journals.ts"
import { Tasks } from "../persistence/Tasks.ts"

/** It cannot be taken back; the message says what to do instead. */
export class CannotTakeBack extends Schema.TaggedError<CannotTakeBack>()("CannotTakeBack", {
  message: Schema.String
}) {}

export interface Correction {
  readonly instanceId: number
  readonly type: "undo_renew" | "undo_expire"
  /** The correction, in sentences. */
  readonly text: string
  /** The end of the paid period, in epoch milliseconds. */
  readonly expiresAt: number
}

const refuse = (message: string) => new CannotTakeBack({ message })

const record = Effect.fnUntraced(function*(instanceId: number, type: Correction["type"], at: number) {
  const by = { actor: "admin", apiKeyId: null, requestId: null } as const
  yield* (yield* Tasks).recordAudit({ ...by, instanceId, type, status: "succeeded", error: null, at })
})

/** The part of a resize's charge that paid for a period: all of it, unless it also paid for the one before. */
const shareOf = (paid: Journal, period: Period, left: Minor): Minor => {
  const { from = 0, pausedMillis = 0, previousPrice = 0, price = 0, rate = 0, to = 0, treatment = "domestic" } =
    paid.explanation ?? {}
  if (to - pausedMillis <= period.start) return 0
  if (from - pausedMillis >= period.start) return left
  return Math.min(left, difference({ customer: { rate, treatment }, from: previousPrice, to: price }))
}

/** Refunds what resizes cost for a period that is taken back; returns the amount. */
const refundResizes = Effect.fnUntraced(function*(subscription: Subscription, period: Period, at: number) {
  const { accountId, expiresAt, instanceId } = subscription
  let refunded = 0
  for (const paid of yield* (yield* Journals).resizes(accountId, instanceId)) {
    const amount = shareOf(paid, period, yield* refundable(paid))
    if (amount === 0) continue
    const reference = `refund:undo:${paid.reference}:${toTimestamp(expiresAt)}`
    refunded += (yield* refundPart({ paid, amount, reference, reason: "the renewal was undone", at })) ?? 0
  }
  return refunded
})

/**
 * Refunds a period that was renewed, with its resizes; undefined if the period is the first one, which was ordered. The
 * period is without the pauses.
 */
const refundPeriod = Effect.fnUntraced(function*(subscription: Subscription, period: Period, at: number) {
  const reference = yield* openReference({ ...subscription, expiresAt: period.start, pausedMillis: 0 })
  const isCharged = (yield* (yield* Journals).find(reference)) !== undefined
  // A renewal that cost nothing has no journal.
  if (!isCharged && period.start <= subscription.paidFrom) return undefined
  const refunded = (yield* refundRenewal({ reference, at })) ?? 0
  return refunded + (yield* refundResizes(subscription, period, at))
})

/** Refunds the newest period, and ends the paid period where it ended before. */
export const takeBackRenewal = Effect.fnUntraced(function*(subscription: Subscription, at: number) {
  const { autoRenew, expiresAt, instanceId, lifecycle, paidFrom, pausedMillis } = subscription
  if (lifecycle !== "active" && lifecycle !== "suspended") {
    return yield* refuse(
      `Instance ${instanceId} is ${lifecycle}. Only an active or suspended one has a renewal to undo.`
    )
  }
  const period = periodEnding(paidFrom, expiresAt - pausedMillis)
  const start = period.start + pausedMillis
  if (autoRenew && start <= at) {
    return yield* refuse(
      `The period before the renewal ended at ${toTimestamp(start)}, so instance ${instanceId} would be renewed again. `
        + `Turn renewal off first: instances auto-renew ${instanceId} off.`
    )
  }
  const refunded = yield* refundPeriod(subscription, period, at)
  if (refunded === undefined) {
    return yield* refuse(
      `Instance ${instanceId} was not renewed at ${toTimestamp(start)}, so there is nothing to undo.`
    )
  }
  yield* (yield* Instances).subscriptions.setEnd(instanceId, start)
  yield* record(instanceId, "undo_renew", at)
  const { currency } = yield* ownerOf(subscription)
  const money = refunded === 0
    ? "Nothing had to be refunded."
    : `${asText(toAmount(refunded))} ${currency} were refunded.`
  const text = `Its last renewal was a mistake and was undone. ${money}`
  return { instanceId, type: "undo_renew", text, expiresAt: start } satisfies Correction
})

const EXPIRY_UNDONE = "Its expiry was a mistake and was undone."

/** Restores an instance that expired although its period is paid, with its power. */
export const takeBackExpiry = Effect.fnUntraced(function*(subscription: Subscription, at: number) {
  const { expiresAt, instanceId, lifecycle, resumePower, suspended, terminateAt } = subscription
  if (lifecycle !== "expired") {
    return yield* refuse(`Instance ${instanceId} is ${lifecycle}. Only an expired one has an expiry to undo.`)
  }
  if (terminateAt !== null) {
    return yield* refuse(
      `${deletionBegun(instanceId)} Refund what was paid for the rest of its period, and ask its owner to order a new `
        + "instance: wallet refund LINE --reason REASON."
    )
  }
  if (expiresAt <= at) {
    return yield* refuse(
      `The paid period of instance ${instanceId} ended at ${toTimestamp(expiresAt)}, so it would expire again. `
        + "Top up the wallet, or turn renewal on, to renew it."
    )
  }
  yield* (yield* Instances).subscriptions.restore(instanceId)
  if (resumePower === "on" && !suspended) yield* enqueueAs("admin", instanceId, Start.task({}), at)
  yield* record(instanceId, "undo_expire", at)
  return { instanceId, type: "undo_expire", text: EXPIRY_UNDONE, expiresAt } satisfies Correction
})
