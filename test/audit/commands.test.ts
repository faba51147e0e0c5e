/** Every operators' command that changes something is in the audit log; the cases are complete by their type. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Schema from "effect/Schema"
import { COMMANDS } from "#service/admin/Commands"
import { type CommandName, CONTRACT, type InputOf } from "#service/contract/operator/Commands"
import { execute } from "#service/admin/Execute"
import { verify } from "#service/audit/Verify"
import type { Actor, AuditEntry } from "#service/domain/AuditEntry"
import { AuditEntries } from "#service/persistence/AuditEntries"
import { startApp, type TestApp } from "../support/app.ts"
import type { Outcome } from "#service/contract/Words"

const ACTOR: Actor = { kind: "person", personId: 4, name: "op@example.test", from: "203.0.113.9", requestId: "r-1" }

interface Case<Name extends CommandName> {
  readonly input: InputOf<Name>
  /** Of its entry; null for a command that changes nothing. */
  readonly outcome: Outcome | null
  /** Part of the entry. */
  readonly entry?: Partial<AuditEntry>
}

const read = <Input>(input: Input) => ({ input, outcome: null })
const done = <Input>(input: Input, entry: Partial<AuditEntry> = {}) => ({ input, outcome: "done", entry }) as const
const rejected = <Input>(input: Input) => ({ input, outcome: "rejected" }) as const

const HOST = {
  name: "alpha",
  data_center: "Frankfurt",
  uri: "unix:/nowhere",
  pool: "vps",
  bridge: "br0",
  accelerator: "qemu",
  overcommit: 1,
  reserved_mib: 0
} as const

const IMAGE = { name: "debian-13", file: "/nowhere", sha256: "0".repeat(64), kind: "disk" } as const

