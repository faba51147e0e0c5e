/** The controls that add accounts, and add and revoke API keys. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { PositiveInt, queryWord, text } from "#contract/Primitives"
import { SCOPES } from "#contract/Scope"
import { hundredths } from "../admin/Input.ts"
import { Currency, EMAIL_MAX, Percent, Price, rule } from "../contract/Fields.ts"
import { assertNotRevoked, createKey, revokeKey } from "../auth/Keys.ts"
import { HOME_RATE } from "../domain/Vat.ts"
import { errorResponse } from "../http/Errors.ts"
import { topUp } from "../ledger/Ledger.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { type Controls, decodeBody, json, type Request } from "./Control.ts"
import { SEED_ACCOUNT } from "./Seed.ts"
import { noAccount } from "./WalletControls.ts"
import { type Treatment, TREATMENTS } from "../contract/Words.ts"

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
