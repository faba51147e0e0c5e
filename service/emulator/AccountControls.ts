/**
 * The controls for accounts, API keys and wallets. Every change of a wallet is a journal, so that the ledger stays
 * balanced.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PositiveInt, queryWord, text } from "@pulumi-vps/contract/Primitives"
import { SCOPES } from "@pulumi-vps/contract/Scope"
import { hundredths } from "../admin/Input.ts"
import { Currency, EMAIL_MAX, Money, Percent, Price, rule } from "../contract/Fields.ts"
import { assertNotRevoked, createKey, revokeKey } from "../auth/Keys.ts"
import { HOME_RATE } from "../domain/Vat.ts"
import { toAmount } from "../domain/Money.ts"
import { errorResponse } from "../http/Errors.ts"
import { topUp } from "../ledger/Ledger.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type Controls, decodeBody, json, type Request } from "./Control.ts"
import { SEED_ACCOUNT } from "./Seed.ts"
import { type Treatment, TREATMENTS } from "../contract/Words.ts"
import { randomUUID } from "node:crypto"
import { fillWallet, setBalance } from "../billing/TopUp.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import type { AccountClosed } from "../domain/Errors.ts"
import { Statements } from "../persistence/Statements.ts"

const AccountBody = Schema.Struct({
  email: text(3, EMAIL_MAX),
  wallet: Price,
  currency: Schema.optionalKey(Currency),
  vat_treatment: Schema.optionalKey(queryWord(TREATMENTS)),
  vat_rate: Schema.optionalKey(Percent)
})

const CURRENCY = "EUR"
const TREATMENT: Treatment = "domestic"

const addAccount = Effect.fnUntraced(function*(request: Request) {
  const body = yield* decodeBody(request, AccountBody)
  const at = yield* Clock.currentTimeMillis
  const rate = body.vat_rate === undefined ? HOME_RATE : hundredths(body.vat_rate)
  const account = {
    email: body.email,
    currency: body.currency ?? CURRENCY,
    vat: { treatment: body.vat_treatment ?? TREATMENT, rate },
    at
  }
  const created = yield* (yield* Transaction).run(Effect.gen(function*() {
    const accountId = yield* (yield* Accounts).create(account)
    yield* Effect.orDie(
      topUp({ accountId, amount: hundredths(body.wallet), reference: `top_up:account:${accountId}`, at })
    )
    const key = yield* createKey({ accountId, name: "emulator", scopes: ["vps:create"], expiresAt: null, at })
    return { account_id: accountId, api_key: key.token }
  }))
  return json(created, 201)
})

const Moment = Schema.String.check(
  rule<string>(
    "datetime_parsing",
    "Input should be a valid datetime: ISO 8601 with a time zone",
    (text) => /^\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d)$/.test(text) && !Number.isNaN(Date.parse(text))
  )
)

const KeyBody = Schema.Struct({
  account_id: Schema.optionalKey(PositiveInt),
  scopes: Schema.Array(queryWord(SCOPES)).check(
    rule<ReadonlyArray<string>>(
      "too_short",
      "List should have at least 1 item after validation, not 0",
      (scopes) => scopes.length > 0
    )
  ),
  expires_at: Schema.optionalKey(Schema.NullOr(Moment))
})

const addKey = Effect.fnUntraced(function*(request: Request) {
  const { account_id: accountId = SEED_ACCOUNT, expires_at: until, scopes } = yield* decodeBody(request, KeyBody)
  const at = yield* Clock.currentTimeMillis
  if ((yield* (yield* Accounts).find(accountId)) === undefined) return noAccount
  const expiresAt = until === undefined || until === null ? null : Date.parse(until)
  const key = createKey({ accountId, name: "emulator", scopes, expiresAt, at })
  const { id, token } = yield* (yield* Transaction).run(key)
  return json({ id, api_key: token }, 201)
})

const removeKey = Effect.fnUntraced(function*(_: Request, id: string) {
  const absent = errorResponse(404, "Key not found, or already revoked.")
  if (!/^\d{1,15}$/.test(id)) return absent
  const revoked = revokeKey(Number(id), assertNotRevoked)
  return yield* Effect.match(revoked, { onSuccess: () => json({ ok: true }), onFailure: () => absent })
})

export const ACCOUNTS: Controls = {
  "/accounts": { POST: addAccount },
  "/keys": { POST: addKey },
  "/keys/{id}": { DELETE: removeKey }
}

const noAccount = errorResponse(404, "Account not found.")

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
