/** The guarantees of statements and transactions on every database. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { StorageUnavailable } from "#service/domain/Errors"
import { Accounts } from "#service/persistence/Accounts"
import { Catalogue } from "#service/persistence/Catalogue"
import { Isos } from "#service/persistence/Isos"
import { Sql } from "#service/persistence/Sql"
import { Transaction } from "#service/persistence/Transaction"
import { account, LARGEST, NOW } from "./Fixtures.ts"
import { countTogether, isRefused, type Rules, write } from "./Rules.ts"

const FAULT = "INSERT INTO emulator_faults (rule, drawn, hits) VALUES (?, ?, ?)"

const TEXTS = ["", " ", "' ?1 ? \\ \" $1", "ä€😀", "a\nb\tc", "0", "1.0", "null"]

export const statements: Rules = {
  "numbers and texts come back as they went in": Effect.gen(function*() {
    const sql = yield* Sql
    const insert = sql.insert(FAULT)
    const all = sql.all<[string, number, number]>("SELECT rule, drawn, hits FROM emulator_faults ORDER BY id")
    const rows = [
      ...TEXTS.map((text): [string, number, number] => [text, 0, 1]),
      ["n", LARGEST, -LARGEST] as [string, number, number],
      ["n", 2 ** 31, -(2 ** 31) - 1] as [string, number, number]
    ]
    for (const row of rows) yield* insert(...row)
    assert.deepStrictEqual(yield* all(), rows)
  }),

  "null is null in both directions": Effect.gen(function*() {
    const sql = yield* Sql
    yield* sql.run("INSERT INTO emulator_clock (id, ahead, frozen_at) VALUES (1, 0, ?)")(null)
    const isNull = sql.one<[number | null, number]>(
      "SELECT frozen_at, CASE WHEN frozen_at IS NULL THEN 1 ELSE 0 END FROM emulator_clock"
    )
    assert.deepStrictEqual(yield* isNull(), [null, 1])
  }),

  "a number that no id can be finds nothing, and is larger or smaller than all": Effect.gen(function*() {
    const sql = yield* Sql
    yield* sql.insert(FAULT)("a", LARGEST, -LARGEST)
    const equal = sql.one("SELECT 1 FROM emulator_faults WHERE drawn = ?")
    const below = sql.one("SELECT 1 FROM emulator_faults WHERE drawn <= ?")
    for (const beyond of [2 ** 53, 2 ** 62, 2 ** 63, 1e21, 1e300, Number.MAX_VALUE]) {
      assert.isUndefined(yield* equal(beyond), `${beyond}`)
      assert.isUndefined(yield* equal(-beyond), `-${beyond}`)
      assert.isDefined(yield* below(beyond), `${beyond}`)
      assert.isUndefined(yield* below(-beyond), `-${beyond}`)
      assert.isUndefined(yield* (yield* Catalogue).plan(beyond))
      assert.isUndefined(yield* (yield* Isos).find(beyond))
      assert.isFalse(yield* (yield* Accounts).debit(1, beyond))
    }
  }),

  "a NUL in a text does no harm": Effect.gen(function*() {
    const sql = yield* Sql
    yield* sql.insert(FAULT)("a\0b", 1, 1)
    const row = yield* sql.one<[string]>("SELECT rule FROM emulator_faults")()
    assert.include(["a\0b", "a\uFFFDb"], row![0])
  }),

  "a value is used twice by its number": Effect.gen(function*() {
    const sql = yield* Sql
    yield* sql.run("INSERT INTO emulator_faults (rule, drawn, hits) VALUES (?2, ?1, ?1)")(7, "?")
    const find = sql.one<[number]>(
      "SELECT drawn FROM emulator_faults WHERE hits = ? AND rule = '?' -- a ? that is none"
    )
    assert.deepStrictEqual(yield* find(7), [7])
    assert.isUndefined(yield* find(8))
  }),

  "a run returns the number of changed rows, an insert the new ID": Effect.gen(function*() {
    const sql = yield* Sql
    const insert = sql.insert(FAULT)
    assert.deepStrictEqual([yield* insert("a", 1, 1), yield* insert("a", 1, 1), yield* insert("b", 1, 1)], [1, 2, 3])
    const change = sql.run("UPDATE emulator_faults SET drawn = 2 WHERE rule = ?")
    assert.deepStrictEqual([yield* change("a"), yield* change("c")], [2, 0])
    assert.strictEqual(yield* sql.run("DELETE FROM emulator_faults")(), 3)
    assert.strictEqual(yield* insert("d", 1, 1), 4)
  }),

  "an insert with a conflict returns 0": Effect.gen(function*() {
    const sql = yield* Sql
    yield* account()
    const insert = sql.insert(
      `INSERT INTO journals (account_id, kind, reference, currency, created_at) VALUES (1, 'top_up', ?, 'EUR', 0)
       ON CONFLICT (reference) DO NOTHING`
    )
    assert.deepStrictEqual([yield* insert("a"), yield* insert("a")], [1, 0])
    assert.isAbove(yield* insert("b"), 1)
  })
}

export const transactions: Rules = {
  "what fails leaves nothing behind, and says why": Effect.gen(function*() {
    const { wallets } = yield* Accounts
    assert.deepStrictEqual(yield* Effect.exit(write(Effect.andThen(account(), Effect.fail("no")))), Exit.fail("no"))
    assert.isTrue(yield* isRefused(write(Effect.andThen(account(), Effect.die("a defect")))))
    assert.deepStrictEqual(yield* wallets, [])
  }),

  "what is written is read in the same transaction, and outside after it": Effect.gen(function*() {
    const accounts = yield* Accounts
    const inside = yield* write(Effect.flatMap(account(), accounts.find))
    assert.deepStrictEqual(inside, yield* accounts.find(1))
  }),

  "a statement that the database rejects fails with 503, and rolls back everything": Effect.gen(function*() {
    const sql = yield* Sql
    const debt = sql.run("UPDATE accounts SET wallet = -1")
    const exit = yield* Effect.exit(write(Effect.andThen(account(), debt())))
    assert.isTrue(Exit.isFailure(exit))
    assert.instanceOf(yield* Effect.flip(write(Effect.andThen(account(), debt()))), StorageUnavailable)
    assert.deepStrictEqual(yield* (yield* Accounts).wallets, [])
  }),

  "use cases at the same time are as if one came after the other": Effect.gen(function*() {
    const sql = yield* Sql
    const read = sql.one<[number]>("SELECT wallet FROM accounts WHERE id = 1")
    const put = sql.run("UPDATE accounts SET wallet = ?")
    yield* account()
    const count = Effect.flatMap(read(), (row) => put(row![0] + 1))
    assert.strictEqual(yield* countTogether(Array.from({ length: 16 }, () => count), Exit.isSuccess), 16)
    assert.deepStrictEqual(yield* read(), [16])
  }),

  "a rejection rolls back only its own writes": Effect.gen(function*() {
    const refused = Effect.andThen(account({ at: NOW }), Effect.fail("no"))
    const useCases = Array.from({ length: 9 }, (_, place) => place % 3 === 0 ? refused : account())
    assert.strictEqual(yield* countTogether<number, string, Accounts>(useCases, Exit.isSuccess), 6)
    assert.lengthOf(yield* (yield* Accounts).wallets, 6)
  }),

  "what was answered is no longer pending": Effect.gen(function*() {
    const { pending } = yield* Transaction
    yield* write(account())
    assert.strictEqual(pending(), 0)
  })
}
