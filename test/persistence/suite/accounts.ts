/** Accounts, their wallets and limits, and their keys. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { Accounts } from "#service/persistence/Accounts"
import { OperatorLists } from "#service/persistence/OperatorLists"
import { Overview } from "#service/persistence/Overview"
import { Sql } from "#service/persistence/Sql"
import { People } from "#service/persistence/people/People"
import { account, apiKey, LARGEST, newKey, NOW } from "./Fixtures.ts"
import { countTogether, isRefused, type Rules } from "./Rules.ts"

export const accounts: Rules = {
  "a new account has an empty wallet, no limits of its own, and its terms": Effect.gen(function*() {
    const repository = yield* Accounts
    const id = yield* account({ email: "ä@example.test", currency: "CHF", vat: { treatment: "oss", rate: 2_100 } })
    assert.deepStrictEqual(yield* repository.find(id), {
      id,
      email: "ä@example.test",
      name: null,
      currency: "CHF",
      vat: { treatment: "oss", rate: 2_100 },
      wallet: 0,
      closedAt: null,
      frozenReason: null,
      creates: { perMinute: null, perHour: null, minuteArrival: 0, hourArrival: 0 }
    })
    assert.isUndefined(yield* repository.find(id + 1))
  }),

  "a debit takes the whole amount, or nothing if the wallet is too low": Effect.gen(function*() {
    const repository = yield* Accounts
    const id = yield* account()
    assert.isTrue(yield* repository.credit(id, LARGEST))
    assert.isTrue(yield* repository.debit(id, LARGEST - 100))
    assert.isFalse(yield* repository.debit(id, 101))
    assert.strictEqual((yield* repository.find(id))?.wallet, 100)
    assert.isTrue(yield* repository.debit(id, 100))
    assert.deepStrictEqual(yield* repository.wallets, [{ id, wallet: 0 }])
    assert.isFalse(yield* repository.debitCreate(id, 1, NOW, NOW))
    assert.isTrue(yield* repository.credit(id, 3))
    assert.isTrue(yield* repository.debitCreate(id, 2, NOW, NOW + 1))
    const { creates, wallet } = (yield* repository.find(id))!
    assert.deepStrictEqual([wallet, creates.minuteArrival, creates.hourArrival], [1, NOW, NOW + 1])
  }),

  "a wallet below nothing is refused by the database itself, unless a payment was taken back": Effect.gen(function*() {
    const { credit, debit, find, takeBack } = yield* Accounts
    const sql = yield* Sql
    const id = yield* account()
    yield* credit(id, 10)
    yield* takeBack(id, 30)
    assert.strictEqual((yield* find(id))?.wallet, -20)
    assert.isFalse(yield* debit(id, 1))
    const below = sql.run("UPDATE accounts SET wallet = wallet - 1 WHERE id = ?")
    assert.isTrue(yield* isRefused(below(id)))
    assert.isTrue(yield* credit(id, 5))
    assert.isTrue(yield* isRefused(below(id)))
    yield* takeBack(id, 5)
    assert.isTrue(yield* credit(id, 25))
    assert.deepStrictEqual(yield* (yield* Overview).owing, [])
    yield* debit(id, 5)
    yield* takeBack(id, 1)
    assert.deepStrictEqual(yield* (yield* Overview).owing, [id])
    yield* credit(id, 1)
    assert.isTrue(yield* isRefused(sql.run("UPDATE accounts SET wallet = ? WHERE id = ?")(-1, id)))
    assert.isFalse(yield* isRefused(sql.run("UPDATE accounts SET wallet = ? WHERE id = ?")(0, id)))
  }),

  "debits at the same time never take more than there is": Effect.gen(function*() {
    const repository = yield* Accounts
    const id = yield* account()
    yield* repository.credit(id, 55)
    const debits = Array.from({ length: 12 }, () => repository.debit(id, 10))
    assert.strictEqual(yield* countTogether(debits, (exit) => Exit.isSuccess(exit) && exit.value), 5)
    assert.strictEqual((yield* repository.find(id))?.wallet, 5)
  }),

  "wallets are listed by id": Effect.gen(function*() {
    const repository = yield* Accounts
    for (const amount of [3, 2, 1]) yield* repository.credit(yield* account(), amount)
    yield* repository.debit(1, 1)
    assert.deepStrictEqual((yield* repository.wallets).map(({ wallet }) => wallet), [2, 2, 1])
  }),

  "limits of its own are set and taken back, and moments remembered": Effect.gen(function*() {
    const limits = yield* Accounts
    const creates = Effect.map(Effect.flatMap(Accounts, ({ find }) => find(1)), (found) => found!.creates)
    yield* account()
    assert.isTrue(yield* limits.setCreateLimits(1, { perMinute: 5, perHour: null }))
    yield* limits.setCreateArrivals(1, NOW, NOW + 1)
    assert.deepStrictEqual(yield* creates, { perMinute: 5, perHour: null, minuteArrival: NOW, hourArrival: NOW + 1 })
    assert.isTrue(yield* limits.setCreateLimits(1, { perMinute: null, perHour: 9 }))
    assert.deepStrictEqual(yield* creates, { perMinute: null, perHour: 9, minuteArrival: NOW, hourArrival: NOW + 1 })
    assert.isFalse(yield* limits.setCreateLimits(2, { perMinute: 5, perHour: 5 }))
  })
}

export const keys: Rules = {
  "a key is found by id and by digest, as it was made": Effect.gen(function*() {
    const repository = yield* ApiKeys
    const accountId = yield* account()
    const id = yield* apiKey(accountId, { expiresAt: NOW + 5 })
    const { digest, ...made } = newKey(accountId, { expiresAt: NOW + 5 })
    const expected = { ...made, id, revokedAt: null, lastUsedAt: null }
    assert.deepStrictEqual(yield* repository.find(id), expected)
    assert.deepStrictEqual(yield* repository.findByDigest(digest), expected)
    assert.isUndefined(yield* repository.findByDigest("D1"))
    assert.isUndefined(yield* repository.find(id + 1))
  }),

  "a digest is one key's": Effect.gen(function*() {
    const id = yield* account()
    yield* apiKey(id)
    assert.isTrue(yield* isRefused(apiKey(id)))
    assert.isTrue(yield* isRefused(apiKey(id + 1, { digest: "d2" })), "an account that is not there")
  }),

  "keys are known to those who made them, and without a maker to all members": Effect.gen(function*() {
    const repository = yield* ApiKeys
    const people = yield* People
    const [first, second] = [yield* account(), yield* account({ email: "b@example.test" })]
    const ada = { email: "ada@example.test", name: "Ada", role: "customer", handle: "h", createdAt: NOW } as const
    const personId = yield* people.create(ada)
    yield* people.join(personId, first, NOW)
    const make = (accountId: number, digest: string, overrides: object = {}) =>
      apiKey(accountId, { digest, ...overrides })
    const unknown = yield* make(first, "1")
    yield* make(second, "2")
    yield* make(first, "3", { personId: personId + 1, madeBy: "eve@example.test" })
    const own = yield* make(first, "4", { personId, madeBy: ada.email })
    const elsewhere = yield* make(second, "5", { personId, madeBy: ada.email })
    yield* make(first, "6", { personId, madeBy: ada.email, expiresAt: NOW })
    yield* repository.revoke(yield* make(first, "7", { personId, madeBy: ada.email }), NOW)
    const known = (accountId: number | null) =>
      Effect.map(repository.knownTo(personId, accountId, NOW), (keys) => keys.map(({ id }) => id))
    assert.deepStrictEqual(yield* known(first), [unknown, own])
    assert.deepStrictEqual(yield* known(null), [unknown, own, elsewhere])
    assert.deepInclude(yield* repository.find(own), { personId, madeBy: ada.email })
  }),

  "a key is revoked once, and its use noted": Effect.gen(function*() {
    const repository = yield* ApiKeys
    const id = yield* apiKey(yield* account())
    assert.isTrue(yield* repository.revoke(id, NOW))
    assert.isFalse(yield* repository.revoke(id, NOW + 1))
    assert.isFalse(yield* repository.revoke(id + 1, NOW))
    yield* repository.touch(id, NOW + 2)
    const key = yield* repository.find(id)
    assert.deepStrictEqual([key?.revokedAt, key?.lastUsedAt], [NOW, NOW + 2])
  }),

  "a frozen account has its reason, since the first time": Effect.gen(function*() {
    const { find, freeze, unfreeze } = yield* Accounts
    const { account: listed } = yield* OperatorLists
    const id = yield* account()
    yield* freeze(id, "fraud", NOW)
    yield* freeze(id, "a chargeback", NOW + 1)
    assert.strictEqual((yield* find(id))?.frozenReason, "a chargeback")
    assert.strictEqual((yield* listed(id))?.frozenAt, NOW)
    yield* unfreeze(id)
    const { frozenAt, frozenReason } = (yield* listed(id))!
    assert.deepStrictEqual([frozenAt, frozenReason], [null, null])
  })
}
