/** The numbers of the operators' first page, and accounts by need: what counts, from and until which moment. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { accountsInNeed } from "#service/admin/AccountsInNeed"
import { today } from "#service/admin/Today"
import { toTimestamp } from "#service/domain/Timestamp"
import { Books } from "#service/ledger/Books"
import { Accounts } from "#service/persistence/Accounts"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { buy, coreLayer } from "../support/service.ts"

const DAY = 86_400_000
const NOW = 100 * DAY

const layer = () => Layer.provideMerge(Books.layer, coreLayer())

/** Instances that were bought a month ago, and have nothing to do. */
const bought = Effect.fnUntraced(function*(count: number) {
  yield* TestClock.setTime(NOW)
  for (let each = 0; each < count; each++) yield* buy()
  yield* execute("UPDATE tasks SET status = 'succeeded', finished_at = 0")
})

/** Books money of an account, in minor units. */
const book = Effect.fnUntraced(function*(accountId: number, amount: number, at: number, currency = "EUR") {
  const { append } = yield* Journals
  const entries = [{ account: `wallet:${accountId}`, amount }, { account: "bank", amount: -amount }]
  const reference = `${at}-${currency}-${accountId}`
  yield* (yield* Transaction).run(append({ accountId, kind: "top_up", reference, currency, at, entries }))
})

