/** Announcements: who learns of them, once each, when they are planned, changed and canceled; and who sees them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/testing/TestClock"
import { ACCOUNTS_USE_CASES } from "#service/admin/commands/Accounts"
import { ANNOUNCEMENTS_USE_CASES as USE_CASES } from "#service/admin/commands/Announcements"
import type { InputOf } from "#service/contract/operator/Commands"
import { announcementsOf } from "#service/instances/Announcements"
import { Mails } from "#service/persistence/Mails"
import { Transaction } from "#service/persistence/Transaction"
import { execute, rows } from "../support/database.ts"
import { Mailbox } from "../support/mailbox.ts"
import { buy, elapse, serviceLayer } from "../support/service.ts"

const HOUR = 3_600_000
const NOW = Date.parse("2027-01-01T00:00:00Z")

const at = (hours: number): string => new Date(NOW + hours * HOUR).toISOString()

const add = (input: Partial<InputOf<"announcements.add">> = {}) =>
  USE_CASES["announcements.add"]({
    kind: "maintenance",
    title: "Network switch",
    text: "The connection is interrupted for some minutes.",
    starts_at: at(24),
    ends_at: at(26),
    ...input
  })

const change = (input: Omit<InputOf<"announcements.change">, "id">) =>
  USE_CASES["announcements.change"]({ id: 1, ...input })
const cancel = USE_CASES["announcements.cancel"]({ id: 1 })

const HOST =
  `INSERT INTO hosts (name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, state,
    created_at) SELECT 'alpha', min(id), 'unix:/x', 'p', 'b', 'kvm', 8, 8192, 100, 'active', 0 FROM data_centers;
  INSERT INTO hosts (name, data_center_id, uri, pool, bridge, accelerator, cpus, memory_mib, disk_gib, state,
    created_at) SELECT 'beta', min(id), 'unix:/y', 'p', 'b', 'kvm', 8, 8192, 100, 'active', 0 FROM data_centers`

const place = (instanceId: number, host: number) =>
  execute(`INSERT INTO reservations (instance_id, host_id, account_id, cpus, memory_mib, disk_gib)
    SELECT id, ${host}, account_id, 1, 1024, 10 FROM instances WHERE id = ${instanceId}`)

/** Three accounts: the first with an instance on each host, the second with one on beta, the third without any. */
const started = Effect.gen(function*() {
  yield* TestClock.setTime(NOW)
  for (const hostname of ["web", "db", "shop"]) yield* buy({ hostname })
  for (const email of ["b@example.test", "c@example.test"]) {
    yield* ACCOUNTS_USE_CASES["accounts.create"]({ email, currency: "EUR", vat_treatment: "domestic" })
  }
  yield* elapse(120_000, 10_000)
  yield* execute(`UPDATE instances SET account_id = 2 WHERE id = 3; ${HOST}`)
  yield* place(1, 1)
  yield* place(2, 2)
  yield* place(3, 2)
  ;(yield* Mailbox).received.length = 0
})

/** The mails since the last call, by address. */
const mails = Effect.gen(function*() {
  yield* elapse(1_000)
  const { received } = yield* Mailbox
  return received.splice(0).map(({ subject, text, to }) => ({ to, subject, text: Redacted.value(text) }))
    .toSorted((a, b) => a.to < b.to ? -1 : 1)
})

const recipients = Effect.map(mails, (all) => all.map(({ to }) => to))

const OWNER = "owner@example.test"