/** In this order, on the emulator's seed with instance 1. */
const CASES: { readonly [Name in CommandName]: Case<Name> } = {
  "accounts.create": done({ email: "new@example.test", currency: "EUR", vat_treatment: "domestic" }, { accountId: 2 }),
  "accounts.list": read({ after: 0, limit: 10 }),
  "accounts.show": read({ id: 1 }),
  "accounts.limits": done({ id: 1, creates_per_hour: 90 }, { accountId: 1, details: "{\"creates_per_hour\":90}" }),
  "accounts.edit": done({ id: 2, email: "b@example.test" }, {
    accountId: 2,
    details: "{\"email\":\"b@example.test\",\"before\":"
      + "{\"email\":\"new@example.test\",\"name\":null,\"vat_treatment\":\"domestic\",\"vat_rate\":19}}"
  }),
  "accounts.close": done({ id: 2, reason: "asked" }, {
    accountId: 2,
    details: "{\"reason\":\"asked\",\"revoked_keys\":0}"
  }),
  "accounts.reopen": done({ id: 2 }, { accountId: 2, details: "{}" }),
  "accounts.freeze": done({ id: 2, reason: "charged back", suspend: false }, {
    accountId: 2,
    details: "{\"reason\":\"charged back\",\"suspend\":false}"
  }),
  "accounts.unfreeze": done({ id: 2 }, { accountId: 2, details: "{}" }),
  "keys.create": done({ account_id: 2, name: "ci", scopes: ["vps:read"] }, {
    accountId: 2,
    details: "{\"name\":\"ci\",\"scopes\":[\"vps:read\"],\"key_id\":2}"
  }),
  "keys.list": read({ limit: 10 }),
  "keys.revoke": done({ id: 2 }, { accountId: 2, details: "{\"key_id\":2}" }),
  "people.invite": done({ email: "b@example.test", role: "customer", account_id: 1 }, {
    accountId: 1,
    details: "{\"email\":\"b@example.test\",\"role\":\"customer\",\"invitation_id\":1}"
  }),
  "people.invitations": read({ limit: 10 }),
  "people.withdraw": done({ id: 1 }, {
    accountId: 1,
    details: "{\"id\":1,\"invitation_id\":1,\"email\":\"b@example.test\"}"
  }),
  "people.link": done({ id: 2 }, { details: "{\"id\":2,\"person_id\":2,\"email\":\"operator@example.test\"}" }),
  "people.list": read({ limit: 10 }),
  "people.permission": rejected({ id: 9, account_id: 1, permission: "read" }),
  "people.remove": done({ id: 2 }, { details: "{\"id\":2,\"email\":\"operator@example.test\",\"revoked_keys\":[]}" }),
  "wallet.top_up": done({ account_id: 1, amount: 5, reference: "p-1" }, {
    accountId: 1,
    details: "{\"amount\":5,\"reference\":\"p-1\"}"
  }),
  "wallet.move_payment": done({ reference: "p-1", to_account_id: 2, reason: "wrong account" }, {
    accountId: 2,
    details: "{\"reference\":\"p-1\",\"to_account_id\":2,\"reason\":\"wrong account\",\"from_account_id\":1,"
      + "\"repeated\":false}"
  }),
  "wallet.debit": done({ account_id: 1, amount: 5, reason: "fee", payout: false, reference: "d-1" }, {
    accountId: 1,
    details: "{\"amount\":5,\"reason\":\"fee\",\"payout\":false,\"reference\":\"debit:d-1\"}"
  }),
  "wallet.refund": done({ line: 2, amount: 1, reason: "outage", reference: "r-1" }, {
    accountId: 1,
    instanceId: 1,
    details: "{\"line\":2,\"amount\":1,\"reason\":\"outage\",\"reference\":\"refund:manual:r-1\"}"
  }),
  "wallet.statement": read({ account_id: 1, limit: 10 }),
  "wallet.bookings": read({ limit: 10 }),
  "catalogue.import": done({ document: { data_centers: [{ id: 7, label: "Paris" }] }, dry_run: false }),
  "catalogue.export": read({}),
  "plans.list": read({}),
  "plans.reprice": done({ id: 1, price: 5.99, from: "2099-01-01" }),
  "images.list": read({}),
  "images.import": rejected(IMAGE),
  "isos.list": read({}),
  "coupons.create": done({ code: "AUDIT", percent: 10, once_per_account: false }),
  "coupons.list": read({}),
  "hosts.add": rejected(HOST),
  "hosts.set": rejected({ name: "alpha", backup_pool: "backups", no_backup_pool: false }),
  "hosts.list": read({}),
  "hosts.check": rejected({ name: "alpha" }),
  "hosts.drain": rejected({ name: "alpha" }),
  "hosts.activate": rejected({ name: "alpha" }),
  "hosts.evacuate": rejected({ name: "alpha", dry_run: false }),
  "hosts.fence": rejected({ name: "alpha", confirmed_off: true, from_backups: true }),
  "addresses.add": done({ network: "203.0.113.0/24", gateway: "203.0.113.1", data_center: "Frankfurt" }),
  "addresses.list": read({}),
  "addresses.neighbors": read({}),
  "rdns.check": rejected({ repair: true }),
  "machines.audit": done({ repair: true }),
  "machines.confirm": rejected({}),
  "instances.list": read({ limit: 10 }),
  "instances.show": read({ id: 1 }),
  "instances.suspend": done({ id: 1, reason: "spam", note: "second time" }, {
    accountId: 1,
    instanceId: 1,
    details: "{\"reason\":\"spam\",\"note\":\"second time\"}"
  }),
  "instances.unsuspend": rejected({ id: 99 }),
  "instances.terminate": rejected({ id: 99, reason: "asked" }),
  "instances.auto_renew": done({ id: 1, auto_renew: false }, { accountId: 1, instanceId: 1 }),
  "instances.undo_renewal": rejected({ id: 1 }),
  "instances.undo_expiry": rejected({ id: 1 }),
  "instances.extend_grace": rejected({ id: 1, days: 7 }),
  "clock.show": read({}),
  "clock.confirm": rejected({ time: "2027-01-01" }),
  "notes.add": done({ account_id: 1, text: "pays by invoice" }, {
    accountId: 1,
    details: "{\"text\":\"pays by invoice\",\"note_id\":1}"
  }),
  "notes.list": read({ limit: 10 }),
  "notes.delete": done({ id: 1 }, { accountId: 1, instanceId: null, details: "{\"note_id\":1}" }),
  "announcements.add": done({
    kind: "maintenance",
    title: "Network switch",
    text: "Some minutes.",
    starts_at: "2999-01-01",
    ends_at: "2999-01-02"
  }, {
    accountId: null,
    details: "{\"kind\":\"maintenance\",\"title\":\"Network switch\",\"text\":\"Some minutes.\","
      + "\"starts_at\":\"2999-01-01\",\"ends_at\":\"2999-01-02\",\"announcement_id\":1,\"accounts\":1,\"instances\":1}"
  }),
  "announcements.list": read({ all: true, limit: 10 }),
  "announcements.change": done({ id: 1, title: "Another switch" }, {
    details: "{\"announcement_id\":1,\"title\":\"Another switch\",\"accounts\":1,\"instances\":1}"
  }),
  "announcements.cancel": done({ id: 1 }),
  "mails.test": done({ to: "op@example.test" }),
  "mails.list": read({ limit: 10 }),
  "mails.show": read({ id: 1 }),
  "mails.retry": rejected({ id: 99 }),
  "tasks.list": read({ limit: 10 }),
  "tasks.show": read({ id: 1 }),
  "tasks.retry": rejected({ id: 1 }),
  "tasks.approve": rejected({ id: 1 }),
  "tasks.reject": rejected({ id: 1, reason: "no" }),
  "tasks.unreconciled": read({ limit: 10 }),
  "tasks.abandon": rejected({ id: 1, reason: "gone" }),
  "audit.list": read({ limit: 10 }),
  "audit.export": read({ after: 0, limit: 10 }),
  "audit.verify": read({}),
  "ledger.verify": read({}),
  "database.copy": rejected({ path: "relative" }),
  "secret.list": read({}),
  "secret.rotate": done({ current: "1a2b" }, { details: "{\"current\":\"1a2b\"}" }),
  "secret.forget": done({ forgotten: ["1a2b"], lost_keys: 1, lost_tasks: 0 })
}

