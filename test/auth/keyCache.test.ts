/** The cache of keys: a key is looked up once in 2 s, and the memory is bounded. */
import { assert, describe, it } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { vi } from "vitest"
import { tokenOf } from "#service/auth/ApiKeyToken"
import * as Authentication from "#service/auth/Authentication"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { persistenceLayer, secretLayer } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { KEY_CACHE_ENTRIES, KEY_CACHE_MILLIS } = DEFAULT_LIMITS

const KEY = {
  id: 1,
  accountId: 1,
  name: "k",
  prefix: "vps_live_",
  last4: "abcd",
  scopes: ["vps:read"],
  createdAt: 0,
  expiresAt: null,
  revokedAt: null,
  lastUsedAt: 0,
  personId: null,
  madeBy: null
} as const

/** A database that has every token and counts queries, and a clock that a test moves. */
const world = Effect.gen(function*() {
  const state = { asked: 0, now: 1_000 }
  yield* Effect.acquireRelease(
    Effect.sync(() => vi.spyOn(performance, "now").mockImplementation(() => state.now)),
    (spy) => Effect.sync(() => spy.mockRestore())
  )
  const keys = Layer.effect(
    ApiKeys,
    Effect.map(ApiKeys, (real) =>
      ApiKeys.of({
        ...real,
        findByDigest: () =>
          Effect.sync(() => {
            state.asked++
            return KEY
          })
      }))
  )
  const layer = Authentication.layer.pipe(
    Layer.provide(keys),
    Layer.provide(persistenceLayer),
    Layer.provide(secretLayer),
    Layer.fresh
  )
  const { identify } = yield* Effect.map(
    Layer.build(layer),
    (context) => Context.get(context, Authentication.Authentication)
  )
  return { state, identify }
})

const token = (index: number): string => tokenOf(String(index).padStart(32, "0"))
const tokens = (count: number) => Array.from({ length: count }, (_, index) => token(index))

describe("the memory of keys", () => {
  it.effect("reads the database once for each key, and never for a malformed key", () =>
    Effect.gen(function*() {
      const { identify, state } = yield* world
      yield* Effect.forEach([0, 1, 0, 1, 0], (index) => identify(token(index)))
      assert.strictEqual(state.asked, 2)
      assert.strictEqual(yield* identify(`${token(0)}x`), "invalid")
      assert.strictEqual(yield* identify(""), "invalid")
      assert.strictEqual(state.asked, 2)
    }))

  it.effect("holds 10,000 keys, and is cleared by one more", () =>
    Effect.gen(function*() {
      const { identify, state } = yield* world
      yield* Effect.forEach(tokens(KEY_CACHE_ENTRIES), identify, { discard: true })
      yield* identify(token(0))
      assert.strictEqual(state.asked, 10_000)
      yield* identify(token(KEY_CACHE_ENTRIES))
      yield* identify(token(0))
      assert.strictEqual(state.asked, 10_002)
    }))

  it.effect("that is full makes no room for a key that it holds already", () =>
    Effect.gen(function*() {
      const { identify, state } = yield* world
      yield* Effect.forEach(tokens(KEY_CACHE_ENTRIES - 1), identify, { discard: true })
      state.now += KEY_CACHE_MILLIS / 2
      yield* identify(token(KEY_CACHE_ENTRIES))
      state.now += KEY_CACHE_MILLIS / 2
      yield* identify(token(0))
      assert.strictEqual(state.asked, 10_001)
      yield* identify(token(KEY_CACHE_ENTRIES))
      assert.strictEqual(state.asked, 10_001)
    }))
})
