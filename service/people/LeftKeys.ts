/** The API keys that a person who leaves an account may know: keys belong to the account, and remain valid. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { type ApiKey, ApiKeys } from "../persistence/ApiKeys.ts"

export interface LeftKeys {
  readonly revoked: ReadonlyArray<ApiKey>
  readonly remaining: ReadonlyArray<ApiKey>
}

/**
 * Revokes the keys that a person made, on request, and returns them with those that the person may still know. Part of
 * the caller's transaction, before the membership ends; afterwards the caller clears the cache of keys.
 */
export const leaveKeys = Effect.fnUntraced(function*(
  personId: number,
  accountId: number | null,
  { revoke }: { readonly revoke: boolean }
) {
  const apiKeys = yield* ApiKeys
  const at = yield* Clock.currentTimeMillis
  const known = yield* apiKeys.knownTo(personId, accountId, at)
  const revoked = revoke ? known.filter((key) => key.personId === personId) : []
  yield* Effect.forEach(revoked, ({ id }) => apiKeys.revoke(id, at), { discard: true })
  return { revoked, remaining: known.filter((key) => !revoked.includes(key)) } satisfies LeftKeys
})