const head = Effect.flatMap(AuditEntries, (entries) => Effect.map(entries.head, (found) => found?.seq ?? 0))
const since = (seq: number) => Effect.flatMap(AuditEntries, ({ after }) => after(seq, 10))

/** The entries that a command leaves, and its result. */
const entriesOf = (app: TestApp, name: string, input: unknown) =>
  app.inside(Effect.gen(function*() {
    const before = yield* head
    const result = yield* Effect.exit(execute(name, input, ACTOR))
    return { entries: yield* since(before), result }
  }))

/** The contract declares every field, also the nested ones that the type check of `Commands.ts` does not compare. */
const assertDeclared = (name: CommandName, result: unknown) => {
  const schema = CONTRACT[name].result() as Schema.Codec<unknown, unknown>
  const decoded = Schema.decodeUnknownExit(schema, { onExcessProperty: "error" })(result)
  assert.isTrue(Exit.isSuccess(decoded), `${name}: ${String(decoded)}`)
}

describe("operators' commands in the audit log", () => {
  it.live(
    "each that changes something has one entry with its actor, input and outcome, the others none",
    () =>
      Effect.gen(function*() {
        const app = yield* startApp()
        yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
        for (const [name, { entry, input, outcome }] of Object.entries(CASES)) {
          const { entries, result } = yield* entriesOf(app, name, input)
          if (Exit.isSuccess(result)) assertDeclared(name as CommandName, result.value)
          if (outcome === null) {
            assert.deepStrictEqual([entries, result._tag], [[], "Success"], name)
            continue
          }
          assert.lengthOf(entries, 1, name)
          assert.deepInclude(entries[0], { actor: ACTOR, action: name, outcome, ...entry }, name)
          assert.strictEqual(entries[0]!.error === null, outcome === "done", name)
        }
        assert.deepStrictEqual((yield* app.inside(verify())).problems, [])
      }).pipe(Effect.scoped),
    30_000
  )

  it("are all in the list of cases", () => {
    assert.sameMembers(Object.keys(CASES), Object.keys(COMMANDS))
  })

  it.live("one that only shows or tries out is not recorded", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const document = { data_centers: [{ id: 7, label: "Paris" }] }
      assert.deepStrictEqual((yield* entriesOf(app, "catalogue.import", { document, dry_run: true })).entries, [])
      assert.deepStrictEqual((yield* entriesOf(app, "accounts.limits", { id: 1 })).entries, [])
    }).pipe(Effect.scoped))

  it.live("the key that a command creates is not in its entry", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const input: InputOf<"keys.create"> = { account_id: 1, name: `like ${app.key}`, scopes: ["vps:create"] }
      const { entries, result } = yield* entriesOf(app, "keys.create", input)
      assert.match(JSON.stringify(result), /vps_live_\w{38}/)
      assert.notMatch(JSON.stringify(entries), /vps_live_\w{38}/)
    }).pipe(Effect.scoped))
})
