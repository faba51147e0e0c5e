/** The identity behind a key. */
import * as Effect from "effect/Effect"
import type { Whoami } from "#contract/Account"
import { effectiveScopes } from "#contract/Scope"
import { toOptionalTimestamp, toTimestamp } from "../domain/Calendar.ts"
import type { Caller } from "../domain/Caller.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { ApiKeys } from "../persistence/ApiKeys.ts"

/** A caller with an API key: a person in the panel has a session instead. */
export const whoami = Effect.fnUntraced(function*(caller: Caller) {
  const account = yield* (yield* Accounts).find(caller.accountId)
  const key = caller.apiKeyId === null ? undefined : yield* (yield* ApiKeys).find(caller.apiKeyId)
  if (account === undefined || key === undefined) {
    return yield* Effect.die(new Error(`key ${caller.apiKeyId} was just accepted and is missing`))
  }
  return {
    account_id: account.id,
    email: account.email,
    key: {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      last4: key.last4,
      scopes: key.scopes,
      effective_scopes: effectiveScopes(key.scopes),
      created_at: toTimestamp(key.createdAt),
      expires_at: toOptionalTimestamp(key.expiresAt),
      last_used_at: toOptionalTimestamp(key.lastUsedAt)
    }
  } satisfies Whoami
})
