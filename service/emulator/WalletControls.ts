/** The controls that top up, set and show wallets. Every change is a journal, so that the ledger stays balanced. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { randomUUID } from "node:crypto"
import { PositiveInt } from "#contract/Primitives"
import { hundredths } from "../admin/Input.ts"
import { Money, Price } from "../contract/Fields.ts"
import { fillWallet, setBalance } from "../billing/TopUp.ts"
import { toTimestamp } from "../domain/Calendar.ts"
import type { AccountClosed } from "../domain/Errors.ts"
import { toAmount } from "../domain/Money.ts"
import { errorResponse } from "../http/Errors.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Statements } from "../persistence/Statements.ts"
import { type Controls, decodeBody, json, type Request } from "./Control.ts"
import { SEED_ACCOUNT } from "./Seed.ts"

export const noAccount = errorResponse(404, "Account not found.")

const balanceOf = Effect.fnUntraced(function*(accountId: number) {
  const account = yield* (yield* Accounts).find(accountId)
  return account === undefined
    ? noAccount
    : json({ balance: toAmount(account.wallet) })
})

const refuseClosed = ({ accountId }: AccountClosed) =>
  Effect.succeed(errorResponse(409, `Account ${accountId} is closed. Reopen it first.`))

const WalletBody = Schema.Struct({
  account_id: Schema.optionalKey(PositiveInt),
  amount: Money
})

const topUpWallet = Effect.fnUntraced(function*(request: Request) {
  const { account_id: accountId = SEED_ACCOUNT, amount } = yield* decodeBody(request, WalletBody)
  const at = yield* Clock.currentTimeMillis
  yield* fillWallet({ accountId, amount: hundredths(amount), reference: `top_up:${randomUUID()}`, at })
  return yield* balanceOf(accountId)
}, Effect.catchTag("AccountClosed", refuseClosed))

const BalanceBody = Schema.Struct({ account_id: Schema.optionalKey(PositiveInt), balance: Price })

/** Books the difference against the bank. */
const setWallet = Effect.fnUntraced(function*(request: Request) {
  const { account_id: accountId = SEED_ACCOUNT, balance } = yield* decodeBody(request, BalanceBody)
  const at = yield* Clock.currentTimeMillis
  yield* setBalance({ accountId, balance: hundredths(balance), reference: randomUUID(), at })
  return yield* balanceOf(accountId)
}, Effect.catchTag("AccountClosed", refuseClosed))

/** Maximum number of lines of a statement: more than any test reads. */
const LINES_MAX = 1_000

const ACCOUNT_FORM = /^[1-9]\d{0,14}$/

/** The balance, and the journals that led to it, newest first. An empty name means the seeded account. */
const showWallet = Effect.fnUntraced(function*(_: Request, name: string) {
  const accountId = name === "" ? SEED_ACCOUNT : Number(name)
  const account = name === "" || ACCOUNT_FORM.test(name) ? yield* (yield* Accounts).find(accountId) : undefined
  if (account === undefined) return noAccount
  const lines = yield* (yield* Statements).lines(accountId, { before: null, since: null, until: null }, LINES_MAX)
  return json({
    account_id: accountId,
    balance: toAmount(account.wallet),
    currency: account.currency,
    statement: lines.map(({ amount, at, id, kind, reference }) => ({
      id,
      at: toTimestamp(at),
      kind,
      amount: toAmount(amount),
      reference
    }))
  })
})

export const WALLET: Controls = {
  "/wallet": { GET: showWallet, POST: topUpWallet, PUT: setWallet },
  "/wallet/{id}": { GET: showWallet }
}
