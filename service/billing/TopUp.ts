/** Adds money to a wallet, and renews instances that expired for lack of it. */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { payOut, type TopUp, topUp } from "../ledger/Ledger.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import { reviveAll } from "../operations/Renew.ts"

/** Part of a transaction. */
const fill = Effect.fnUntraced(function*(payment: TopUp) {
  if (!(yield* topUp(payment))) return { filled: false, revived: 0 }
  return { filled: true, revived: yield* reviveAll(payment.accountId, payment.at) }
})

/**
 * Tops up a wallet, in one transaction with the renewals that it pays for. False if the account does not exist, or the
 * payment was booked before. Fails with `StorageUnavailable`.
 */
export const fillWallet = Effect.fnUntraced(function*(payment: TopUp) {
  const { filled, revived } = yield* (yield* Transaction).run(fill(payment))
  if (revived > 0) yield* (yield* WorkerNotifier).notify
  return filled
})

export interface Settlement {
  readonly accountId: number
  /** The balance afterwards. */
  readonly balance: Minor
  /** Unique, permanently. */
  readonly reference: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Tops up a wallet, or pays out of it, to reach a balance; does nothing if the account does not exist. */
export const settleWallet = Effect.fnUntraced(function*({ accountId, at, balance, reference }: Settlement) {
  const revived = yield* (yield* Transaction).run(Effect.gen(function*() {
    const account = yield* (yield* Accounts).find(accountId)
    const missing = balance - (account?.wallet ?? balance)
    if (missing >= 0) return (yield* fill({ accountId, amount: missing, reference: `top_up:${reference}`, at })).revived
    yield* payOut({ accountId, amount: -missing, reference: `refund:top_up:${reference}`, at })
    return 0
  }))
  if (revived > 0) yield* (yield* WorkerNotifier).notify
})
