/** Creates and revokes API keys. Only a keyed digest is stored, so the token is returned once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope } from "@pulumi-vps/contract/Scope"
import { type ApiKey, ApiKeys } from "../persistence/ApiKeys.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Secret } from "../config/Secret.ts"
import { Authentication } from "./Authentication.ts"
import { missing, type Rejected } from "./Rejected.ts"
import { generateToken, PREFIX } from "./ApiKeyToken.ts"

export interface NewKey {
  readonly accountId: number
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null
  /** A fixed token, for the emulator; random by default. */
  readonly token?: string
  /** The member who makes it; the host by default. */
  readonly maker?: { readonly id: number; readonly email: string }
  readonly at: number
}

/** Fails if there is no such key, or if it is revoked already. */
export const assertNotRevoked = (key: ApiKey | undefined): Effect.Effect<ApiKey, Rejected> =>
  key === undefined || key.revokedAt !== null ? Effect.fail(missing("API key")) : Effect.succeed(key)

/**
 * Revokes a key, and returns it. `check` fails if the caller may not, and records who does it: it is executed in the
 * same transaction, with the key as it was.
 */
export const revokeKey = Effect.fnUntraced(function*<E, R>(
  id: number,
  check: (key: ApiKey | undefined, at: number) => Effect.Effect<ApiKey, E, R>
) {
  const keys = yield* ApiKeys
  const at = yield* Clock.currentTimeMillis
  const revoked = yield* (yield* Transaction).run(Effect.gen(function*() {
    const key = yield* check(yield* keys.find(id), at)
    yield* keys.revoke(id, at)
    return { ...key, revokedAt: at }
  }))
  // Takes effect in this process at once, instead of when its cached lookup expires.
  yield* (yield* Authentication).clearCache
  return revoked
})

/** Creates a key, in a transaction of the caller. The token cannot be read again. */
export const createKey = Effect.fnUntraced(function*(key: NewKey) {
  const keys = yield* ApiKeys
  const secret = yield* Secret
  const token = key.token ?? generateToken()
  const id = yield* keys.create({
    accountId: key.accountId,
    name: key.name,
    prefix: PREFIX,
    last4: token.slice(-4),
    digest: secret.digest(token),
    scopes: key.scopes,
    createdAt: key.at,
    expiresAt: key.expiresAt,
    personId: key.maker?.id ?? null,
    madeBy: key.maker?.email ?? null
  })
  return { id, token }
})
