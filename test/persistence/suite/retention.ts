/** Rows with a retention period: idempotency keys, and the emulator's settings. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { DueTimes } from "#service/persistence/DueTimes"
import { EmulatorSettings } from "#service/persistence/EmulatorSettings"
import { type Claim, IdempotencyKeys } from "#service/persistence/IdempotencyKeys"
import { apiKey, firstInstance, instance, NOW } from "./Fixtures.ts"
import { countTogether, isRefused, type Rules, write } from "./Rules.ts"

const KEY = { accountId: 1, apiKeyId: 1 }
const PANEL = { accountId: 1, apiKeyId: null }

const digest = (digit: string): string => digit.repeat(64)

/** An API key with id 1, and two instances. */
const bought = Effect.gen(function*() {
  const first = yield* firstInstance
  const second = yield* instance(first.accountId)
  yield* apiKey(first.accountId)
  const claim: Claim = { owner: KEY, digest: digest("a"), fingerprint: "{}", instanceId: first.id, at: NOW }
  return { claim, first: first.id, second: second.id }
})

export const idempotencyKeys: Rules = {
  "a key finds what it bought, for the API key that sent it": Effect.gen(function*() {
    const keys = yield* IdempotencyKeys
    const { claim, first } = yield* bought
    yield* keys.insert({ ...claim, fingerprint: "{\"os\":\"0123\"}" })
    const found = { fingerprint: "{\"os\":\"0123\"}", instanceId: first }
    assert.deepStrictEqual(yield* keys.find(KEY, digest("a")), found)
    assert.isUndefined(yield* keys.find({ ...KEY, apiKeyId: 2 }, digest("a")))
    assert.isUndefined(yield* keys.find(KEY, digest("b")))
    assert.isUndefined(yield* keys.find(PANEL, digest("a")))
  }),

  "a key is claimed once": Effect.gen(function*() {
    const keys = yield* IdempotencyKeys
    const { claim, first, second } = yield* bought
    yield* keys.insert(claim)
    assert.isTrue(yield* isRefused(keys.insert({ ...claim, instanceId: second })))
    const ofNobody = { ...claim, owner: { ...KEY, apiKeyId: 2 }, instanceId: second }
    assert.isTrue(yield* isRefused(keys.insert(ofNobody)), "a key of nobody")
    assert.strictEqual((yield* keys.find(KEY, digest("a")))?.instanceId, first)
  }),

  "a key of the panel is the account's, beside the same key of an API key": Effect.gen(function*() {
    const keys = yield* IdempotencyKeys
    const { claim, first, second } = yield* bought
    yield* keys.insert(claim)
    yield* keys.insert({ ...claim, owner: PANEL, instanceId: second })
    assert.strictEqual((yield* keys.find(KEY, digest("a")))?.instanceId, first)
    assert.strictEqual((yield* keys.find(PANEL, digest("a")))?.instanceId, second)
    assert.isUndefined(yield* keys.find({ ...PANEL, accountId: 2 }, digest("a")))
    assert.isTrue(yield* isRefused(keys.insert({ ...claim, owner: PANEL, instanceId: first })))
  }),

  "a lookup before the claim finds the first key, even concurrently": Effect.gen(function*() {
    const keys = yield* IdempotencyKeys
    const { claim, first } = yield* bought
    const buy = (instanceId: number) =>
      Effect.gen(function*() {
        const known = yield* keys.find(KEY, digest("a"))
        if (known === undefined) yield* keys.insert({ ...claim, instanceId })
        return known === undefined
      })
    const buyers = Array.from({ length: 6 }, () => buy(first))
    assert.strictEqual(yield* countTogether(buyers, (exit) => Exit.isSuccess(exit) && exit.value), 1)
    assert.strictEqual(yield* countTogether(buyers, (exit) => Exit.isSuccess(exit) && !exit.value), 6)
  }),

  "keys of a deleted instance go at their moment, and no others": Effect.gen(function*() {
    const keys = yield* IdempotencyKeys
    const { claim, first, second } = yield* bought
    yield* keys.insert(claim)
    yield* keys.insert({ ...claim, digest: digest("b"), instanceId: second })
    assert.isUndefined((yield* (yield* DueTimes).next).keyExpiry)
    yield* keys.deleteExpired(NOW * 2)
    yield* keys.expireAt(first, NOW + 5)
    assert.strictEqual((yield* (yield* DueTimes).next).keyExpiry, NOW + 5)
    yield* keys.deleteExpired(NOW + 4)
    assert.isDefined(yield* keys.find(KEY, digest("a")))
    yield* write(keys.deleteExpired(NOW + 5))
    assert.isUndefined(yield* keys.find(KEY, digest("a")))
    assert.isDefined(yield* keys.find(KEY, digest("b")))
    assert.isUndefined((yield* (yield* DueTimes).next).keyExpiry)
  })
}

export const emulatorSettings: Rules = {
  "the clock is what it was set to last": Effect.gen(function*() {
    const settings = yield* EmulatorSettings
    assert.isUndefined(yield* settings.clock)
    yield* settings.setClock({ ahead: -5, frozenAt: null })
    yield* settings.setClock({ ahead: NOW, frozenAt: NOW + 1 })
    assert.deepStrictEqual(yield* settings.clock, { ahead: NOW, frozenAt: NOW + 1 })
  }),

  "faults come oldest first, with how often each struck": Effect.gen(function*() {
    const settings = yield* EmulatorSettings
    const [first, second] = [yield* settings.addFault("{\"a\":1}"), yield* settings.addFault("{}")]
    yield* settings.countFault({ id: first, drawn: 3, hits: 2 })
    assert.deepStrictEqual(yield* settings.faults, [
      { id: first, rule: "{\"a\":1}", drawn: 3, hits: 2 },
      { id: second, rule: "{}", drawn: 0, hits: 0 }
    ])
    yield* settings.clearFaults
    assert.deepStrictEqual(yield* settings.faults, [])
    assert.isAbove(yield* settings.addFault("{}"), second, "an id is given once")
  })
}