describe("an announcement", () => {
  it.effect("of a host is mailed once to each account with instances on it, and names these", () =>
    Effect.gen(function*() {
      yield* started
      assert.deepInclude(yield* add({ host: "beta" }), {
        id: 1,
        state: "planned",
        host: "beta",
        author: "service",
        accounts: 2,
        instances: 2
      })
      const [other, owner, ...more] = yield* mails
      assert.deepStrictEqual([other!.to, owner!.to, more], ["b@example.test", OWNER, []])
      assert.strictEqual(owner!.subject, "Maintenance on January 2, 2027 at 00:00 UTC: Network switch")
      assert.strictEqual(
        owner!.text,
        "Maintenance: Network switch\nFrom January 2, 2027 at 00:00 UTC to January 2, 2027 at 02:00 UTC\n\n"
          + "The connection is interrupted for some minutes.\n\nIt concerns:\n\n  db (instance 2)\n"
      )
      assert.include(other!.text, "\n  shop (instance 3)\n")
      assert.deepStrictEqual(yield* recipients, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of all hosts goes to all accounts with instances; news go to those without, too", () =>
    Effect.gen(function*() {
      yield* started
      assert.deepInclude(yield* add(), { host: null, accounts: 2, instances: 3 })
      const [, owner] = yield* mails
      assert.include(owner!.text, "\n  web (instance 1)\n  db (instance 2)\n")
      assert.deepInclude(yield* add({ kind: "announcement" }), { accounts: 3 })
      const all = yield* mails
      assert.deepStrictEqual(all.map(({ to }) => to), ["b@example.test", "c@example.test", OWNER])
      assert.strictEqual(all[1]!.subject, "Network switch")
      assert.notInclude(all[1]!.text, "It concerns")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is changed or canceled is mailed again, also to those whom it does not concern anymore", () =>
    Effect.gen(function*() {
      yield* started
      yield* add({ host: "beta" })
      yield* mails
      yield* execute("UPDATE reservations SET host_id = 1 WHERE instance_id = 3")
      assert.deepInclude(yield* change({ starts_at: at(25) }), { starts_at: at(25), ends_at: at(26), accounts: 2 })
      const [other, owner] = yield* mails
      assert.strictEqual(owner!.subject, "Changed: Maintenance on January 2, 2027 at 01:00 UTC: Network switch")
      assert.strictEqual(other!.to, "b@example.test")
      assert.notInclude(other!.text, "shop")
      assert.deepInclude(yield* cancel, { state: "cancelled", accounts: 2 })
      const canceled = yield* mails
      assert.deepStrictEqual(canceled.map(({ to }) => to), ["b@example.test", OWNER])
      assert.match(canceled[1]!.subject, /^Canceled: Maintenance on /)
      assert.match(canceled[1]!.text, /^This does not take place\. /)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is not mailed to an owner who has turned that off, nor to a closed account", () =>
    Effect.gen(function*() {
      yield* started
      yield* execute(`INSERT INTO people (email, name, role, handle, created_at)
        VALUES ('${OWNER}', 'O', 'customer', 'h', 0) ON CONFLICT DO NOTHING`)
      const [[personId]] = (yield* rows<[number]>(`SELECT id FROM people WHERE email = '${OWNER}'`)) as [[number]]
      const off = { kind: "announcement", isWanted: false } as const
      yield* (yield* Transaction).run(Effect.flatMap(Mails, ({ choose }) => choose(personId, 1, off)))
      yield* add()
      assert.deepStrictEqual(yield* recipients, ["b@example.test"])
      yield* execute("UPDATE accounts SET closed_at = 1 WHERE id = 2")
      assert.deepInclude(yield* add(), { accounts: 1, instances: 2 })
      assert.deepStrictEqual(yield* recipients, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is shown to the accounts concerned until it has ended, with their instances", () =>
    Effect.gen(function*() {
      yield* started
      yield* add({ host: "beta" })
      yield* add({ title: "All" })
      yield* add({ kind: "announcement", title: "News" })
      const shown = (accountId: number) =>
        Effect.map(
          announcementsOf({ accountId }),
          (all) => all.map(({ instances, title }) => [title, instances?.map(({ hostname }) => hostname) ?? null])
        )
      assert.deepStrictEqual(yield* shown(1), [["Network switch", ["db"]], ["All", null], ["News", null]])
      assert.deepStrictEqual(yield* shown(3), [["News", null]])
      yield* execute("UPDATE reservations SET host_id = 1 WHERE instance_id = 2")
      assert.deepStrictEqual(yield* shown(1), [["All", null], ["News", null]], "it has moved")
      yield* cancel
      assert.deepStrictEqual(yield* shown(2), [["All", null], ["News", null]])
      yield* TestClock.setTime(NOW + 26 * HOUR)
      assert.deepStrictEqual(yield* shown(2), [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is listed with its state, and refused if its times or its host are wrong, or it has ended", () =>
    Effect.gen(function*() {
      yield* started
      const refusal = <A, E extends { readonly message: string }, R>(command: Effect.Effect<A, E, R>) =>
        Effect.map(Effect.flip(command), ({ message }) => message)
      assert.match(yield* refusal(add({ ends_at: at(24) })), /^ends_at: Must be later than starts_at/)
      assert.match(yield* refusal(add({ starts_at: at(-2), ends_at: at(-1) })), /^ends_at: Must be in the future/)
      assert.match(yield* refusal(add({ host: "gamma" })), /^Host gamma does not exist\. Available: alpha, beta/)
      assert.match(yield* refusal(cancel), /^Announcement 1 not found/)
      yield* add()
      yield* add({ starts_at: at(-1) })
      assert.match(yield* refusal(change({ title: "Network switch" })), /^Nothing would change/)
      const states = (all: boolean) =>
        Effect.map(
          USE_CASES["announcements.list"]({ all, limit: 10 }),
          (found) => found.map(({ id, state }) => [id, state])
        )
      assert.deepStrictEqual(yield* states(false), [[2, "running"], [1, "planned"]])
      yield* cancel
      assert.match(yield* refusal(cancel), /^Announcement 1 was canceled at 2027/)
      assert.deepStrictEqual(yield* states(false), [[2, "running"]])
      yield* TestClock.setTime(NOW + 27 * HOUR)
      assert.match(yield* refusal(USE_CASES["announcements.cancel"]({ id: 2 })), /^Announcement 2 ended at 2027/)
      assert.deepStrictEqual(yield* states(true), [[2, "ended"], [1, "cancelled"]])
    }).pipe(Effect.provide(serviceLayer())))
})
