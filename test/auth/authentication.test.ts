/** Keys are looked up once in a while, and are used no longer than they may be. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { vi } from "vitest"
import { tokenOf } from "#service/auth/ApiKeyToken"
import * as Authentication from "#service/auth/Authentication"
import { createKey } from "#service/auth/Keys"
import { Accounts } from "#service/persistence/Accounts"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { Transaction } from "#service/persistence/Transaction"
import { persistenceLayer, secretLayer, settle } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { KEY_CACHE_MILLIS, KEY_LAST_USED_MILLIS } = DEFAULT_LIMITS

const app = Layer.suspend(() =>
  Authentication.layer.pipe(Layer.provideMerge(persistenceLayer), Layer.provideMerge(secretLayer), Layer.fresh)
)

/** Monotonic time that a test moves: the cache must not follow a clock that can be set. */
const monotonic = Effect.acquireRelease(
  Effect.sync(() => {
    const time = { now: 1_000 }
    const spy = vi.spyOn(performance, "now").mockImplementation(() => time.now)
    return { time, spy }
  }),
  ({ spy }) => Effect.sync(() => spy.mockRestore())
)

const vat = { treatment: "domestic", rate: 1900 } as const

const keyOf = (expiresAt: number | null = null) =>
  Effect.flatMap(Transaction, ({ run }) =>
    run(Effect.gen(function*() {
      const accountId = yield* (yield* Accounts).create({ email: "a@example.test", currency: "EUR", vat, at: 0 })
      return yield* createKey({ accountId, name: "k", scopes: ["vps:read"], expiresAt, at: 0 })
    })))

const revoke = (id: number) =>
  Effect.flatMap(Transaction, ({ run }) => run(Effect.flatMap(ApiKeys, (keys) => keys.revoke(id, 1))))

const identify = (token: string) => Effect.flatMap(Authentication.Authentication, (auth) => auth.identify(token))

describe("a key that was looked up", () => {
  it.effect("is cached for at most 2 s, so a revocation elsewhere takes effect", () =>
    Effect.gen(function*() {
      const { time } = yield* monotonic
      const { id, token } = yield* keyOf()
      assert.deepInclude(yield* identify(token), { id, scopes: ["vps:read"] })
      yield* revoke(id)
      time.now += KEY_CACHE_MILLIS - 1
      assert.deepInclude(yield* identify(token), { id })
      time.now += 1
      assert.strictEqual(yield* identify(token), "revoked")
      assert.strictEqual(KEY_CACHE_MILLIS, 2_000)
    }).pipe(Effect.provide(app)))

  it.effect("expires by the service's clock all the same", () =>
    Effect.gen(function*() {
      yield* monotonic
      const { token } = yield* keyOf(5_000)
      assert.isObject(yield* identify(token))
      yield* TestClock.setTime(4_999)
      assert.isObject(yield* identify(token))
      yield* TestClock.setTime(5_000)
      assert.strictEqual(yield* identify(token), "expired")
    }).pipe(Effect.provide(app)))

  it.effect("is evicted on request", () =>
    Effect.gen(function*() {
      yield* monotonic
      const { id, token } = yield* keyOf()
      yield* identify(token)
      yield* revoke(id)
      yield* (yield* Authentication.Authentication).clearCache
      assert.strictEqual(yield* identify(token), "revoked")
    }).pipe(Effect.provide(app)))

  it.effect("has its last use noted once a minute", () =>
    Effect.gen(function*() {
      const { time } = yield* monotonic
      const { id, token } = yield* keyOf()
      const lastUsed = Effect.andThen(
        settle,
        Effect.map(Effect.flatMap(ApiKeys, ({ find }) => find(id)), (key) => key!.lastUsedAt)
      )
      for (const at of [1_000, 2_000, KEY_LAST_USED_MILLIS + 999, KEY_LAST_USED_MILLIS + 1_000]) {
        yield* TestClock.setTime(at)
        time.now += KEY_CACHE_MILLIS
        yield* identify(token)
        assert.strictEqual(yield* lastUsed, at > KEY_LAST_USED_MILLIS + 999 ? at : 1_000)
      }
    }).pipe(Effect.provide(app)))
})

describe("a token that opens nothing", () => {
  it.effect("is not remembered: the key works from the moment on that it is made", () =>
    Effect.gen(function*() {
      yield* monotonic
      const token = tokenOf("C".repeat(32))
      assert.strictEqual(yield* identify(token), "invalid")
      const { id } = yield* keyOf()
      const keys = yield* ApiKeys
      const key = (yield* keys.find(id))!
      yield* (yield* Transaction).run(
        createKey({ accountId: key.accountId, name: "late", scopes: ["vps:read"], expiresAt: null, token, at: 0 })
      )
      assert.isObject(yield* identify(token))
    }).pipe(Effect.provide(app)))
})
