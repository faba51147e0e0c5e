/** Adds money to a wallet, and renews instances that expired for lack of it. */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { payOut, type TopUp, topUp } from "../ledger/Ledger.ts"
import { mailBooked } from "./PaymentMails.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import { type Revival, reviveAll } from "../operations/Renew.ts"

/** The instances that no payment had to renew. */
const NOTHING_REVIVED: Revival = { renewed: [], notRenewed: [] }

/** Part of a transaction. */
const fill = Effect.fnUntraced(function*(payment: TopUp) {
  const filled = yield* topUp(payment)
  return { filled, ...(filled ? yield* reviveAll(payment.accountId, payment.at) : NOTHING_REVIVED) }
})

/**
 * Tops up a wallet, in one transaction with the renewals that it pays for; not filled if the payment was booked before.
 * Fails with `AccountClosed` or `StorageUnavailable`.
 */
export const fillWallet = Effect.fnUntraced(function*(payment: TopUp) {
  const { accountId, amount, at, reference: event } = payment
  const booking = Effect.tap(
    fill(payment),
    (result) => result.filled && amount > 0 ? mailBooked({ accountId, amount, event, at }, result) : Effect.void
  )
  const result = yield* (yield* Transaction).run(booking)
  if (result.filled) yield* (yield* WorkerNotifier).notify
  return result
})

export interface TargetBalance {
  readonly accountId: number
  /** The balance afterwards. */
  readonly balance: Minor
  /** Unique, permanently. */
  readonly reference: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Tops up a wallet, or pays out of it, to reach a balance. Fails with `AccountClosed` or `StorageUnavailable`. */
export const setBalance = Effect.fnUntraced(function*({ accountId, at, balance, reference }: TargetBalance) {
  const { renewed } = yield* (yield* Transaction).run(Effect.gen(function*() {
    const account = yield* (yield* Accounts).find(accountId)
    const missing = balance - (account?.wallet ?? balance)
    if (missing >= 0) return yield* fill({ accountId, amount: missing, reference: `top_up:${reference}`, at })
    yield* payOut({ accountId, amount: -missing, reference: `refund:top_up:${reference}`, at })
    return NOTHING_REVIVED
  }))
  if (renewed.length > 0) yield* (yield* WorkerNotifier).notify
})
