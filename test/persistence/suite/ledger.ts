import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { topUp } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { Journals, type NewJournal } from "#service/persistence/Journals"
import { Sql } from "#service/persistence/Sql"
import { account, LARGEST, NOW } from "./Fixtures.ts"
import { countTogether, isRefused, type Rules, write } from "./Rules.ts"

const journal = (accountId: number, reference: string, amount: number): NewJournal => ({
  accountId,
  kind: "top_up",
  reference,
  currency: "EUR",
  at: NOW,
  entries: [{ account: `wallet:${accountId}`, amount }, { account: "bank", amount: -amount }]
})

const split = (accountId: number, reference: string): NewJournal => ({
  ...journal(accountId, reference, 0),
  kind: "instance_create",
  entries: [
    { account: `wallet:${accountId}`, amount: -119 },
    { account: "revenue", amount: 100 },
    { account: "vat", amount: 19 }
  ]
})

export const ledger: Rules = {
  "a wallet that is topped up while its account is closed is never both closed and filled": Effect.gen(function*() {
    const accounts = yield* Accounts
    const ids = yield* Effect.forEach([1, 2, 3, 4, 5, 6], () => account())
    const close = Effect.fnUntraced(function*(id: number) {
      const { wallet } = (yield* accounts.find(id))!
      yield* Effect.yieldNow
      if (wallet === 0) yield* accounts.setClosed(id, NOW)
    })
    const fill = (accountId: number) => topUp({ accountId, amount: 5, reference: `p-${accountId}`, at: NOW })
    const both = ids.flatMap((id) => [Effect.exit(write(close(id))), Effect.exit(write(fill(id)))])
    yield* Effect.all(both, { concurrency: "unbounded" })
    for (const id of ids) {
      const { closedAt, wallet } = (yield* accounts.find(id))!
      assert.strictEqual(closedAt === null, wallet === 5)
      assert.strictEqual(yield* (yield* Journals).balance(`wallet:${id}`), wallet)
    }
    yield* write(accounts.setClosed(ids[0]!, NOW))
    const late = topUp({ accountId: ids[0]!, amount: 5, reference: "late", at: NOW })
    assert.deepInclude(yield* Effect.flip(write(late)), { _tag: "AccountClosed", accountId: ids[0]! })
  }),

  "a reference that many take at the same time is taken once": Effect.gen(function*() {
    const book = yield* Journals
    yield* account()
    const tries = Array.from({ length: 8 }, () => book.append(journal(1, "refund:order:1", 5)))
    assert.strictEqual(yield* countTogether(tries, (exit) => Exit.isSuccess(exit) && exit.value), 1)
    assert.strictEqual(yield* book.balance("bank"), -5)
  }),

  "balances are sums, by account in the order of their letters": Effect.gen(function*() {
    const book = yield* Journals
    yield* account()
    yield* account()
    yield* book.append(journal(1, "a", LARGEST - 1_000))
    yield* book.append(journal(2, "b", 500))
    yield* book.append(split(2, "c"))
    assert.deepStrictEqual(yield* book.balances, [
      { account: "bank", amount: -LARGEST + 500 },
      { account: "revenue", amount: 100 },
      { account: "vat", amount: 19 },
      { account: "wallet:1", amount: LARGEST - 1_000 },
      { account: "wallet:2", amount: 381 }
    ])
    assert.strictEqual(yield* book.balance("wallet:2"), 381)
    assert.strictEqual(yield* book.balance("nobody"), 0)
  }),

  "refunds of a journal are added up, those that name it and the one with a reference": Effect.gen(function*() {
    const book = yield* Journals
    yield* account()
    yield* book.append(split(1, "b"))
    yield* book.append({ ...journal(1, "c", 5), reverses: 1 })
    yield* book.append({ ...journal(1, "d", 2), reverses: 1 })
    yield* book.append(journal(1, "refund:b", 1))
    yield* book.append(journal(1, "other", 100))
    assert.deepStrictEqual(yield* book.refunded(1, "refund:b"), [
      { account: "bank", amount: -8 },
      { account: "wallet:1", amount: 8 }
    ])
    assert.deepStrictEqual(yield* book.refunded(2, "none"), [])
  }),

  "journals that do not sum to zero, or have no lines, are listed by reference": Effect.gen(function*() {
    const book = yield* Journals
    yield* account()
    yield* book.append(journal(1, "fine", 5))
    yield* book.append({ ...journal(1, "empty", 5), entries: [] })
    yield* book.append({ ...journal(1, "askew", 5), entries: [{ account: "bank", amount: 1 }] })
    assert.deepStrictEqual(yield* book.unbalanced, ["empty", "askew"])
  }),

  "what was written cannot be changed or taken away": Effect.gen(function*() {
    const book = yield* Journals
    const sql = yield* Sql
    yield* account()
    yield* book.append(journal(1, "a", 5))
    for (
      const text of [
        "UPDATE journals SET reference = 'b'",
        "DELETE FROM journals",
        // SQLite does not know the statement.
        "TRUNCATE journals CASCADE",
        "UPDATE entries SET amount = 0",
        "DELETE FROM entries",
        "TRUNCATE entries"
      ]
    ) {
      assert.isTrue(yield* isRefused(sql.run(text)()), text)
    }
    assert.deepStrictEqual((yield* book.find("a"))?.entries, journal(1, "a", 5).entries)
  })
}
