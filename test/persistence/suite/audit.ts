/** The audit log as the databases store it. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { record } from "#service/audit/Audit"
import { verify } from "#service/audit/Verify"
import type { Actor } from "#service/domain/AuditEntry"
import { AuditEntries, type AuditFilter } from "#service/persistence/AuditEntries"
import { Sql } from "#service/persistence/Sql"
import { isRefused, type Rules, write } from "./Rules.ts"

const OPERATOR: Actor = { kind: "command", personId: null, name: "Ada", from: "web-1", requestId: null }
const PERSON: Actor = { kind: "person", personId: 7, name: "bo@example.test", from: "203.0.113.9", requestId: "r-1" }

const ALL: AuditFilter = {
  before: null,
  action: null,
  actor: null,
  accountId: null,
  instanceId: null,
  search: null,
  since: null,
  until: null
}

const three = Effect.gen(function*() {
  yield* write(record({ actor: OPERATOR, action: "accounts.create", accountId: 1 }))
  yield* write(record({ actor: PERSON, action: "sign_in.passkey" }))
  yield* write(
    record({ actor: OPERATOR, action: "instances.suspend", accountId: 1, instanceId: 3, details: { reason: "spam" } })
  )
})

/** The numbers of the entries that a filter selects. */
const selected = (filter: Partial<AuditFilter>, limit = 10) =>
  Effect.flatMap(
    AuditEntries,
    ({ list }) => Effect.map(list({ ...ALL, ...filter }, limit), (entries) => entries.map(({ seq }) => seq))
  )

export const audit: Rules = {
  "an entry is read as it was recorded, and its hash is the same": Effect.gen(function*() {
    // A NUL, half of a character, and letters of more than one byte.
    const text = "a\0b \uD800 ä \u{1F600}"
    yield* write(
      record({ actor: { ...PERSON, name: text }, action: "x.y", details: { [text]: [text, 1, null, true] } })
    )
    const [entry] = yield* (yield* AuditEntries).after(0, 1)
    const stored = "a\uFFFDb \uFFFD ä \u{1F600}"
    assert.deepStrictEqual(entry!.actor, { ...PERSON, name: stored })
    assert.deepStrictEqual(JSON.parse(entry!.details), { [stored]: [stored, 1, null, true] })
    assert.deepInclude(entry, { seq: 1, action: "x.y", accountId: null, outcome: "done", error: null })
    assert.deepStrictEqual((yield* verify()).problems, [])
  }),

  "entries cannot be changed or deleted": Effect.gen(function*() {
    yield* three
    const { run } = yield* Sql
    const changes = ["UPDATE audit SET actor = 'nobody'", "DELETE FROM audit WHERE seq = 3", "DELETE FROM audit"]
    // SQLite does not know the last statement.
    for (const change of [...changes, "TRUNCATE audit"]) {
      assert.isTrue(yield* isRefused(run(change)()), change)
    }
    assert.deepInclude(yield* verify(), { entries: 3, problems: [] })
  }),

  "many that record at the same time continue one chain": Effect.gen(function*() {
    const together = Array.from(
      { length: 12 },
      (_, index) => write(record({ actor: OPERATOR, action: "x.y", details: { index } }))
    )
    yield* Effect.all(together, { concurrency: "unbounded" })
    const { entries, head, problems } = yield* verify()
    assert.deepStrictEqual({ entries, seq: head?.seq, problems }, { entries: 12, seq: 12, problems: [] })
  }),

  "entries are found by each part of a filter, newest first": Effect.gen(function*() {
    yield* three
    const [first, , last] = yield* (yield* AuditEntries).after(0, 3)
    assert.deepStrictEqual(yield* selected({}), [3, 2, 1])
    assert.deepStrictEqual(yield* selected({}, 2), [3, 2])
    assert.deepStrictEqual(yield* selected({ before: 3 }), [2, 1])
    assert.deepStrictEqual(yield* selected({ action: "sign_in" }), [2])
    assert.deepStrictEqual(yield* selected({ action: "sign_in.passkey" }), [2])
    assert.deepStrictEqual(yield* selected({ action: "sign" }), [])
    assert.deepStrictEqual(yield* selected({ actor: "EXAMPLE" }), [2])
    assert.deepStrictEqual(yield* selected({ accountId: 1 }), [3, 1])
    assert.deepStrictEqual(yield* selected({ instanceId: 3 }), [3])
    assert.deepStrictEqual(yield* selected({ search: "SPAM" }), [3])
    assert.deepStrictEqual(yield* selected({ search: "passkey" }), [2])
    assert.deepStrictEqual(yield* selected({ search: "203.0.113" }), [2])
    assert.deepStrictEqual(yield* selected({ search: "ada" }), [3, 1])
    assert.deepStrictEqual(yield* selected({ search: "3" }), [3])
    assert.deepStrictEqual(yield* selected({ search: "1" }), [3, 1])
    assert.deepStrictEqual(yield* selected({ search: "1", accountId: 1, before: 3 }), [1])
    assert.deepStrictEqual(yield* selected({ search: "%" }), [])
    assert.deepStrictEqual(yield* selected({ since: first!.at, until: last!.at + 1 }), [3, 2, 1])
    assert.deepStrictEqual(yield* selected({ since: last!.at + 1 }), [])
    assert.deepStrictEqual(yield* selected({ until: first!.at }), [])
  })
}
