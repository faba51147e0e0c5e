/** API keys, as operators hand them out and take them back. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope } from "#contract/Scope"
import { Authentication } from "../../auth/Authentication.ts"
import { createKey as storeKey } from "../../auth/Keys.ts"
import { toTimestamp } from "../../domain/Calendar.ts"
import { type ApiKey, ApiKeys } from "../../persistence/ApiKeys.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { SecretUses } from "../../persistence/SecretUses.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { findAccount } from "./Accounts.ts"
import { CommandRejected, millisOf } from "../InputSchemas.ts"

const optional = (at: number | null): string | null => at === null ? null : toTimestamp(at)

const stateOf = ({ expiresAt, revokedAt }: ApiKey, now: number): string => {
  if (revokedAt !== null) return "revoked"
  return expiresAt !== null && expiresAt <= now ? "expired" : "active"
}

const toRecord = (key: ApiKey, now: number) => ({
  id: key.id,
  account_id: key.accountId,
  name: key.name,
  key: `${key.prefix}...${key.last4}`,
  scopes: key.scopes,
  state: stateOf(key, now),
  created_at: toTimestamp(key.createdAt),
  expires_at: optional(key.expiresAt),
  last_used_at: optional(key.lastUsedAt)
})

export interface NewKey {
  readonly account_id: number
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** A moment that was checked; never unless given. */
  readonly expires_at?: string
}

/** The token is in this answer only: it cannot be read again. */
export const createKey = Effect.fnUntraced(function*({ account_id, expires_at, name, scopes }: NewKey) {
  const at = yield* Clock.currentTimeMillis
  const expiresAt = millisOf(expires_at)
  if (expiresAt !== null && expiresAt <= at) {
    return yield* new CommandRejected({ message: `expires_at: ${toTimestamp(expiresAt)} is over already.` })
  }
  if (scopes.length === 0) return yield* new CommandRejected({ message: "scopes: A key needs at least one." })
  const { id: accountId } = yield* findAccount(account_id)
  const made = storeKey({ accountId, name, scopes: [...new Set(scopes)], expiresAt, at })
  const { id, token } = yield* (yield* Transaction).run(made)
  return { id, account_id: accountId, name, scopes, expires_at: optional(expiresAt), api_key: token }
})

export const listKeys = Effect.fnUntraced(function*(asked: { account_id?: number; limit: number }) {
  const now = yield* Clock.currentTimeMillis
  if (asked.account_id !== undefined) yield* findAccount(asked.account_id)
  const keys = yield* (yield* OperatorLists).keys(asked.account_id ?? null, asked.limit)
  if (keys.length === 0) return []
  const ids = keys.map(({ id }) => id)
  const secrets = yield* (yield* SecretUses).ofKeys(Math.min(...ids), Math.max(...ids))
  return keys.map((key) => ({ ...toRecord(key, now), secret: secrets.get(key.id) ?? null }))
})

/** Works at once: the service forgets what it has looked up. */
export const revokeKey = Effect.fnUntraced(function*({ id }: { id: number }) {
  const keys = yield* ApiKeys
  const at = yield* Clock.currentTimeMillis
  const revoked = yield* (yield* Transaction).run(keys.revoke(id, at))
  yield* (yield* Authentication).clearCache
  const key = yield* keys.find(id)
  if (key === undefined) {
    return yield* new CommandRejected({ message: `There is no key ${id}; "keys list" shows those there are.` })
  }
  if (!revoked) return yield* new CommandRejected({ message: `The key ${id} was revoked before.` })
  return toRecord(key, at)
})
