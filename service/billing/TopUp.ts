/** Money comes in: the wallet is filled, and what had expired for want of money is renewed. */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { payOut, type TopUp, topUp } from "../ledger/Ledger.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../WorkerNotifier.ts"
import { reviveAll } from "../operations/Renew.ts"

/** A part of a transaction. */
const fill = Effect.fnUntraced(function*(payment: TopUp) {
  if (!(yield* topUp(payment))) return { filled: false, revived: 0 }
  return { filled: true, revived: yield* reviveAll(payment.accountId, payment.at) }
})

/**
 * Fills a wallet, in one transaction with the renewals that this pays for. False when there is no such account, or
 * the payment was booked before. Fails with `StorageUnavailable`.
 */
export const fillWallet = Effect.fnUntraced(function*(payment: TopUp) {
  const { filled, revived } = yield* (yield* Transaction).run(fill(payment))
  if (revived > 0) yield* (yield* WorkerNotifier).notify
  return filled
})

export interface Settlement {
  readonly accountId: number
  /** What the wallet shall hold. */
  readonly balance: Minor
  /** Unique for ever. */
  readonly reference: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Fills a wallet, or pays out of it, until it holds a balance; nothing when there is no such account. */
export const settleWallet = Effect.fnUntraced(function*({ accountId, at, balance, reference }: Settlement) {
  const { revived } = yield* (yield* Transaction).run(Effect.gen(function*() {
    const account = yield* (yield* Accounts).find(accountId)
    const missing = account === undefined ? 0 : balance - account.wallet
    if (missing > 0) return yield* fill({ accountId, amount: missing, reference: `top_up:${reference}`, at })
    if (missing < 0) yield* payOut({ accountId, amount: -missing, reference: `refund:top_up:${reference}`, at })
    return { revived: 0 }
  }))
  if (revived > 0) yield* (yield* WorkerNotifier).notify
})
