/** Making API keys. Only a keyed digest is stored, so the token is shown once. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Scope } from "#contract/Scope"
import { ApiKeys } from "../persistence/ApiKeys.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Secret } from "../Secret.ts"
import { Authentication } from "./Authentication.ts"
import { mint, PREFIX } from "./ApiKeyToken.ts"

export interface NewKey {
  readonly accountId: number
  readonly name: string
  readonly scopes: ReadonlyArray<Scope>
  /** Epoch milliseconds; null never expires. */
  readonly expiresAt: number | null
  /** A fixed token (the emulator's); a random one is minted when absent. */
  readonly token?: string
  readonly at: number
}

/** From now on the key opens nothing. False when there is no such key, or it was revoked before. */
export const revokeKey = Effect.fnUntraced(function*(id: number) {
  const keys = yield* ApiKeys
  const at = yield* Clock.currentTimeMillis
  const revoked = yield* (yield* Transaction).run(keys.revoke(id, at))
  // This process need not wait until its cached look-up is too old.
  if (revoked) yield* (yield* Authentication).clearCache
  return revoked
})

/** Runs in a transaction; the token cannot be read again. */
export const createKey = Effect.fnUntraced(function*(key: NewKey) {
  const keys = yield* ApiKeys
  const secret = yield* Secret
  const token = key.token ?? mint()
  const id = yield* keys.create({
    accountId: key.accountId,
    name: key.name,
    prefix: PREFIX,
    last4: token.slice(-4),
    digest: secret.digest(token),
    scopes: key.scopes,
    createdAt: key.at,
    expiresAt: key.expiresAt
  })
  return { id, token }
})
