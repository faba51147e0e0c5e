/** A change of the audit log in the database itself is found. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { hash } from "node:crypto"
import { listAudit } from "#service/admin/commands/Audits"
import { record, safeDetails, safeText } from "#service/audit/Audit"
import { verify } from "#service/audit/Verify"
import { AuditEntries } from "#service/persistence/AuditEntries"
import { Sql } from "#service/persistence/Sql"
import * as Storage from "#service/persistence/Storage"
import { Transaction } from "#service/persistence/Transaction"
import { generateToken } from "#service/auth/ApiKeyToken"
import { limitsLayer } from "../support/limits.ts"

const ACTOR = { kind: "command", personId: null, name: "root", from: "web-1", requestId: null } as const

/** Runs on a log of five entries, in which the database no longer refuses changes. */
const onFive = <A, E>(test: Effect.Effect<A, E, AuditEntries | Sql | Transaction>) =>
  Effect.gen(function*() {
    const { run } = yield* Transaction
    for (const id of [1, 2, 3, 4, 5]) yield* run(record({ actor: ACTOR, action: "x.y", details: { id } }))
    const sql = yield* Sql
    for (const name of ["audit_keep_update", "audit_keep_delete"]) yield* sql.run(`DROP TRIGGER ${name}`)()
    return yield* test
  }).pipe(Effect.provide(Layer.fresh(Layer.provide(Storage.layer(":memory:"), limitsLayer()))))

const change = (text: string) => Effect.flatMap(Sql, (sql) => sql.run(text)())
const headOf = Effect.map(verify(), ({ head }) => head!)

describe("the verification of the audit log", () => {
  it.effect.each(
    [
      ["a changed entry", "UPDATE audit SET actor = 'mallory' WHERE seq = 3", ["Entry 3 was changed."]],
      ["a changed hash", "UPDATE audit SET hash = 'a' WHERE seq = 3", [
        "Entry 3 was changed.",
        "Entry 4 does not follow entry 3."
      ]],
      ["removed entries", "DELETE FROM audit WHERE seq IN (2, 3)", ["Entries 2 to 3 are missing."]],
      ["a removed beginning", "DELETE FROM audit WHERE seq = 1", ["Entries 1 to 1 are missing."]],
      [
        "entries that changed places",
        "UPDATE audit SET seq = CASE seq WHEN 2 THEN 13 ELSE 12 END WHERE seq IN (2, 3);"
        + "UPDATE audit SET seq = seq - 10 WHERE seq > 10",
        ["Entry 2 does not follow entry 1.", "Entry 2 was changed.", "Entry 3 does not follow entry 2."]
      ]
    ] as const
  )("finds %s", ([, statements, expected]) =>
    onFive(Effect.gen(function*() {
      for (const statement of statements.split(";")) yield* change(statement)
      const { problems } = yield* verify()
      assert.deepStrictEqual(problems.slice(0, expected.length), [...expected])
    })))

  it.effect("finds a removed end only with an entry that was stored elsewhere", () =>
    onFive(Effect.gen(function*() {
      const known = yield* headOf
      yield* change("DELETE FROM audit WHERE seq > 3")
      assert.deepInclude(yield* verify(), { entries: 3, problems: [] })
      const { problems } = yield* verify(known)
      assert.deepStrictEqual(problems, [
        "The log ends at entry 3. Entry 5 existed, so the end of the log was removed."
      ])
    })))

  it.effect("finds a chain that was computed again only with an entry that was stored elsewhere", () =>
    onFive(Effect.gen(function*() {
      const known = yield* headOf
      yield* change("DELETE FROM audit WHERE seq > 3")
      const { run } = yield* Transaction
      for (const id of [6, 7, 8]) yield* run(record({ actor: ACTOR, action: "x.y", details: { id } }))
      assert.deepStrictEqual((yield* verify()).problems, [])
      assert.match((yield* verify(known)).problems.join(), /^Entry 5 is not the one with the hash [0-9a-f]{64}/)
    })))

  it.effect("finds another newest entry than the one that was stored elsewhere", () =>
    onFive(Effect.gen(function*() {
      const { problems } = yield* verify({ ...(yield* headOf), hash: "a" })
      assert.deepStrictEqual(problems, ["Entry 5 is not the one with the hash a, so the log was rewritten."])
    })))

  it.effect("names the first 20 problems", () =>
    onFive(Effect.gen(function*() {
      const { run } = yield* Transaction
      for (let id = 6; id <= 30; id++) yield* run(record({ actor: ACTOR, action: "x.y", details: { id } }))
      yield* change("UPDATE audit SET actor = 'mallory'")
      const { entries, problems } = yield* verify()
      assert.deepStrictEqual([entries, problems.length, problems.at(-1)], [30, 20, "Entry 20 was changed."])
    })))

  it.effect("accepts a log that continues after the known entry", () =>
    onFive(Effect.gen(function*() {
      const known = yield* headOf
      yield* (yield* Transaction).run(record({ actor: ACTOR, action: "x.y" }))
      assert.deepInclude(yield* verify(known), { entries: 6, problems: [] })
    })))

  it.effect("a list shows damaged entries as they are, with all others", () =>
    onFive(Effect.gen(function*() {
      yield* change("UPDATE audit SET details = '{\"id\":' WHERE seq = 2")
      yield* change("UPDATE audit SET details = 'null' WHERE seq = 3")
      yield* change("UPDATE audit SET at = 9007199254740991 WHERE seq = 4")
      const listed = yield* listAudit({ limit: 10 })
      assert.deepStrictEqual(listed.map(({ damaged, seq }) => [seq, damaged]), [
        [5, false],
        [4, true],
        [3, true],
        [2, true],
        [1, false]
      ])
      assert.deepStrictEqual(listed.map(({ details }) => details), [
        { id: 5 },
        { id: 4 },
        { damaged: "null" },
        { damaged: "{\"id\":" },
        { id: 1 }
      ])
      assert.strictEqual(listed[1]!.at, "damaged: 9007199254740991")
    })))

  it.effect("an empty log has no head, and lacks every known entry", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* verify(), { entries: 0, head: null, problems: [] })
      assert.lengthOf((yield* verify({ seq: 1, hash: "a" })).problems, 1)
    }).pipe(Effect.provide(Layer.fresh(Layer.provide(Storage.layer(":memory:"), limitsLayer())))))

  it.effect("a hash is computed as documented", () =>
    onFive(Effect.gen(function*() {
      const [entry] = yield* (yield* AuditEntries).after(0, 1)
      const json = JSON.stringify([
        1,
        entry!.at,
        "command",
        null,
        "root",
        "web-1",
        null,
        "x.y",
        null,
        null,
        "{\"id\":1}",
        "done",
        null,
        "0".repeat(64)
      ])
      assert.strictEqual(entry!.hash, hash("sha256", json, "hex"))
    })))
})

