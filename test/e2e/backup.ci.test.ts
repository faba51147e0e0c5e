/** Backups as an operator makes them: while customers buy, verified, put back; and what is refused. */
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterEach, assert, describe, it } from "vitest"
import { adminOf, runCommand } from "../support/command.ts"
import { openShop, request } from "../support/operator.ts"
import { type ServiceProcess, startService } from "../support/serviceProcess.ts"

const disposals: Array<() => unknown> = []
afterEach(async () => {
  for (const dispose of disposals.splice(0).toReversed()) await dispose()
})

const folderOf = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "vps-backup-"))
  disposals.push(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

const start = async (database: string): Promise<ServiceProcess> => {
  const service = await startService("--database", database, "--rate-limits=false")
  disposals.push(() => service.end("SIGKILL"))
  return service
}

const buyer = (service: ServiceProcess, key: string) => async (name: string): Promise<number> => {
  const headers = { "idempotency-key": name }
  const { body, status } = await request(service, key)("POST", "/instances", { service_id: 1 }, headers)
  assert.strictEqual(status, 201)
  return body.id
}

/** Resolves when another process has the file open. */
const opened = async (file: string): Promise<void> => {
  const others = readdirSync("/proc").filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
  const holds = others.some((pid) => {
    try {
      return readdirSync(`/proc/${pid}/fd`).some((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`) === file)
    } catch { // ended, or another user's
      return false
    }
  })
  if (holds) return
  await new Promise((resolve) => setTimeout(resolve, 20))
  return opened(file)
}

const idsIn = (file: string): ReadonlyArray<number> => {
  const connection = new DatabaseSync(file, { readOnly: true })
  try {
    return connection.prepare("SELECT id FROM instances ORDER BY id").all().map((row) => Number(row["id"]))
  } finally {
    connection.close()
  }
}

describe("vps-service admin backup and restore", () => {
  it("a backup of a service that sells meanwhile holds all it had sold before, and can be put back", async () => {
    const folder = folderOf()
    const [database, backup] = [join(folder, "vps.db"), join(folder, "backup.db")]
    const { json, run } = adminOf(database)
    const service = await start(database)
    const key = await openShop(database, 100_000)
    const buy = buyer(service, key)
    const before = await Promise.all(Array.from({ length: 50 }, (_, n) => buy(`before-${n}`)))
    const closing = new AbortController()
    const clients = Array.from({ length: 4 }, async (_, client) => {
      for (let n = 0; !closing.signal.aborted; n++) await buy(`during-${client}-${n}`)
    })
    const made = await run(["backup", backup, "-o", "json"])
    closing.abort()
    await Promise.all(clients)
    assert.strictEqual(made.code, 0, made.stderr)
    const told = JSON.parse(made.stdout)
    assert.deepInclude<object>(told, { file: backup, balanced: true, accounts: 1, secret: `${database}.secret` })
    assert.include(made.stderr, "The secret")
    assert.strictEqual(statSync(backup).mode & 0o777, 0o600)
    assert.includeMembers([...idsIn(backup)], before)
    assert.strictEqual(told.instances, idsIn(backup).length)

    assert.include((await run(["restore", backup])).stderr, "in use by another process")
    const late = await buy("late")
    assert.strictEqual((await json("verify")).sound, true)
    await service.end()
    const restored = await run(["restore", backup, "-o", "json"])
    assert.strictEqual(restored.code, 0, restored.stderr)
    assert.deepInclude<object>(JSON.parse(restored.stdout), { instances: told.instances, keys_without_secret: 0 })
    assert.include(restored.stderr, "buys another instance")
    assert.include(idsIn(`${database}.before-restore`), late)
    assert.deepStrictEqual(readdirSync(folder).toSorted(), [
      "backup.db",
      "vps.db",
      "vps.db.before-restore",
      "vps.db.secret"
    ])

    const again = await start(database)
    const [entry] = await json("audit", "list", "--limit", "1")
    assert.deepInclude(entry, { action: "restore", actor_kind: "command", outcome: "done" })
    assert.deepInclude(entry.details, { backup, instances: told.instances })
    assert.strictEqual((await json("audit", "verify")).intact, true)
    const list = await request(again, key)("GET", "/instances")
    assert.sameMembers(list.body.map(({ id }: { id: number }) => id), [...idsIn(backup)])
    assert.strictEqual((await json("ledger", "verify")).balanced, true)
    assert.isAbove(await buyer(again, key)("after"), late, "the id of a lost purchase is not sold again")
  })

  it("refuses to overwrite without --overwrite", async () => {
    const folder = folderOf()
    const [database, backup] = [join(folder, "vps.db"), join(folder, "backup.db")]
    const { json, run } = adminOf(database)
    await (await start(database)).end()
    assert.strictEqual((await json("backup", backup)).balanced, true)
    const before = readFileSync(backup)
    const refused = await run(["backup", backup])
    assert.deepStrictEqual([refused.code, refused.stdout], [1, ""])
    assert.include(refused.stderr, "--overwrite")
    assert.deepStrictEqual(readFileSync(backup), before)
    assert.strictEqual((await json("backup", backup, "--overwrite")).file, backup)
    assert.include((await run(["backup", database, "--overwrite"])).stderr, "is the database itself")
    assert.include((await run(["backup", join(folder, "none", "x.db")])).stderr, "cannot")
  })

  it("a damaged backup, one whose books are wrong, and one of a newer version are not put back", async () => {
    const folder = folderOf()
    const [database, backup] = [join(folder, "vps.db"), join(folder, "backup.db")]
    const { json, run } = adminOf(database)
    const service = await start(database)
    await openShop(database, 10)
    await service.end()
    await json("backup", backup)
    const spoiled = (name: string, spoil: (path: string) => void): string => {
      const path = join(folder, name)
      copyFileSync(backup, path)
      spoil(path)
      return path
    }
    const changed = (sql: string) => (path: string) => {
      const connection = new DatabaseSync(path)
      connection.exec(sql)
      connection.close()
    }
    const cases = [
      [spoiled("short.db", (path) => truncateSync(path, statSync(path).size - 8_192)), "damaged"],
      [spoiled("wallet.db", changed("UPDATE accounts SET wallet = wallet + 1")), "the wallet of account 1 differs"],
      [spoiled("newer.db", changed("PRAGMA user_version = 999")), "schema version 999"],
      [spoiled("other.db", changed("PRAGMA user_version = 0")), "holds nothing of vps-service"],
      [join(folder, "absent.db"), "No backup found"]
    ] as const
    const before = readFileSync(database)
    for (const [path, reason] of cases) {
      const { code, stderr } = await run(["restore", path])
      assert.strictEqual(code, 1, path)
      assert.include(stderr, reason)
    }
    assert.deepStrictEqual(readFileSync(database), before)
    assert.isFalse(existsSync(`${database}.before-restore`))
    // A database that is invalid as a backup fails verification, too, which finds errors that the start does not check.
    changed("UPDATE accounts SET wallet = wallet + 1")(database)
    const found = await run(["verify"])
    assert.strictEqual(found.code, 1)
    assert.include(found.stderr, "the wallet of account 1 differs from the ledger")
    assert.include((await run(["backup", join(folder, "second.db")])).stderr, "failed verification")
    assert.isFalse(existsSync(join(folder, "second.db")))
    assert.strictEqual((await json("restore", backup)).accounts, 1)
    assert.include((await run(["restore", backup])).stderr, "exists from an earlier restore")
  })

  it.skipIf(process.platform !== "linux")(
    "a service that starts in the middle of a restore does not take the old file (needs Linux)",
    async () => {
      const folder = folderOf()
      const [database, backup] = [join(folder, "vps.db"), join(folder, "backup.db")]
      const { json } = adminOf(database)
      await (await start(database)).end()
      await json("backup", backup)
      // The steps of a restore: it locks the file, replaces it, and releases the lock.
      const held = new DatabaseSync(database)
      held.exec("PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE")
      const waiting = runCommand(["--database", database, "--port", "0"])
      await opened(database)
      renameSync(backup, database)
      held.close()
      const { code, stderr } = await waiting
      assert.strictEqual(code, 1)
      assert.include(stderr, "was put there by a restore just now: start again")
      assert.strictEqual(await (await start(database)).end(), 0)
    }
  )

  it("warns when the keys of a backup do not match the secret", async () => {
    const folder = folderOf()
    const [database, backup] = [join(folder, "vps.db"), join(folder, "backup.db")]
    const { json, run } = adminOf(database)
    const service = await start(database)
    await openShop(database, 10)
    await json("backup", backup)
    await service.end()
    rmSync(`${database}.secret`)
    const { code, stderr, stdout } = await run(["restore", backup, "-o", "json"])
    assert.deepStrictEqual([code, JSON.parse(stdout).keys_without_secret], [0, 1])
    assert.include(stderr, "1 API keys do not match the secret")
  })
})
