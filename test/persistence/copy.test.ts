/** Copying a database that is written to meanwhile. */
import { assert, describe, it } from "vitest"
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { copy } from "#service/persistence/sqlite/Copy"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const PAGES = 3_000

const withFile = async (run: (connection: DatabaseSync, folder: string) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), "vps-copy-"))
  const connection = new DatabaseSync(join(folder, "from.db"))
  try {
    connection.exec(`PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; CREATE TABLE t (x BLOB);
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${PAGES})
      INSERT INTO t SELECT zeroblob(4000) FROM n`)
    await run(connection, folder)
  } finally {
    connection.close()
    rmSync(folder, { recursive: true })
  }
}

const countIn = (path: string): number => {
  const connection = new DatabaseSync(path)
  try {
    assert.strictEqual(connection.prepare("PRAGMA integrity_check").get()!["integrity_check"], "ok")
    return Number(connection.prepare("SELECT count(*) AS n FROM t").get()!["n"])
  } finally {
    connection.close()
  }
}

describe("a copy of a database in use", () => {
  it("ends although transactions that are undone make it start over, again and again", () =>
    withFile(async (connection, folder) => {
      let isCopying = true
      let undone = 0
      const disturb = () => {
        if (!isCopying) return
        connection.exec("BEGIN IMMEDIATE; INSERT INTO t VALUES (zeroblob(9)); ROLLBACK; INSERT INTO t VALUES (x'01')")
        undone++
        setImmediate(disturb)
      }
      disturb()
      await copy(connection, join(folder, "to.db"), DEFAULT_LIMITS.BACKUP_STEP_PAGES)
      isCopying = false
      assert.isAbove(undone, 5)
      // The copy has everything that was committed before it ended, and nothing that was rolled back.
      assert.isAtLeast(countIn(join(folder, "to.db")), PAGES)
      assert.isAtMost(countIn(join(folder, "to.db")), PAGES + undone)
      assert.strictEqual(statSync(join(folder, "to.db")).mode & 0o777, 0o600)
    }))

  it("is made although it may begin in the middle of a transaction, over and over", () =>
    withFile(async (connection, folder) => {
      const closing = new AbortController()
      const insert = connection.prepare("INSERT INTO t VALUES (x'01')")
      const write = () => {
        if (closing.signal.aborted) return
        connection.exec("BEGIN IMMEDIATE")
        for (let n = 0; n < 100; n++) insert.run()
        connection.exec("COMMIT")
        setImmediate(write)
      }
      write()
      try {
        for (let n = 0; n < 2; n++) {
          await copy(connection, join(folder, `to-${n}.db`), DEFAULT_LIMITS.BACKUP_STEP_PAGES)
          assert.isAtLeast(countIn(join(folder, `to-${n}.db`)), PAGES)
        }
      } finally {
        closing.abort()
      }
    }))

  it("never writes over a file, and leaves nothing behind when it fails", () =>
    withFile(async (connection, folder) => {
      const path = join(folder, "there.db")
      writeFileSync(path, "mine")
      const failed = await copy(connection, path, DEFAULT_LIMITS.BACKUP_STEP_PAGES).then(
        () => undefined,
        (cause: NodeJS.ErrnoException) => cause.code
      )
      assert.deepStrictEqual([failed, statSync(path).size], ["EEXIST", 4])
    }))
})
