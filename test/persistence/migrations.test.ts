/** Rows that an earlier version of the schema wrote come through. */
import { assert, describe, it } from "@effect/vitest"
import { hash } from "node:crypto"
import { DatabaseSync } from "node:sqlite"
import { nextNight } from "#service/domain/BackupNight"
import { MIGRATIONS } from "#service/persistence/schema/Migrations"
import { sqlite } from "#service/persistence/sqlite/Dialect"
import { migrate } from "#service/persistence/sqlite/Migrate"
import { boughtInstance, NEW_TASKS, OLD_TASKS } from "../support/oldRows.ts"

/** A database as it was at a version, with an account that has bought one instance under a key. */
const boughtAt = (version: number, digest: string): DatabaseSync => {
  const connection = new DatabaseSync(":memory:")
  migrate(connection, version)
  connection.exec(boughtInstance(digest))
  return connection
}

describe("the migration of idempotency keys (version 12)", () => {
  it("keeps what each key has bought", () => {
    const digest = hash("sha256", "order-1", "hex")
    const connection = boughtAt(11, digest)
    migrate(connection)
    assert.deepStrictEqual({ ...connection.prepare("SELECT * FROM idempotency_keys").get() }, {
      instance_id: 7,
      api_key_id: 5,
      account_id: null,
      digest: digest.slice(0, 32),
      fingerprint: "{\"hostname\":\"0123456789abcdef\"}",
      created_at: 11,
      forget_at: 12
    })
    assert.deepStrictEqual(connection.prepare("PRAGMA foreign_key_check").all(), [])
  })
})

describe("the migration of nightly backups (version 13)", () => {
  it("gives each machine from before version 8 its own minute of the next night", () => {
    const connection = boughtAt(12, "0123")
    const at = Number(connection.prepare("SELECT unixepoch() * 1000 AS at").get()!["at"])
    migrate(connection, 13)
    const scheduled = connection.prepare("SELECT next_backup_at FROM instances").get()!["next_backup_at"]
    // A second may pass in between, and with it a night's minute.
    assert.include([nextNight(at, 7), nextNight(at + 1_000, 7)], scheduled)
  })

  it("leaves alone what has its night, is being deployed, or is gone", () => {
    const connection = boughtAt(12, "0123")
    for (
      const [lifecycle, before] of [["active", 5], ["pending", null], ["failed", null], ["deleted", null]] as const
    ) {
      connection.exec(`PRAGMA user_version = 12`)
      connection.prepare("UPDATE instances SET lifecycle = ?, next_backup_at = ?").run(lifecycle, before)
      migrate(connection, 13)
      assert.strictEqual(connection.prepare("SELECT next_backup_at AS at FROM instances").get()!["at"], before)
    }
  })
})

describe("the migrations of task counts (versions 20 and 33)", () => {
  it("count the existing tasks, then follow deletions: the program counts what it inserts", () => {
    const connection = boughtAt(19, "0123")
    const insert = (id: number) =>
      connection.exec(
        `INSERT INTO tasks (id, instance_id, kind, type, status, progress, actor, params, attempts, run_at, fence,
           created_at, finished_at)
         VALUES (${id}, 7, 'audit', 'renew', 'succeeded', 100, 'system', '{}', 0, 0, 0, 5, 5)`
      )
    const count = () => connection.prepare("SELECT task_count FROM instances").get()!["task_count"]
    for (const id of [1, 2, 3]) insert(id)
    migrate(connection)
    assert.strictEqual(count(), 3)
    insert(4)
    assert.strictEqual(count(), 3)
    connection.exec("DELETE FROM tasks WHERE id = 2")
    assert.strictEqual(count(), 2)
  })
})

describe("the migration of suspensions (version 15)", () => {
  it("keeps what operators wrote for each other from the customer", () => {
    const connection = boughtAt(14, "0123")
    connection.exec("UPDATE instances SET lifecycle = 'suspended', suspended_reason = 'a nuisance'")
    migrate(connection)
    const { suspended_note: note, suspended_reason: reason } = connection.prepare("SELECT * FROM instances").get()!
    assert.deepStrictEqual({ note, reason }, { note: "a nuisance", reason: "Contact support." })
  })
})

