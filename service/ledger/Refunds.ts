/**
 * Refunds of charges: reversing journals. All refunds of a charge together give back what it took, and never more. Each
 * function is part of its caller's transaction.
 */
import * as Effect from "effect/Effect"
import { fraction, type Minor } from "../domain/Money.ts"
import { type Entry, type Journal, Journals } from "../persistence/Journals.ts"
import { createReference, credit, resizeReference, REVENUE, unlessZero, VAT, walletOf } from "./Ledger.ts"

/** The unique reference of the refund of a charge that failed or was undone, which happens once. */
export const refundReference = (paid: string): string =>
  `refund:${paid.replace("instance_create:", "").replace("instance_resize:", "resize:")}`

/** The part of a charge that was not refunded yet, by ledger account: negative for the wallet. */
const rest = Effect.fnUntraced(function*({ entries, id, reference }: Journal) {
  const refunds = yield* (yield* Journals).refunded(id, refundReference(reference))
  const refunded = new Map(refunds.map(({ account, amount }) => [account, amount]))
  return entries.map(({ account, amount }): Entry => ({ account, amount: amount + (refunded.get(account) ?? 0) }))
})

const amountOf = (entries: ReadonlyArray<Entry>, account: string): Minor =>
  entries.reduce((sum, entry) => entry.account === account ? sum + entry.amount : sum, 0)

interface Refund {
  readonly paid: Journal
  readonly entries: ReadonlyArray<Entry>
  readonly reference: string
  /** The operator's; absent for an automatic refund. */
  readonly reason?: string
  readonly at: number
}

/** Undefined, and nothing is written, if the reference is taken. */
const giveBack = Effect.fnUntraced(function*({ at, entries, paid, reason, reference }: Refund) {
  const { accountId, currency, explanation, id, instanceId } = paid
  const written = yield* (yield* Journals).append({
    accountId,
    kind: "refund",
    reference,
    currency,
    at,
    entries,
    instanceId,
    reverses: id,
    explanation: { ...explanation, ...(reason === undefined ? {} : { reason }) }
  })
  if (!written) return undefined
  const amount = amountOf(entries, walletOf(accountId))
  yield* credit(accountId, amount)
  return amount
})

/** Gives back all that is left of a charge; returns the amount, undefined if there is none to give back. */
const reverse = Effect.fnUntraced(function*(reference: string, at: number) {
  const paid = yield* (yield* Journals).find(reference)
  if (paid === undefined) return undefined
  const entries = (yield* rest(paid)).flatMap(({ account, amount }) => unlessZero({ account, amount: -amount }))
  if (entries.length === 0) return undefined
  return yield* giveBack({ paid, entries, reference: refundReference(reference), at })
})

const isReversed = (reference: string, at: number) =>
  Effect.map(reverse(reference, at), (amount) => amount !== undefined)

/** Gives back what an order cost; false when there is nothing to give back. */
export const refundOrder = ({ at, orderId }: { readonly orderId: number; readonly at: number }) =>
  isReversed(createReference(orderId), at)

/** Gives back what a resize cost; false when there is nothing to give back. */
export const refundResize = ({ at, taskId }: { readonly taskId: number; readonly at: number }) =>
  isReversed(resizeReference(taskId), at)

/** Gives back what a renewal cost; returns the amount, undefined when there is nothing to give back. */
export const refundRenewal = ({ at, reference }: { readonly reference: string; readonly at: number }) =>
  reverse(reference, at)

export interface PartialRefund extends Pick<Refund, "paid" | "reference" | "at"> {
  readonly reason: string
  /** All that is left by default. */
  readonly amount?: Minor | undefined
}

/** The amount of a charge that can still be refunded; 0 for a top-up, a payout and a refund. */
export const refundable = Effect.fnUntraced(function*(paid: Journal) {
  const isCharge = paid.kind !== "refund" && paid.entries.some(({ account }) => account === REVENUE)
  return isCharge ? -amountOf(yield* rest(paid), walletOf(paid.accountId)) : 0
})

/**
 * Gives back a part of a charge, with its share of the VAT. The amount must not exceed what is refundable. Undefined,
 * and nothing is written, if the reference is taken.
 */
export const refundPart = Effect.fnUntraced(function*({ amount: wanted, ...refund }: PartialRefund) {
  const left = yield* rest(refund.paid)
  const wallet = walletOf(refund.paid.accountId)
  const charged = -amountOf(left, wallet)
  const amount = wanted ?? charged
  if (amount <= 0 || amount > charged) return yield* Effect.die(new Error(`${amount} of ${charged} cannot be refunded`))
  const vat = fraction(amountOf(left, VAT), amount, charged)
  const entries = [
    { account: wallet, amount },
    ...unlessZero({ account: REVENUE, amount: vat - amount }),
    ...unlessZero({ account: VAT, amount: -vat })
  ]
  return yield* giveBack({ ...refund, entries })
})
