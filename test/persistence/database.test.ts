/** Opening a database: one owner, known versions, an append-only ledger. */
import { assert, describe, it } from "@effect/vitest"
import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { StorageUnavailable } from "#service/domain/Errors"
import * as Database from "#service/persistence/sqlite/Database"
import { Sql } from "#service/persistence/Sql"
import { DEFAULT_LIMITS, limitsLayer } from "../support/limits.ts"

const { START_CHECK_BYTES } = DEFAULT_LIMITS

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "vps-database-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true }))
)

/** With accounts that have long names; returns the file's size. */
const fillBeyondStartCheck = (path: string): number => {
  const connection = new DatabaseSync(path)
  connection.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)
    INSERT INTO accounts (email, currency, vat_treatment, vat_rate, wallet, created_at)
    SELECT hex(zeroblob(1500)), 'EUR', 'domestic', 1900, 0, 0 FROM n`)
  connection.close()
  const { size } = statSync(path)
  assert.isAbove(size, START_CHECK_BYTES)
  return size
}

const layerAt = (path: string) => Layer.provide(Database.layer({ path, busyTimeoutMillis: 0 }), limitsLayer())

const open = (path: string) => Layer.build(Layer.fresh(layerAt(path)))

describe("the database", () => {
  it.effect("refuses a file that a newer program has written, and names both versions", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "new.db")
      const newer = new DatabaseSync(path)
      newer.exec("PRAGMA user_version = 999")
      newer.close()
      const error = yield* Effect.flip(open(path))
      assert.match(error.message, /schema version 999; this program knows up to \d+/)
    }))

  it.effect("refuses a file that another process owns, and says what to do", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "owned.db")
      yield* open(path)
      const error = yield* Effect.flip(open(path))
      assert.include(error.message, "in use by another process")
      assert.include(error.message, "stop the other one first")
    }))

  it.effect("rejects a path that is not a database", () =>
    Effect.gen(function*() {
      const error = yield* Effect.flip(open(yield* folder))
      assert.include(error.message, "cannot be opened")
    }))

  it.effect("a damaged page that is read later is reported as an unreadable database", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "hole.db")
      yield* Effect.scoped(open(path))
      const size = fillBeyondStartCheck(path)
      const file = openSync(path, "r+")
      // Several pages, because one of them may belong to an index that is not read.
      writeSync(file, Buffer.alloc(16_384, 0x5a), 0, 16_384, Math.floor(size / 2 / 4_096) * 4_096)
      closeSync(file)
      const sql = Context.get(yield* open(path), Sql)
      const exit = yield* Effect.exit(sql.all("SELECT email FROM accounts")())
      const error = Exit.isFailure(exit) ? Cause.squash(exit.cause) : undefined
      assert.instanceOf(error, StorageUnavailable)
      assert.match(String((error as StorageUnavailable).message), /^The database cannot be read: .*malformed\.$/)
    }))

  it.effect("opens again what it wrote, without migrating twice", () =>
    Effect.gen(function*() {
      const path = join(yield* folder, "again.db")
      yield* Effect.scoped(open(path))
      yield* Effect.scoped(open(path))
      assert.isAbove(statSync(path).size, 0)
    }))
})
