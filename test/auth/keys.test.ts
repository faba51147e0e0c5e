/** API keys are made once, shown once and taken back everywhere at once. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { isWellFormed } from "#service/auth/ApiKeyToken"
import * as Authentication from "#service/auth/Authentication"
import { assertNotRevoked, createKey, revokeKey } from "#service/auth/Keys"
import { whoami } from "#service/auth/Authentication"
import { Accounts } from "#service/persistence/Accounts"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { ReplicaBus, type ReplicaEvent } from "#service/persistence/ReplicaBus"
import { Transaction } from "#service/persistence/Transaction"
import { make, Secret } from "#service/config/Secret"
import { persistenceLayer, secretLayer, settle } from "../support/service.ts"

/** Other replicas: records published events, and delivers theirs to this replica. */
const others = () => {
  const told: Array<ReplicaEvent> = []
  const acts: Array<readonly [ReplicaEvent, Effect.Effect<void>]> = []
  const layer = Layer.sync(ReplicaBus, () => ({
    ownsDatabase: false,
    publish: (news: ReplicaEvent) => Effect.sync(() => void told.push(news)),
    subscribe: (news: ReplicaEvent, act: Effect.Effect<void>) => Effect.sync(() => void acts.push([news, act])),
    pollMillis: 1_000
  }))
  return { told, acts, layer }
}

const app = (replicas = others()) =>
  Authentication.layer.pipe(
    Layer.provideMerge(replicas.layer),
    Layer.provideMerge(persistenceLayer),
    Layer.provideMerge(secretLayer),
    Layer.fresh
  )

const newKey = Effect.gen(function*() {
  const vat = { treatment: "domestic", rate: 1900 } as const
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const accountId = yield* (yield* Accounts).create({ email: "a@example.test", currency: "EUR", vat, at: 0 })
    const key = yield* createKey({ accountId, name: "k", scopes: ["vps:write"], expiresAt: null, at: 5 })
    return { ...key, accountId }
  }))
})

const identify = (token: string) => Effect.flatMap(Authentication.Authentication, (auth) => auth.identify(token))

describe("a key that is made", () => {
  it.effect("is a well-formed token of which only a digest and the ends are stored", () =>
    Effect.gen(function*() {
      const { id, token } = yield* newKey
      assert.isTrue(isWellFormed(token))
      const stored = (yield* (yield* ApiKeys).find(id))!
      assert.deepInclude(stored, { name: "k", prefix: "vps_live_", last4: token.slice(-4), createdAt: 5 })
      assert.notInclude(JSON.stringify(stored), token.slice(9, -4))
    }).pipe(Effect.provide(app())))

  it.effect("under an older secret is still known after a rotation", () =>
    Effect.gen(function*() {
      const { id, token } = yield* newKey
      const rotated = make(["another-secret-of-the-tests-0123456789", "a-secret-of-the-tests-0123456789abcdef"])
      const after = Authentication.layer.pipe(Layer.provide(Layer.succeed(Secret, rotated)), Layer.fresh)
      const keys = yield* ApiKeys
      const stored = Effect.map(keys.findByDigest(rotated.digests(token)[0]), (key) => key?.id)
      assert.isUndefined(yield* stored)
      yield* Effect.gen(function*() {
        assert.deepInclude(yield* identify(token), { id })
        yield* settle
        assert.strictEqual(yield* stored, id, "it moves to the current secret")
        assert.deepInclude(yield* identify(token), { id })
      }).pipe(Effect.provide(after))
    }).pipe(Effect.provide(app())))
})

const revokes = (id: number) =>
  Effect.match(revokeKey(id, assertNotRevoked), { onSuccess: () => true, onFailure: () => false })

describe("a key that is taken back", () => {
  it.effect("opens nothing from then on, though it was looked up a moment ago", () =>
    Effect.gen(function*() {
      const { id, token } = yield* newKey
      yield* identify(token)
      assert.isTrue(yield* revokes(id))
      assert.strictEqual(yield* identify(token), "revoked")
    }).pipe(Effect.provide(app())))

  it.effect("is published to the other replicas once: revoking again publishes nothing", () => {
    const replicas = others()
    return Effect.gen(function*() {
      const { id } = yield* newKey
      assert.isTrue(yield* revokes(id))
      assert.isFalse(yield* revokes(id))
      assert.isFalse(yield* revokes(99))
      assert.deepStrictEqual(replicas.told, ["keys"])
    }).pipe(Effect.provide(app(replicas)))
  })

  it.effect("by another replica is read again after its event", () => {
    const replicas = others()
    return Effect.gen(function*() {
      const { id, token } = yield* newKey
      yield* identify(token)
      yield* (yield* Transaction).run((yield* ApiKeys).revoke(id, 1))
      assert.isObject(yield* identify(token))
      yield* Effect.forEach(replicas.acts, ([news, act]) => news === "keys" ? act : Effect.void)
      assert.strictEqual(yield* identify(token), "revoked")
    }).pipe(Effect.provide(app(replicas)))
  })
})

describe("who a key is", () => {
  it.effect("says when it was last used, and that it never expires", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000)
      const { accountId, id, token } = yield* newKey
      const caller = { accountId, apiKeyId: id, requestId: null }
      assert.deepInclude((yield* whoami(caller)).key, { last_used_at: null, expires_at: null })
      yield* identify(token)
      yield* settle
      assert.deepInclude((yield* whoami(caller)).key, {
        created_at: "1970-01-01T00:00:00.005Z",
        last_used_at: "1970-01-01T00:00:01.000Z",
        expires_at: null
      })
    }).pipe(Effect.provide(app())))

  it.effect.each([[1, 99], [99, 1]])(
    "is a defect for account %i and key %i, one of which is gone",
    ([accountId, key]) =>
      Effect.gen(function*() {
        yield* newKey
        const exit = yield* Effect.exit(whoami({ accountId: accountId!, apiKeyId: key!, requestId: null }))
        assert.include(String(exit), `key ${key} was just accepted and is missing`)
      }).pipe(Effect.provide(app()))
  )
})
