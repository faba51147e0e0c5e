/** A cached read of tables is never older than their last change. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Database } from "#service/persistence/sqlite/Database"
import { cacheUntilChanged } from "#service/persistence/sqlite/TableCache"
import { persistenceLayer } from "../support/service.ts"

/** The next turn of the event loop, in which an invalidated cache is filled again. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** A table with one row, and the number of its reads. */
const cached = Effect.map(Database, (db) => {
  const exec = (sql: string) => db.connection.exec(sql)
  exec("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO things VALUES (1, 'one')")
  exec("CREATE TABLE others (id INTEGER PRIMARY KEY)")
  const all = db.all<[string]>("SELECT name FROM things ORDER BY id")
  let reads = 0
  const get = cacheUntilChanged(db.connection, ["things"], () => {
    reads++
    return all().flat()
  })
  return { get, exec, reads: () => reads }
})

const CHANGES: ReadonlyArray<readonly [sql: string, after: ReadonlyArray<string>]> = [
  ["INSERT INTO things VALUES (2, 'two')", ["one", "two"]],
  ["UPDATE things SET name = 'first'", ["first"]],
  ["DELETE FROM things", []]
]

describe("a cached read of tables", () => {
  it.effect("is read once, and not again when another table changes", () =>
    Effect.gen(function*() {
      const { exec, get, reads } = yield* cached
      const first = get()
      exec("INSERT INTO others VALUES (1)")
      yield* turn
      assert.strictEqual(get(), first)
      assert.strictEqual(reads(), 1)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect.each(CHANGES)(
    "is invalidated at once by %s, and filled again in the next turn",
    ([sql, after]) =>
      Effect.gen(function*() {
        const { exec, get } = yield* cached
        exec(sql)
        assert.isUndefined(get())
        yield* turn
        assert.deepStrictEqual(get(), after)
      }).pipe(Effect.provide(persistenceLayer))
  )

  it.effect("never has a change that was rolled back", () =>
    Effect.gen(function*() {
      const { exec, get } = yield* cached
      exec("BEGIN; DELETE FROM things")
      yield* turn
      assert.isUndefined(get())
      exec("ROLLBACK")
      assert.isUndefined(get())
      yield* turn
      assert.deepStrictEqual(get(), ["one"])
    }).pipe(Effect.provide(persistenceLayer)))
})
