/** Money, as operators put it in and account for it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { fillWallet } from "../../billing/TopUp.ts"
import { toTimestamp } from "../../domain/Calendar.ts"
import { toAmount } from "../../domain/Money.ts"
import { verify } from "../../ledger/Ledger.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { ReplicaBus } from "../../persistence/ReplicaBus.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { findAccount } from "./Accounts.ts"
import { CommandRejected, hundredths } from "../InputSchemas.ts"

export interface TopUp {
  readonly account_id: number
  readonly amount: number
  /** The payment's own name, with which it counts once; made up unless given. */
  readonly reference?: string
}

export const topUpWallet = Effect.fnUntraced(function*({ account_id: accountId, amount, reference: given }: TopUp) {
  const { currency } = yield* findAccount(accountId)
  const at = yield* Clock.currentTimeMillis
  const reference = `top_up:${given ?? randomUUID()}`
  if (!(yield* fillWallet({ accountId, amount: hundredths(amount), reference, at }))) {
    return yield* new CommandRejected({ message: `The payment ${given} was booked before; nothing was changed.` })
  }
  const { wallet } = yield* findAccount(accountId)
  return { account_id: accountId, amount, currency, reference, wallet: toAmount(wallet) }
})

export const statement = Effect.fnUntraced(function*(asked: { account_id: number; limit: number }) {
  yield* findAccount(asked.account_id)
  const lines = yield* (yield* OperatorLists).statement(asked.account_id, asked.limit)
  return lines.map(({ amount, at, currency, id, kind, reference }) => ({
    id,
    at: toTimestamp(at),
    kind,
    amount: toAmount(amount),
    currency,
    reference
  }))
})

/** Recomputes all balances from the ledger's entries. Where others write, too, it has to see one moment. */
export const verifyBooks = Effect.gen(function*() {
  const { run } = yield* Transaction
  const { balanced, unbalanced, wrongWallets } = yield* (yield* ReplicaBus).ownsDatabase ? verify : run(verify)
  return { balanced, unbalanced, wrong_wallets: wrongWallets }
})
