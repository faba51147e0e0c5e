import { assert, describe, it } from "@effect/vitest"
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { forget, idsOf, load, make, readSecrets, rotate, secretIdOf, secretPath } from "#service/Secret"

const FIRST = "first-secret-of-the-test-0123456789"
const SECOND = "second-secret-of-the-test-0123456789"

describe("the service's secret", () => {
  it("seals and opens; the same text never looks the same twice", () => {
    const secret = make([FIRST])
    const sealed = secret.seal("hunter2")
    assert.notInclude(sealed, "hunter2")
    assert.notStrictEqual(secret.seal("hunter2"), sealed)
    assert.strictEqual(secret.open(sealed), "hunter2")
  })

  it("after a rotation opens and finds what the older one made", () => {
    const [before, after] = [make([FIRST]), make([SECOND, FIRST])]
    assert.strictEqual(after.open(before.seal("hunter2")), "hunter2")
    assert.include(after.digests("key"), before.digest("key"))
    assert.strictEqual(after.digest("key"), make([SECOND]).digest("key"))
    assert.strictEqual(after.digests("key")[0], after.digest("key"))
  })

  it("opens and finds what versions without ids have made", () => {
    const [before, after] = [make([FIRST]), make([SECOND, FIRST])]
    const bare = (stored: string) => stored.slice(stored.indexOf(":") + 1)
    assert.strictEqual(after.open(bare(before.seal("hunter2"))), "hunter2")
    assert.include(after.digests("key"), bare(before.digest("key")))
  })

  it("names the secret under which something was made, and tells nothing of it", () => {
    const [id] = idsOf([FIRST])
    assert.match(id!, /^[0-9a-f]{8}$/)
    for (const made of [make([FIRST]).digest("key"), make([FIRST]).seal("hunter2")]) {
      assert.strictEqual(secretIdOf(made), id)
      assert.isUndefined(secretIdOf(made.slice(9)))
    }
    assert.notInclude(idsOf([SECOND]), id)
  })

  it("refuses what another secret sealed, and what was tampered with", () => {
    const sealed = make([FIRST]).seal("hunter2")
    assert.throws(() => make([SECOND]).open(sealed), /VPS_SERVICE_SECRET is not the one/)
    const bytes = Buffer.from(sealed, "base64")
    bytes[bytes.length - 1]! ^= 1
    assert.throws(() => make([FIRST]).open(bytes.toString("base64")), /VPS_SERVICE_SECRET/)
  })

  it("marks a text so that nobody without the secret can tell which it was", () => {
    const mark = (secret: string, text: string) => make([secret]).markers[0].mark(text)
    assert.match(mark(FIRST, "hunter2"), /^[0-9a-f]{16}$/)
    assert.strictEqual(mark(FIRST, "hunter2"), mark(FIRST, "hunter2"))
    assert.notStrictEqual(mark(FIRST, "hunter2"), mark(FIRST, "hunter3"))
    assert.notStrictEqual(mark(FIRST, "hunter2"), mark(SECOND, "hunter2"))
  })

  it("refuses to be short", () => {
    assert.throws(() => make(["short"]), /at least 32 characters/)
    assert.throws(() => load({ given: `${FIRST},short`, emulator: false, database: ":memory:" }), /at least 32/)
  })

  it("is made once beside a database file, for its owner only", () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-secret-"))
    try {
      const database = join(folder, "vps.db")
      const sealed = load({ given: "", emulator: false, database }).seal("hunter2")
      assert.strictEqual(load({ given: "", emulator: false, database }).open(sealed), "hunter2")
      assert.strictEqual(statSync(`${database}.secret`).mode & 0o777, 0o600)
      assert.match(readFileSync(`${database}.secret`, "utf8"), /^[0-9a-f]{64}\n$/)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("is rotated in its file: the new one first, the older ones until they are forgotten", () => {
    const folder = mkdtempSync(join(tmpdir(), "vps-secret-"))
    try {
      const source = { given: "", emulator: false, database: join(folder, "vps.db") }
      const [before, path] = [load(source), secretPath(source.database)]
      const first = readSecrets(path)
      const ids = rotate(path)
      assert.deepStrictEqual([readSecrets(path)[1], statSync(path).mode & 0o777], [first[0], 0o600])
      assert.deepStrictEqual(ids, idsOf(readSecrets(path)))
      assert.strictEqual(load(source).open(before.seal("hunter2")), "hunter2")
      assert.deepStrictEqual(forget(path), idsOf(first))
      assert.throws(() => load(source).open(before.seal("hunter2")), /not the one/)
      assert.deepStrictEqual(readdirSync(folder), ["vps.db.secret"])
    } finally {
      rmSync(folder, { recursive: true })
    }
  })

  it("of the emulator is fixed and writes no file", () => {
    const source = { given: "", emulator: true, database: join(tmpdir(), "never-written.db") }
    assert.strictEqual(load(source).digest("key"), load(source).digest("key"))
    assert.isFalse(existsSync(`${source.database}.secret`))
  })
})