describe("today's numbers", () => {
  it.effect("count tasks by what they wait for, and the failures of a day", () =>
    Effect.gen(function*() {
      yield* bought(5)
      const { tasks: none } = yield* today
      assert.deepStrictEqual(none, { queued: 0, running: 0, held: 0, failed: 0, unreconciled: 0, due_since: null })
      yield* execute(`UPDATE tasks SET status = 'queued', finished_at = NULL WHERE id < 5;
        UPDATE tasks SET run_at = ${NOW} WHERE id = 1; UPDATE tasks SET run_at = ${NOW + 1} WHERE id = 2;
        UPDATE tasks SET run_at = NULL WHERE id = 3;
        UPDATE tasks SET run_at = ${NOW - 9}, status = 'running', lease_until = ${NOW + 1} WHERE id = 4`)
      const { tasks } = yield* today
      assert.deepInclude(tasks, { queued: 2, running: 1, held: 1, failed: 0, due_since: toTimestamp(NOW) })
      yield* execute(`UPDATE tasks SET run_at = ${NOW + 2} WHERE id = 1`)
      assert.deepInclude((yield* today).tasks, { queued: 2, due_since: null })
      const fail = (at: number) =>
        execute(`UPDATE tasks SET status = 'failed', error = 'no', finished_at = ${at} WHERE id = 5`)
      yield* fail(NOW - DAY)
      assert.strictEqual((yield* today).tasks.failed, 1)
      yield* fail(NOW - DAY - 1)
      assert.strictEqual((yield* today).tasks.failed, 0)
    }).pipe(Effect.provide(layer())))

  it.effect("count instances that exist by lifecycle, and name those that are not renewed, or not paid for", () =>
    Effect.gen(function*() {
      yield* bought(6)
      const soon = NOW + 7 * DAY - 1
      yield* execute(`UPDATE instances SET lifecycle = 'active', expires_at = ${soon};
        UPDATE instances SET auto_renew = 0 WHERE id = 2; UPDATE instances SET expires_at = ${soon + 1} WHERE id = 3;
        UPDATE instances SET lifecycle = 'failed' WHERE id = 4;
        UPDATE instances SET lifecycle = 'deleted' WHERE id = 5;
        UPDATE instances SET lifecycle = 'suspended', expires_at = ${soon - 1} WHERE id = 6;
        UPDATE accounts SET wallet = 498`)
      const { instances } = yield* today
      assert.strictEqual(JSON.stringify(instances), "{\"active\":3,\"failed\":1,\"suspended\":1}")
      const ends = Effect.map(today, ({ endings }) => endings.shown.map((one) => [one.instance_id, one.why]))
      assert.deepStrictEqual(yield* ends, [[6, "unpaid"], [1, "unpaid"], [2, "not_renewed"]], "soonest first")
      yield* execute("UPDATE accounts SET wallet = 499")
      assert.deepStrictEqual(yield* ends, [[1, "unpaid"], [2, "not_renewed"]], "it pays for the first")
      yield* execute("UPDATE accounts SET wallet = 998")
      assert.deepStrictEqual(yield* ends, [[2, "not_renewed"]])
      yield* execute("UPDATE accounts SET wallet = 838, vat_treatment = 'reverse_charge', vat_rate = 0")
      assert.deepStrictEqual(yield* ends, [[2, "not_renewed"]], "two charges of 4.19, without VAT")
    }).pipe(Effect.provide(layer())))

  it.effect("say of each ending whose instance it is, when it ends, and what its next period costs", () =>
    Effect.gen(function*() {
      yield* bought(2)
      yield* execute(`UPDATE instances SET lifecycle = 'active', expires_at = ${NOW + DAY}, auto_renew = 0;
        UPDATE instances SET lifecycle = 'expired', expires_at = ${NOW - DAY}, grace_until = ${
        NOW + 2 * DAY
      } WHERE id = 2;
        UPDATE instances SET hostname = 'web' WHERE id = 2; UPDATE accounts SET name = 'Nordwind'`)
      const common = { account_id: 1, account: "Nordwind", charge: 4.99, currency: "EUR" }
      assert.deepStrictEqual((yield* today).endings, {
        shown: [
          { ...common, instance_id: 1, hostname: null, why: "not_renewed", at: toTimestamp(NOW + DAY) },
          { ...common, instance_id: 2, hostname: "web", why: "expired", at: toTimestamp(NOW + 2 * DAY) }
        ],
        count: 2
      }, "one that no payment renews is deleted")
      yield* execute("UPDATE instances SET auto_renew = 1; UPDATE accounts SET name = NULL, wallet = 0")
      assert.deepStrictEqual(
        (yield* today).endings.shown.map(({ account, instance_id: id, why }) => [id, why, account]),
        [[1, "unpaid", "owner@example.test"], [2, "expired", "owner@example.test"]]
      )
    }).pipe(Effect.provide(layer())))

  it.effect("name 100 instances at most", () =>
    Effect.gen(function*() {
      yield* bought(101)
      yield* execute(`UPDATE instances SET lifecycle = 'active', auto_renew = 0, expires_at = ${NOW + DAY}`)
      const { endings } = yield* today
      assert.deepStrictEqual([endings.shown.length, endings.count], [100, 100])
    }).pipe(Effect.provide(layer())))

  it.effect("sum up the money of a day by currency, also more than 32 bits", () =>
    Effect.gen(function*() {
      yield* bought(0)
      const { create } = yield* Accounts
      const vat = { treatment: "domestic", rate: 1_900 } as const
      const other = yield* (yield* Transaction).run(create({ email: "b@example.test", currency: "USD", vat, at: NOW }))
      yield* book(1, 500_000_000_000, NOW - DAY)
      yield* book(other, 700, NOW, "USD")
      const { money } = yield* today
      assert.deepStrictEqual(money.map(({ currency, top_ups }) => [currency, top_ups]), [
        ["EUR", 5_000_000_000],
        ["USD", 7]
      ])
      yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* today).money.map(({ currency }) => currency), ["USD"])
    }).pipe(Effect.provide(layer())))
})

describe("accounts with failures", () => {
  it.effect("are those with a task that failed within seven days", () =>
    Effect.gen(function*() {
      yield* bought(2)
      assert.deepStrictEqual(yield* accountsInNeed("failures"), [])
      const fail = (at: number) =>
        execute(`UPDATE tasks SET status = 'failed', error = 'no', finished_at = ${at} WHERE id = 2`)
      yield* fail(NOW - 7 * DAY)
      assert.deepStrictEqual(yield* accountsInNeed("failures"), [1])
      yield* fail(NOW - 7 * DAY - 1)
      assert.deepStrictEqual(yield* accountsInNeed("failures"), [])
    }).pipe(Effect.provide(layer())))
})
