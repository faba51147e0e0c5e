/** Authenticates API keys, and shows the identity behind one. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../config/Limits.ts"
import type { KeyState } from "../contract/Words.ts"
import { type ApiKey, ApiKeys } from "../persistence/ApiKeys.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { SecretUses } from "../persistence/SecretUses.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Secret } from "../config/Secret.ts"
import { isWellFormed } from "./ApiKeyToken.ts"
import type { Whoami } from "@pulumi-vps/contract/Account"
import { effectiveScopes } from "@pulumi-vps/contract/Scope"
import { toOptionalTimestamp, toTimestamp } from "../domain/Timestamp.ts"
import type { Caller } from "../domain/Caller.ts"
import { Accounts } from "../persistence/Accounts.ts"

/** The identity of an authenticated key. */
export type Identity = Pick<ApiKey, "id" | "accountId" | "scopes">

/** The reason why a token is rejected. */
export type KeyRejection = "invalid" | Exclude<KeyState, "active">

export class Authentication extends Context.Service<Authentication, {
  /** The identity of a token, or the reason to reject it. Valid keys are cached for 2 s. */
  readonly identify: (token: string) => Effect.Effect<Identity | KeyRejection>
  /** Clears the cache, in other replicas too. */
  readonly clearCache: Effect.Effect<void>
}>()("@pulumi-vps/service/Authentication") {}

interface CachedKey {
  readonly key: ApiKey
  /** Monotonic milliseconds, because the cache must not follow the emulator's clock. */
  readonly until: number
}

/** The state of a key at a time. */
export const keyState = ({ expiresAt, revokedAt }: Pick<ApiKey, "expiresAt" | "revokedAt">, now: number): KeyState => {
  if (revokedAt !== null) return "revoked"
  return expiresAt !== null && expiresAt <= now ? "expired" : "active"
}

const usable = (key: ApiKey, now: number): ApiKey | KeyRejection => {
  const state = keyState(key, now)
  return state === "active" ? key : state
}

/** Writes in the background. A failed write is repeated by a later request. */
const makeBackgroundWriter = Effect.gen(function*() {
  const { runWriting } = yield* Transaction
  const scope = yield* Effect.scope
  return (write: Effect.Effect<void>) => runWriting(write).pipe(Effect.ignore, Effect.forkIn(scope), Effect.asVoid)
})

/** Looks up the key of a token under each configured secret. */
const makeLookup = Effect.fnUntraced(function*(writeInBackground: Effect.Success<typeof makeBackgroundWriter>) {
  const keys = yield* ApiKeys
  const secret = yield* Secret
  const uses = yield* SecretUses
  return Effect.fnUntraced(function*(token: string) {
    const digests = secret.digests(token)
    for (const digest of digests) {
      const key = yield* keys.findByDigest(digest)
      if (key === undefined) continue
      // A used key moves to the current secret, so that older secrets can be removed eventually.
      if (digest !== digests[0]) yield* writeInBackground(uses.redigest(key.id, digests[0]))
      return key
    }
    return undefined
  })
})

const make = Effect.gen(function*() {
  const { KEY_CACHE_ENTRIES, KEY_CACHE_MILLIS, KEY_LAST_USED_MILLIS } = yield* Limits
  const keys = yield* ApiKeys
  const writeInBackground = yield* makeBackgroundWriter
  const lookup = yield* makeLookup(writeInBackground)
  // The service's clock, not the request's: in an emulator keys expire in emulated time.
  const clock = yield* Clock.Clock
  const cache = new Map<string, CachedKey>()

  const store = (token: string, key: ApiKey, at: number): void => {
    if (cache.size >= KEY_CACHE_ENTRIES) cache.clear()
    cache.set(token, { key, until: at + KEY_CACHE_MILLIS })
  }
  const markUsed = (key: ApiKey, now: number) =>
    key.lastUsedAt !== null && now - key.lastUsedAt < KEY_LAST_USED_MILLIS
      ? Effect.void
      : writeInBackground(keys.touch(key.id, now))

  const find = Effect.fnUntraced(function*(token: string, now: number, instant: number) {
    cache.delete(token)
    if (!isWellFormed(token)) return "invalid" as const
    const key = yield* lookup(token)
    if (key === undefined) return "invalid" as const
    store(token, key, instant)
    yield* markUsed(key, now)
    return usable(key, now)
  })
  const identify = (token: string): Effect.Effect<Identity | KeyRejection> =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      const instant = performance.now()
      const cached = cache.get(token)
      return cached !== undefined && cached.until > instant
        ? Effect.succeed(usable(cached.key, now))
        : find(token, now, instant)
    })
  const clear = Effect.sync(() => cache.clear())
  const bus = yield* ReplicaBus
  yield* bus.subscribe("keys", clear)
  return Authentication.of({ identify, clearCache: Effect.andThen(clear, bus.publish("keys")) })
})

export const layer: Layer.Layer<Authentication, never, ApiKeys | Limits | Secret | SecretUses | Transaction> = Layer
  .effect(
    Authentication,
    make
  )

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
