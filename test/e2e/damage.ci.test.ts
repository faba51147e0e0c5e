/** A database file that is not what it should be is refused at start, with what to do; nothing of it is changed. */
import {
  closeSync,
  copyFileSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { adminOf, runCommand } from "../support/command.ts"
import { openShop } from "../support/operator.ts"
import { startService } from "../support/serviceProcess.ts"

const PAGE = 4_096

const folder = mkdtempSync(join(tmpdir(), "vps-damage-"))
const whole = join(folder, "whole.db")
const large = join(folder, "large.db")

beforeAll(async () => {
  const service = await startService("--database", whole)
  await openShop(whole, 10)
  await service.end()
  copyFileSync(whole, large)
  copyFileSync(`${whole}.secret`, `${large}.secret`)
  const connection = new DatabaseSync(large)
  // Beyond what the start reads page by page.
  connection.exec(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
    INSERT INTO accounts (email, currency, vat_treatment, vat_rate, wallet, created_at)
    SELECT hex(zeroblob(2000)), 'EUR', 'domestic', 1900, 0, 0 FROM n`)
  connection.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const overwrite = (path: string, at: number): void => {
  const file = openSync(path, "r+")
  writeSync(file, Buffer.alloc(PAGE, 0x5a), 0, PAGE, at)
  closeSync(file)
}

const middle = (path: string): number => Math.floor(statSync(path).size / 2 / PAGE) * PAGE

const cut = (path: string): void => truncateSync(path, middle(path))

const newer = (path: string): void => {
  const connection = new DatabaseSync(path)
  connection.exec("PRAGMA user_version = 999")
  connection.close()
}

const CASES: ReadonlyArray<readonly [string, string, (path: string) => void, string]> = [
  ["whose header was overwritten", whole, (path) => overwrite(path, 0), "is damaged, or no database at all"],
  ["with a page in its middle overwritten", whole, (path) => overwrite(path, middle(path)), "is damaged"],
  ["that was cut", whole, cut, "is damaged"],
  ["that is large and was cut", large, cut, "is damaged"],
  ["that is large and whose schema was overwritten", large, (path) => overwrite(path, 0), "is damaged"],
  ["of a newer version", whole, newer, "schema version 999; this program knows up to"]
]

describe("a database file", () => {
  it.each(CASES)("%s is refused, and stays as it is", async (_, from, spoil, reason) => {
    const path = join(folder, "spoiled.db")
    copyFileSync(from, path)
    copyFileSync(`${whole}.secret`, `${path}.secret`)
    spoil(path)
    const before = readFileSync(path)
    const { code, stderr, stdout } = await runCommand(["--database", path, "--port", "0"])
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.include(stderr, path)
    assert.include(stderr, reason)
    assert.include(stderr, "vps-service admin restore <backup>")
    assert.isTrue(readFileSync(path).equals(before))
  })

  it("that is large and has an overwritten page in its middle: `verify` finds it, the start may not", async () => {
    const path = join(folder, "hole.db")
    copyFileSync(large, path)
    overwrite(path, middle(path))
    const { code, stderr } = await adminOf(path).run(["verify"])
    assert.strictEqual(code, 1)
    assert.match(stderr, /failed verification|is damaged/)
  })

  it("that is large and sound passes the look at its ends", async () => {
    const service = await startService("--database", large)
    assert.strictEqual(await service.end(), 0)
    assert.strictEqual((await adminOf(large).json("verify")).accounts, 5_001)
  })
})