describe("the details of an audit entry", () => {
  it("lack what looks like a secret, at any depth", () => {
    const token = generateToken()
    const names = ["root_password", "secret", "api_key", "apiKey", "private_key", "privateKey", "sign_in_link"]
    const secrets = Object.fromEntries(names.map((name) => [name, "hunter22"]))
    const details = JSON.parse(safeDetails({ nested: [secrets], name: `my key ${token}`, link_count: 1, none: null }))
    assert.deepStrictEqual(details, {
      nested: [Object.fromEntries(names.map((name) => [name, "(left out)"]))],
      name: "my key vps_live_REDACTED",
      link_count: 1,
      none: null
    })
  })

  it("are bounded", () => {
    assert.strictEqual(safeText("x".repeat(500)), "x".repeat(500))
    assert.strictEqual(safeText("x".repeat(501)), `${"x".repeat(499)}…`)
    assert.lengthOf(JSON.parse(safeDetails({ ids: Array.from({ length: 51 }, (_, index) => index) })).ids, 50)
    const many = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`f${index}`, "x".repeat(100)]))
    const fields = Array.from({ length: 50 }, (_, index) => `f${index}`)
    assert.deepStrictEqual(JSON.parse(safeDetails(many)), { too_long: true, fields })
    const long = { texts: Array.from({ length: 8 }, () => "x".repeat(487)), more: "" }
    const most = { ...long, more: "x".repeat(4_000 - JSON.stringify(long).length) }
    assert.strictEqual(safeDetails(most), JSON.stringify(most))
    assert.include(safeDetails({ ...most, more: `${most.more}x` }), "too_long")
  })

  it("are what every database stores unchanged", () => {
    assert.strictEqual(safeText("a\0b\uD800c"), "a\uFFFDb\uFFFDc")
  })
})
