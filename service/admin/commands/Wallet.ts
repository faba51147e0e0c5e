/** The commands for wallets and the ledger. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { statementOf } from "../../billing/Statement.ts"
import { fillWallet } from "../../billing/TopUp.ts"
import { toAmount } from "../../domain/Money.ts"
import { audit } from "../../ledger/Books.ts"
import { closed, findAccount } from "./Accounts.ts"
import { reject } from "../CommandRejected.ts"
import { hundredths, millisOf } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

export const topUpWallet = Effect.fnUntraced(function*(input: InputOf<"wallet.top_up">) {
  const { account_id: accountId, amount } = input
  const { currency } = yield* findAccount(accountId)
  const at = yield* Clock.currentTimeMillis
  const reference = `top_up:${input.reference ?? randomUUID()}`
  const { filled, notRenewed, renewed } = yield* fillWallet({ accountId, amount: hundredths(amount), reference, at })
    .pipe(Effect.catchTag("AccountClosed", () => Effect.fail(closed(accountId))))
  if (!filled) return yield* reject(`Payment ${input.reference} is already booked. Nothing was changed.`)
  const { wallet } = yield* findAccount(accountId)
  return {
    account_id: accountId,
    amount,
    currency,
    reference,
    wallet: toAmount(wallet),
    renewed,
    not_renewed: notRenewed.map(({ instanceId, reason }) => ({ instance_id: instanceId, reason }))
  }
})

const statement = Effect.fnUntraced(function*(input: InputOf<"wallet.statement">) {
  const { id } = yield* findAccount(input.account_id)
  const filter = { before: input.before ?? null, since: millisOf(input.since), until: millisOf(input.until) }
  return yield* statementOf(id, filter, input.limit)
})

const verifyBooks = Effect.map(audit, ({ balanced, unbalanced, wrongWallets }) => ({
  balanced,
  unbalanced,
  wrong_wallets: wrongWallets
}))

export const WALLET_USE_CASES = {
  "wallet.top_up": topUpWallet,
  "wallet.statement": statement,
  "ledger.verify": () => verifyBooks
} satisfies UseCases