describe("the migration of task indexes (version 14)", () => {
  it("keeps one open operation per instance, and any number of ended ones", () => {
    const connection = boughtAt(13, "0123")
    const insert = (id: number, status: string, finishedAt: number | null) =>
      connection.prepare(
        `INSERT INTO tasks (id, instance_id, kind, type, status, progress, actor, params, attempts, run_at, fence,
           created_at, finished_at) VALUES (?, 7, 'operation', 'start', ?, 0, 'system', '{}', 0, 0, 0, 5, ?)`
      ).run(id, status, finishedAt)
    insert(1, "failed", null)
    insert(2, "succeeded", 9)
    insert(3, "queued", null)
    migrate(connection)
    const finished = connection.prepare("SELECT finished_at AS at FROM tasks ORDER BY id").all().map(({ at }) => at)
    assert.deepStrictEqual(finished, [5, 9, null])
    assert.throws(() => insert(4, "running", null), "UNIQUE constraint failed")
    insert(5, "cancelled", 6)
  })
})

describe("the migration of terminations (version 34)", () => {
  it("separates the time of the next attempt from the grace period", () => {
    const connection = boughtAt(33, "0123")
    connection.exec("UPDATE instances SET lifecycle = 'expired', grace_until = 99, paid_from = 0, expires_at = 50")
    const insert = (id: number, type: string) =>
      connection.exec(
        `INSERT INTO tasks (id, instance_id, kind, type, status, progress, actor, params, attempts, run_at, fence,
           created_at, finished_at)
         VALUES (${id}, 7, 'operation', '${type}', 'failed', 0, 'system', '{}', 1, 0, 1, 5, 5)`
      )
    insert(1, "terminate")
    insert(2, "expire")
    const migrated = () => {
      connection.exec("SAVEPOINT before")
      connection.exec(MIGRATIONS[33]!(sqlite.schema))
      const row = { ...connection.prepare("SELECT grace_until, terminate_at, auto_renew FROM instances").get() }
      connection.exec("ROLLBACK TO before")
      return row
    }
    assert.deepStrictEqual(migrated(), { grace_until: 99, terminate_at: null, auto_renew: 1 })
    insert(3, "terminate")
    assert.deepStrictEqual(migrated(), { grace_until: null, terminate_at: 99, auto_renew: 0 })
  })
})

describe("the migration of task purposes (version 38)", () => {
  it("moves them from the parameters to columns", () => {
    const connection = boughtAt(36, "0123")
    connection.exec(OLD_TASKS)
    migrate(connection)
    const rows = connection.prepare("SELECT purpose, of_task_id, params FROM tasks ORDER BY id").all()
    assert.deepStrictEqual(rows.map((row) => Object.values(row)), NEW_TASKS)
  })
})

describe("the migration of members (version 41)", () => {
  it("gives those from before full access, and accounts no name", () => {
    const connection = boughtAt(36, "0123")
    migrate(connection, 40)
    connection.exec(
      `INSERT INTO people (id, email, name, role, handle, created_at) VALUES (3, 'ada@a', 'Ada', 'customer', 'h', 0);
       INSERT INTO memberships (person_id, account_id, created_at) VALUES (3, 1, 0);
       INSERT INTO invitations (account_id, email, role, digest, sent_at, expires_at)
         VALUES (1, 'bo@a', 'customer', 'd', 0, 9)`
    )
    migrate(connection)
    const row = (text: string) => Object.values(connection.prepare(text).get()!)
    assert.deepStrictEqual(row("SELECT permission FROM memberships"), ["full"])
    assert.deepStrictEqual(row("SELECT permission FROM invitations"), ["full"])
    assert.deepStrictEqual(row("SELECT name, labels_version FROM accounts"), [null, 0])
  })
})
