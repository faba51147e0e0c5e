/** A cached answer of an instance is never older than the last write. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { instanceCache } from "#service/persistence/sqlite/TableCache"
import { Database } from "#service/persistence/sqlite/Database"
import { persistenceLayer } from "../support/service.ts"

/** Counts its reads. The owner is in the database, so that a write changes the answer. */
const counted = Effect.map(Database, (db) => {
  db.connection.exec("CREATE TABLE things (id INTEGER PRIMARY KEY, owner INTEGER); INSERT INTO things VALUES (1, 7)")
  const find = db.one<[number]>("SELECT owner FROM things WHERE id = ? AND owner = ?")
  let reads = 0
  const cached = instanceCache(db.connection)
  const get = (accountId: number, id: number) =>
    cached(
      accountId,
      id,
      Effect.suspend(() => {
        reads++
        const row = find(id, accountId)
        return row === undefined ? Effect.fail("not found") : Effect.succeed({ id, owner: row[0] })
      })
    )
  return { get, reads: () => reads, exec: (sql: string) => db.connection.exec(sql) }
})

describe("cached answers of instances", () => {
  it.effect("are read once, and are the same object, until something is written", () =>
    Effect.gen(function*() {
      const { exec, get, reads } = yield* counted
      const first = yield* get(7, 1)
      assert.strictEqual(yield* get(7, 1), first)
      assert.strictEqual(reads(), 1)
      exec("INSERT INTO things VALUES (2, 7)")
      assert.notStrictEqual(yield* get(7, 1), first)
      assert.strictEqual(reads(), 2)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("show a write at once", () =>
    Effect.gen(function*() {
      const { exec, get } = yield* counted
      assert.strictEqual((yield* get(7, 1)).owner, 7)
      exec("UPDATE things SET owner = 8 WHERE id = 1")
      assert.strictEqual(yield* Effect.flip(get(7, 1)), "not found")
      assert.strictEqual((yield* get(8, 1)).owner, 8)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("are for their own account only", () =>
    Effect.gen(function*() {
      const { get } = yield* counted
      assert.isDefined(yield* get(7, 1))
      assert.strictEqual(yield* Effect.flip(get(8, 1)), "not found")
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("are never of a transaction that may be rolled back", () =>
    Effect.gen(function*() {
      const { exec, get } = yield* counted
      exec("BEGIN; UPDATE things SET owner = 8 WHERE id = 1")
      assert.strictEqual((yield* get(8, 1)).owner, 8)
      exec("ROLLBACK")
      assert.strictEqual(yield* Effect.flip(get(8, 1)), "not found")
      assert.strictEqual((yield* get(7, 1)).owner, 7)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("are evicted when they are too many", () =>
    Effect.gen(function*() {
      const { exec, get, reads } = yield* counted
      exec(
        `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
         INSERT INTO things SELECT i, 7 FROM n`
      )
      for (let id = 1; id <= 5_000; id++) yield* get(7, id)
      const before = reads()
      yield* get(7, 1)
      assert.strictEqual(reads(), before + 1)
    }).pipe(Effect.provide(persistenceLayer)))
})
