/** The numbers of the operators' first page. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { Journals } from "#service/persistence/Journals"
import { Overview } from "#service/persistence/Overview"
import { Tasks } from "#service/persistence/Tasks"
import { setLifecycle } from "../../support/lifecycle.ts"
import { account, firstInstance, instance, NOW, task } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

export const overview: Rules = {
  "tasks are counted by what they wait for, and failed ones by their end": Effect.gen(function*() {
    const numbers = yield* Overview
    const none = { queued: 0, running: 0, held: 0, dueSince: null }
    assert.deepStrictEqual(yield* numbers.tasks(NOW), none)
    const { accountId, id } = yield* firstInstance
    const [due, held, later] = [id, (yield* instance(accountId)).id, (yield* instance(accountId)).id]
    yield* task(due, { runAt: NOW - 5 })
    yield* task(held, { runAt: null })
    yield* task(later, { runAt: NOW + 5 })
    assert.deepStrictEqual(yield* numbers.tasks(NOW), { queued: 2, running: 0, held: 1, dueSince: NOW - 5 })
    yield* write(Effect.flatMap(Tasks, ({ claim }) => claim(NOW, NOW + 1, 1)))
    assert.deepStrictEqual(yield* numbers.tasks(NOW), { queued: 1, running: 1, held: 1, dueSince: null })
    const audit = { actor: "admin", apiKeyId: null, requestId: null, type: "renew", status: "failed" } as const
    yield* (yield* Tasks).recordAudit({ ...audit, instanceId: id, error: "no", at: NOW - 9 })
    assert.strictEqual(yield* numbers.failedSince(NOW - 9), 1)
    assert.strictEqual(yield* numbers.failedSince(NOW - 8), 0)
  }),

  "instances are counted by lifecycle, and listed when their period ends soon, with their wallet": Effect.gen(
    function*() {
      const numbers = yield* Overview
      const instances = yield* Instances
      const { accountId, id } = yield* firstInstance
      const gone = yield* instance(accountId)
      const soon = yield* instance(accountId, NOW + 10)
      const poor = yield* instance(yield* account(), NOW + 20)
      yield* instance(accountId, NOW + 99)
      yield* (yield* Accounts).credit(accountId, 5_000)
      for (const each of [id, soon.id, poor.id]) yield* setLifecycle(each, "active")
      yield* setLifecycle(gone.id, "deleted")
      yield* instances.subscriptions.setAutoRenew(soon.id, false)
      assert.deepStrictEqual(yield* numbers.lifecycles, [["active", 3], ["pending", 1]])
      assert.deepStrictEqual(yield* numbers.endings(NOW + 99, 10), [
        { id: soon.id, autoRenew: false, isFunded: true },
        { id: poor.id, autoRenew: true, isFunded: false }
      ])
      assert.lengthOf(yield* numbers.endings(NOW + 99, 1), 1)
    }
  ),

  "the next charges of what is renewed are those between two moments, or of some accounts": Effect.gen(function*() {
    const numbers = yield* Overview
    const { subscriptions } = yield* Instances
    const domestic = { treatment: "domestic", rate: 1_900 } as const
    const reverse = { treatment: "reverse_charge", rate: 0 } as const
    const { accountId, id } = yield* firstInstance
    const other = yield* account({ vat: reverse })
    const later = yield* instance(other, NOW + 50)
    const [off, gone] = [yield* instance(accountId, NOW + 10), yield* instance(accountId, NOW + 10)]
    for (const each of [id, later.id, off.id]) yield* setLifecycle(each, "active")
    yield* setLifecycle(gone.id, "deleted")
    yield* subscriptions.setAutoRenew(off.id, false)
    yield* (yield* Accounts).credit(accountId, 7)
    const own = { hostname: "web", price: 999, nextPrice: null, nextPriceFrom: null }
    const first = { ...own, instanceId: id, accountId, wallet: 7, vat: domestic, expiresAt: NOW + 1_000 }
    const second = {
      ...own,
      instanceId: later.id,
      accountId: other,
      wallet: 0,
      vat: reverse,
      expiresAt: NOW + 50
    }
    assert.deepStrictEqual(yield* numbers.renewals(0, NOW + 51), [second])
    assert.deepStrictEqual(yield* numbers.renewals(NOW + 51, NOW + 1_001), [first])
    assert.deepStrictEqual(yield* numbers.renewals(NOW + 51, NOW + 1_000), [])
    assert.deepStrictEqual(yield* numbers.renewalsOf([accountId], NOW + 1_001), [first])
    assert.deepStrictEqual(yield* numbers.renewalsOf([accountId], NOW), [])
    assert.deepStrictEqual(yield* numbers.renewalsOf([], NOW + 1_001), [])
  }),

  "failures are counted by account, since a moment": Effect.gen(function*() {
    const numbers = yield* Overview
    const { accountId, id } = yield* firstInstance
    const other = yield* instance(yield* account())
    const audit = { actor: "admin", apiKeyId: null, requestId: null, type: "renew", status: "failed" } as const
    const fail = (instanceId: number, at: number) =>
      Effect.flatMap(Tasks, ({ recordAudit }) => recordAudit({ ...audit, instanceId, error: "no", at }))
    yield* fail(id, NOW - 9)
    yield* fail(id, NOW)
    yield* fail(other.id, NOW)
    yield* (yield* Tasks).recordAudit({ ...audit, status: "succeeded", instanceId: id, error: null, at: NOW })
    assert.deepStrictEqual(yield* numbers.failures(NOW - 9), [[accountId, 2], [other.accountId, 1]])
    assert.deepStrictEqual(yield* numbers.failures(NOW), [[accountId, 1], [other.accountId, 1]])
    assert.deepStrictEqual(yield* numbers.failures(NOW + 1), [])
  }),

  "money is what changed all wallets since a moment, by currency and kind": Effect.gen(function*() {
    const numbers = yield* Overview
    const [first, second] = [yield* account(), yield* account()]
    const book = yield* Journals
    const append = (accountId: number, reference: string, amount: number, at: number, currency = "EUR") =>
      book.append({
        accountId,
        kind: "top_up",
        reference,
        currency,
        at,
        entries: [{ account: `wallet:${accountId}`, amount }, { account: "bank", amount: -amount }]
      })
    yield* append(first, "a", 1, NOW - 10)
    yield* append(first, "b", 5_000_000_000, NOW)
    yield* append(second, "c", 20, NOW + 1)
    yield* append(second, "d", 7, NOW + 1, "USD")
    assert.deepStrictEqual(yield* numbers.money(NOW), [
      { currency: "EUR", kind: "top_up", amount: 5_000_000_020 },
      { currency: "USD", kind: "top_up", amount: 7 }
    ])
    assert.deepStrictEqual(yield* numbers.money(NOW + 2), [])
  })
}
