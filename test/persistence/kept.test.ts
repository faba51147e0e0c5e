/** What is kept in memory until it changes is never older than the last change of its tables. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Database } from "#service/persistence/sqlite/Database"
import { keepUntilChanged } from "#service/persistence/sqlite/Kept"
import { persistenceLayer } from "../support/service.ts"

/** The next turn of the event loop, in which is read again what was forgotten. */
const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

/** A table with one row, and how often it was read. */
const kept = Effect.map(Database, (db) => {
  const exec = (sql: string) => db.connection.exec(sql)
  exec("CREATE TABLE things (id INTEGER PRIMARY KEY, name TEXT); INSERT INTO things VALUES (1, 'one')")
  exec("CREATE TABLE others (id INTEGER PRIMARY KEY)")
  const all = db.all<[string]>("SELECT name FROM things ORDER BY id")
  let reads = 0
  const get = keepUntilChanged(db, ["things"], () => {
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

describe("what is kept", () => {
  it.effect("is read once, and not again when another table changes", () =>
    Effect.gen(function*() {
      const { exec, get, reads } = yield* kept
      const first = get()
      exec("INSERT INTO others VALUES (1)")
      yield* turn
      assert.strictEqual(get(), first)
      assert.strictEqual(reads(), 1)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect.each(CHANGES)(
    "is forgotten at once after %s, and read again in the next turn",
    ([sql, after]) =>
      Effect.gen(function*() {
        const { exec, get } = yield* kept
        exec(sql)
        assert.isUndefined(get())
        yield* turn
        assert.deepStrictEqual(get(), after)
      }).pipe(Effect.provide(persistenceLayer))
  )

  it.effect("is never what was undone", () =>
    Effect.gen(function*() {
      const { exec, get } = yield* kept
      exec("BEGIN; DELETE FROM things")
      yield* turn
      assert.isUndefined(get())
      exec("ROLLBACK")
      assert.isUndefined(get())
      yield* turn
      assert.deepStrictEqual(get(), ["one"])
    }).pipe(Effect.provide(persistenceLayer)))
})
