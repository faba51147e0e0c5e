/** Money comes in: the wallet is filled, and what had expired for want of money is renewed. */
import * as Effect from "effect/Effect"
import { type TopUp, topUp } from "../ledger/Ledger.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Wake } from "../Wake.ts"
import { reviveAll } from "./Renewal.ts"

/**
 * Fills a wallet, in one transaction with the renewals that this pays for. False when there is no such account, or
 * the payment was booked before. Fails with `StorageUnavailable`.
 */
export const fillWallet = Effect.fnUntraced(function*(payment: TopUp) {
  const { filled, revived } = yield* (yield* Transaction).run(Effect.gen(function*() {
    if (!(yield* topUp(payment))) return { filled: false, revived: 0 }
    return { filled: true, revived: yield* reviveAll(payment.accountId, payment.at) }
  }))
  if (revived > 0) yield* (yield* Wake).worker
  return filled
})
