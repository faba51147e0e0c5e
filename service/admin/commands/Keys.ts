/** The commands for API keys. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { keyState } from "../../auth/Authentication.ts"
import { createKey as storeKey, revokeKey as revoke } from "../../auth/Keys.ts"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import type { ApiKey } from "../../persistence/ApiKeys.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { SecretUses } from "../../persistence/SecretUses.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { findAccount, findOpenAccount } from "./Accounts.ts"
import { addFacts, type UseCases } from "../UseCases.ts"
import { millisOf, notFound, reject } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"

export const toRecord = (key: ApiKey, now: number) => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  key: `${key.prefix}...${key.last4}`,
  scopes: key.scopes,
  state: keyState(key, now),
  made_by: key.madeBy,
  created_at: toTimestamp(key.createdAt),
  expires_at: toOptionalTimestamp(key.expiresAt),
  last_used_at: toOptionalTimestamp(key.lastUsedAt)
})

/** The result is the only place that contains the key: it cannot be read again. */
const createKey = Effect.fnUntraced(function*({ account_id, expires_at, name, scopes }: InputOf<"keys.create">) {
  const at = yield* Clock.currentTimeMillis
  const expiresAt = millisOf(expires_at)
  if (expiresAt !== null && expiresAt <= at) {
    return yield* reject(`expires_at: ${toTimestamp(expiresAt)} is in the past.`)
  }
  if (scopes.length === 0) return yield* reject("scopes: Specify at least one scope.")
  const { id: accountId } = yield* findOpenAccount(account_id)
  const create = storeKey({ accountId, name, scopes: [...new Set(scopes)], expiresAt, at })
  const { id, token } = yield* (yield* Transaction).run(Effect.tap(create, ({ id }) => addFacts({ key_id: id })))
  return { id, account_id: accountId, name, scopes, expires_at: toOptionalTimestamp(expiresAt), api_key: token }
})

const listKeys = Effect.fnUntraced(function*({ account_id, after, limit }: InputOf<"keys.list">) {
  const now = yield* Clock.currentTimeMillis
  if (account_id !== undefined) yield* findAccount(account_id)
  const keys = yield* (yield* OperatorLists).keys(account_id ?? null, after ?? 0, limit)
  if (keys.length === 0) return []
  const ids = keys.map(({ id }) => id)
  const secrets = yield* (yield* SecretUses).ofKeys(Math.min(...ids), Math.max(...ids))
  return keys.map((key) => ({ ...toRecord(key, now), secret: secrets.get(key.id) ?? null }))
})

const revokeKey = Effect.fnUntraced(function*({ id }: { id: number }) {
  const revoked = yield* revoke(id, (key) => {
    if (key === undefined) return notFound("key", id)
    if (key.revokedAt !== null) return reject(`Key ${id} is already revoked.`)
    return Effect.as(addFacts({ account_id: key.accountId }), key)
  })
  return toRecord(revoked, revoked.revokedAt)
})

export const KEYS_USE_CASES = {
  "keys.create": createKey,
  "keys.list": listKeys,
  "keys.revoke": revokeKey
} satisfies UseCases
