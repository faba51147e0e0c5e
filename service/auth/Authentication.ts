/** From a presented token to the key behind it. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../config/Limits.ts"
import { type ApiKey, ApiKeys } from "../persistence/ApiKeys.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { SecretUses } from "../persistence/SecretUses.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Secret } from "../Secret.ts"
import { isWellFormed } from "./ApiKeyToken.ts"

/** Who presents a key. */
export type Identity = Pick<ApiKey, "id" | "accountId" | "scopes">

/** Why a token opens nothing; the wording is the client's. */
export type Refusal = "invalid" | "expired" | "revoked"

export class Authentication extends Context.Service<Authentication, {
  /** The key behind a token, or why there is none. Positive look-ups are trusted for 2 s. */
  readonly identify: (token: string) => Effect.Effect<Identity | Refusal>
  /** Forgets every cached look-up, here and in other replicas. */
  readonly clearCache: Effect.Effect<void>
}>()("pulumi-vps/service/Authentication") {}

interface Remembered {
  readonly key: ApiKey
  /** Monotonic milliseconds: the cache must not follow the emulator's clock. */
  readonly until: number
}

const usable = (key: ApiKey, now: number): ApiKey | Refusal => {
  if (key.revokedAt !== null) return "revoked"
  return key.expiresAt !== null && key.expiresAt <= now ? "expired" : key
}

/** In the background: nobody waits for it, and what is lost is written by a later request. */
const makeLater = Effect.gen(function*() {
  const { run } = yield* Transaction
  const scope = yield* Effect.scope
  return (write: Effect.Effect<void>) => run(write).pipe(Effect.ignore, Effect.forkIn(scope), Effect.asVoid)
})

/** The key of a token, under whichever secret it was made. */
const makeLookUp = Effect.fnUntraced(function*(later: Effect.Success<typeof makeLater>) {
  const keys = yield* ApiKeys
  const secret = yield* Secret
  const uses = yield* SecretUses
  return Effect.fnUntraced(function*(token: string) {
    const digests = secret.digests(token)
    for (const digest of digests) {
      const key = yield* keys.findByDigest(digest)
      if (key === undefined) continue
      // A key that is used moves to the current secret, so that the older one can go one day.
      if (digest !== digests[0]) yield* later(uses.redigest(key.id, digests[0]))
      return key
    }
    return undefined
  })
})

const make = Effect.gen(function*() {
  const { KEY_CACHE_ENTRIES, KEY_CACHE_MILLIS, KEY_LAST_USED_MILLIS } = yield* Limits
  const keys = yield* ApiKeys
  const later = yield* makeLater
  const lookUp = yield* makeLookUp(later)
  // The service's clock, not the request's: keys expire by it, also in an emulator.
  const clock = yield* Clock.Clock
  const known = new Map<string, Remembered>()

  const remember = (token: string, key: ApiKey, at: number): void => {
    if (known.size >= KEY_CACHE_ENTRIES) known.clear()
    known.set(token, { key, until: at + KEY_CACHE_MILLIS })
  }
  const markUsed = (key: ApiKey, now: number) =>
    key.lastUsedAt !== null && now - key.lastUsedAt < KEY_LAST_USED_MILLIS
      ? Effect.void
      : later(keys.touch(key.id, now))

  const find = Effect.fnUntraced(function*(token: string, now: number, instant: number) {
    known.delete(token)
    if (!isWellFormed(token)) return "invalid" as const
    const key = yield* lookUp(token)
    if (key === undefined) return "invalid" as const
    remember(token, key, instant)
    yield* markUsed(key, now)
    return usable(key, now)
  })
  const identify = (token: string): Effect.Effect<Identity | Refusal> =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      const instant = performance.now()
      const cached = known.get(token)
      return cached !== undefined && cached.until > instant
        ? Effect.succeed(usable(cached.key, now))
        : find(token, now, instant)
    })
  const clear = Effect.sync(() => known.clear())
  const bus = yield* ReplicaBus
  yield* bus.subscribe("keys", clear)
  return Authentication.of({ identify, clearCache: Effect.andThen(clear, bus.publish("keys")) })
})

export const layer: Layer.Layer<Authentication, never, ApiKeys | Limits | Secret | SecretUses | Transaction> = Layer
  .effect(
    Authentication,
    make
  )
