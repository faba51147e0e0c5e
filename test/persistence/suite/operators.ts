/** The queries of operators across all accounts. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { Coupons } from "#service/persistence/Coupons"
import { type NoteFilter, Notes } from "#service/persistence/Notes"
import { type InstanceFilter, OperatorLists } from "#service/persistence/OperatorLists"
import { Sql } from "#service/persistence/Sql"
import { Instances } from "#service/persistence/Instances"
import { Tasks } from "#service/persistence/Tasks"
import type { TaskFilter } from "#service/persistence/tasks/TaskList"
import { setLifecycle } from "../../support/lifecycle.ts"
import { ABUSE, account, apiKey, firstInstance, instance, NOW, stock, task } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

const ids = (rows: ReadonlyArray<{ readonly id: number }>) => rows.map(({ id }) => id)

const ANY: InstanceFilter = { id: null, accountId: null, lifecycle: null, search: null, before: null }

const ALL: TaskFilter = {
  instanceId: null,
  accountId: null,
  status: null,
  endedSince: null,
  search: null,
  before: null
}

export const operators: Rules = {
  "accounts are listed by id, with what they have": Effect.gen(function*() {
    const lists = yield* OperatorLists
    assert.isFalse(yield* lists.hasAccounts)
    const { accountId, id } = yield* firstInstance
    assert.isTrue(yield* lists.hasAccounts)
    yield* instance(accountId)
    yield* instance(accountId)
    yield* setLifecycle(id, "deleted")
    yield* apiKey(accountId)
    yield* (yield* ApiKeys).revoke(yield* apiKey(accountId, { digest: "d2" }), NOW)
    yield* (yield* Accounts).credit(accountId, 5)
    const second = yield* account({ email: "b@example.test" })
    const vat = { treatment: "domestic", rate: 1_900 } as const
    const known = {
      email: "a@example.test",
      name: null,
      currency: "EUR",
      vat,
      wallet: 5,
      creates: { perMinute: null, perHour: null, minuteArrival: 0, hourArrival: 0 },
      createdAt: NOW,
      closedAt: null,
      frozenReason: null,
      frozenAt: null,
      instances: 2,
      keys: 1
    }
    assert.deepStrictEqual(yield* lists.account(accountId), { ...known, id: accountId })
    assert.deepStrictEqual(ids(yield* lists.accounts(null, 0, 10)), [accountId, second])
    assert.deepStrictEqual(ids(yield* lists.accounts(null, accountId, 10)), [second])
    assert.deepStrictEqual(ids(yield* lists.accounts(null, 0, 1)), [accountId])
    assert.isUndefined(yield* lists.account(second + 1))
    assert.deepStrictEqual(ids(yield* lists.accounts(null, 0, 10, [second, 99])), [second])
    assert.deepStrictEqual(ids(yield* lists.accounts("A@example", 0, 10, [second, accountId])), [accountId])
    assert.deepStrictEqual(yield* lists.accounts(null, second, 10, [second]), [])
    assert.deepStrictEqual(yield* lists.accounts(null, 0, 10, []), [])
  }),

  "keys are listed by id, of one account or of all, revoked ones too": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const [one, other] = [yield* account(), yield* account()]
    const first = yield* apiKey(one)
    const second = yield* apiKey(other, { digest: "d2" })
    const third = yield* apiKey(one, { digest: "d3", scopes: ["vps:read"] })
    yield* (yield* ApiKeys).revoke(first, NOW)
    assert.deepStrictEqual(ids(yield* lists.keys(null, 0, 10)), [first, second, third])
    assert.deepStrictEqual(ids(yield* lists.keys(one, 0, 10)), [first, third])
    assert.deepStrictEqual(ids(yield* lists.keys(null, 0, 1)), [first])
    assert.deepStrictEqual(ids(yield* lists.keys(null, first, 1)), [second])
    const key = yield* (yield* ApiKeys).find(third)
    assert.deepStrictEqual((yield* lists.keys(one, 0, 10))[1], key)
  }),

  "instances are listed newest first, deleted ones on request": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const { accountId, id } = yield* firstInstance
    const gone = yield* instance(accountId)
    const foreign = yield* instance(yield* account())
    yield* setLifecycle(gone.id, "deleted")
    yield* setLifecycle(id, "active")
    yield* (yield* Instances).suspend(id, { ...ABUSE, note: "twice" })
    yield* task(id, { type: "suspend" })
    const list = (of: number | null, lifecycle: "deleted" | "pending" | null) =>
      Effect.map(lists.instances({ ...ANY, accountId: of, lifecycle }, 10), ids)
    assert.deepStrictEqual(yield* list(null, null), [foreign.id, id])
    assert.deepStrictEqual(yield* list(accountId, null), [id])
    assert.deepStrictEqual(yield* list(null, "deleted"), [gone.id])
    assert.deepStrictEqual(yield* list(accountId, "pending"), [])
    assert.deepStrictEqual(yield* list(null, "pending"), [foreign.id])
    assert.deepStrictEqual(ids(yield* lists.instances({ ...ANY, id: foreign.id }, 10)), [foreign.id])
    assert.deepStrictEqual(ids(yield* lists.instances({ ...ANY, id: 99 }, 10)), [])
    assert.deepStrictEqual(ids(yield* lists.instances({ ...ANY, before: foreign.id }, 10)), [id])
    const [listed] = yield* lists.instances({ ...ANY, accountId }, 1)
    const { plan, suspendedNote, suspendedReason, taskRunning } = listed!
    assert.deepStrictEqual([plan, suspendedReason, suspendedNote], ["plan-1", "abuse", "twice"])
    assert.deepStrictEqual([listed!.task, taskRunning], ["suspend", false])
    assert.deepStrictEqual([listed!.autoRenew, listed!.expiresAt, listed!.hostname], [true, NOW + 1_000, "web"])
    yield* write(Effect.flatMap(Tasks, ({ claim }) => claim(NOW, NOW + 1, 1)))
    assert.isTrue((yield* lists.instances({ ...ANY, accountId }, 1))[0]?.taskRunning)
    yield* (yield* Instances).subscriptions.setAutoRenew(foreign.id, false)
    const [other] = yield* lists.instances({ ...ANY, accountId: foreign.accountId }, 1)
    assert.deepStrictEqual([other?.taskRunning, other?.autoRenew], [false, false])
  }),

  "an instance is shown with its account, plan and data center, also a deleted one": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const { accountId, id } = yield* firstInstance
    yield* setLifecycle(id, "deleted")
    const found = yield* lists.instance(id)
    const plan = { plan: "plan-1", planName: "Plan 1", dataCenter: "Frankfurt", price: 999, currency: "EUR" }
    assert.deepInclude(found, { id, accountId, email: "a@example.test", host: null, deletedAt: null, ...plan })
    assert.isUndefined(yield* lists.instance(id + 1))
  }),

  "notes are listed newest first, of an account with those of its instances, or of an instance": Effect.gen(
    function*() {
      const notes = yield* Notes
      const { accountId, id } = yield* firstInstance
      const other = yield* account()
      const by = { author: "bo@example.test", createdAt: NOW }
      const add = (of: number, instanceId: number | null) =>
        write(notes.add({ ...by, accountId: of, instanceId, text: "a note" }))
      const [first, second, third] = [yield* add(accountId, null), yield* add(accountId, id), yield* add(other, null)]
      const list = (filter: Partial<NoteFilter>, limit = 10) =>
        Effect.map(notes.list({ accountId: null, instanceId: null, before: null, ...filter }, limit), ids)
      assert.deepStrictEqual(yield* list({}), [third, second, first])
      assert.deepStrictEqual(yield* list({ accountId }), [second, first])
      assert.deepStrictEqual(yield* list({ instanceId: id }), [second])
      assert.deepStrictEqual(yield* list({ before: third }, 1), [second])
      assert.deepStrictEqual(yield* notes.find(second), {
        ...by,
        id: second,
        accountId,
        instanceId: id,
        text: "a note"
      })
      assert.isTrue(yield* write(notes.delete(second)))
      assert.isFalse(yield* write(notes.delete(second)))
      assert.deepStrictEqual(yield* list({ accountId }), [first])
    }
  ),

  "instances and accounts are found by what is known of them": Effect.gen(function*() {
    const lists = yield* OperatorLists
    yield* stock
    const accountId = yield* account({ email: "Ada@Example.test" })
    const [web, mail] = [yield* instance(accountId), yield* instance(accountId, NOW, "Mail.example.test")]
    yield* (yield* Sql).run("UPDATE instances SET ipv4 = '203.0.113.7', ipv6 = '2001:db8::7' WHERE id = ?")(web.id)
    const found = (search: string) => Effect.map(lists.instances({ ...ANY, search }, 10), ids)
    assert.deepStrictEqual(yield* found("mail.EXAMPLE"), [mail.id])
    assert.deepStrictEqual(yield* found(String(web.id)), [web.id])
    assert.deepStrictEqual(yield* found("203.0.113"), [web.id])
    assert.deepStrictEqual(yield* found("2001:DB8::7"), [web.id])
    assert.deepStrictEqual(yield* found("%"), [])
    assert.deepStrictEqual(ids(yield* lists.accounts("ada@", 0, 10)), [accountId])
    assert.deepStrictEqual(yield* lists.accounts("_da@", 0, 10), [])
  }),

  "tasks are listed newest first, of an instance, of a status, or all": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const { accountId, id } = yield* firstInstance
    const other = yield* instance(accountId)
    const [first, second] = [yield* task(id), yield* task(other.id)]
    yield* write(Effect.flatMap(Tasks, ({ cancel }) => cancel(first, "no", NOW)))
    const third = yield* task(id)
    const list = (filter: Partial<TaskFilter>, limit = 10) => Effect.map(lists.tasks({ ...ALL, ...filter }, limit), ids)
    assert.deepStrictEqual(yield* list({}), [third, second, first])
    assert.deepStrictEqual(yield* list({ instanceId: id }), [third, first])
    assert.deepStrictEqual(yield* list({ status: "queued" }, 1), [third])
    assert.deepStrictEqual(yield* list({ status: "running" }), [])
    assert.deepStrictEqual(yield* list({ status: "succeeded" }), [])
    assert.deepStrictEqual(yield* list({ before: third }), [second, first])
    const cancelled = yield* lists.tasks({ ...ALL, instanceId: id, status: "cancelled" }, 10)
    const ordered = { plan: "Plan 1", charge: 999, currency: "EUR" }
    const listed = { hostname: "web", accountId, email: "a@example.test", person: null, key: null, ...ordered }
    assert.deepStrictEqual(cancelled, [{ ...(yield* (yield* Tasks).find(first))!, ...listed }])
    assert.deepStrictEqual(yield* lists.task(first), cancelled[0])
    assert.isUndefined(yield* lists.task(third + 1))
    const foreign = yield* task((yield* instance(yield* account())).id, { runAt: null })
    assert.deepStrictEqual(yield* list({ accountId }), [third, second, first])
    assert.deepStrictEqual(yield* list({ status: "held" }), [foreign])
    assert.deepStrictEqual(yield* list({ status: "queued" }), [third, second])
    assert.deepStrictEqual(yield* list({ endedSince: NOW }), [first])
    assert.deepStrictEqual(yield* list({ endedSince: NOW + 1 }), [])
  }),

  "tasks are found by their id or their instance's, and by parts of the type and of the error": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const { accountId, id } = yield* firstInstance
    const other = yield* instance(accountId)
    const first = yield* task(id, { type: "snapshot_create" })
    yield* write(Effect.flatMap(Tasks, ({ cancel }) => cancel(first, "The Upstream said 100 %", NOW)))
    const second = yield* task(id, { type: "restart" })
    const third = yield* task(other.id, { type: "start" })
    const found = (search: string, filter: Partial<TaskFilter> = {}) =>
      Effect.map(lists.tasks({ ...ALL, ...filter, search }, 10), ids)
    assert.deepStrictEqual(yield* found(String(third)), [third])
    assert.include(yield* found(String(other.id)), third)
    assert.deepStrictEqual(yield* found("snapshot cr"), [first])
    assert.deepStrictEqual(yield* found("snapshot_create"), [first])
    assert.deepStrictEqual(yield* found("START"), [third, second])
    assert.deepStrictEqual(yield* found("start", { status: "queued", before: third }), [second])
    assert.deepStrictEqual(yield* found("upstream"), [first])
    assert.deepStrictEqual(yield* found("100 %"), [first])
    assert.deepStrictEqual(yield* found("_"), [first])
    assert.deepStrictEqual(yield* found("%"), [first])
    assert.deepStrictEqual(yield* found("nothing"), [])
    const far = yield* instance(yield* account({ email: "Zoe@example.test" }), NOW, "Mail.example.test")
    const fourth = yield* task(far.id)
    for (const text of ["mail.EXAMPLE", "zoe@"]) assert.deepStrictEqual(yield* found(text), [fourth])
  }),

  "a search continues over steps, and stops at a full page": Effect.gen(function*() {
    const lists = yield* OperatorLists
    const far = yield* Effect.map(
      Sql,
      ({ run }) =>
        run(`INSERT INTO accounts (id, email, currency, wallet, vat_treatment, vat_rate, created_at)
        VALUES (?, ?, 'EUR', 0, 'domestic', 1900, 0)`)
    )
    for (const id of [1, 20_000, 20_001, 45_000, 90_000]) yield* far(id, `owner-${id}@example.test`)
    const found = (search: string, after: number, limit: number) =>
      Effect.map(lists.accounts(search, after, limit), ids)
    assert.deepStrictEqual(yield* found("owner", 0, 10), [1, 20_000, 20_001, 45_000, 90_000])
    assert.deepStrictEqual(yield* found("owner", 1, 2), [20_000, 20_001])
    assert.deepStrictEqual(yield* found("owner", 20_001, 2), [45_000, 90_000])
    assert.deepStrictEqual(yield* found("owner", 90_000, 2), [])
    assert.deepStrictEqual(yield* found("owner-9", 0, 2), [90_000])
    assert.deepStrictEqual(yield* found("45000", 0, 2), [45_000])
    assert.deepStrictEqual(yield* found("nobody", 0, 2), [])
  }),

  "machines are listed with how often the service started them since a time, and if it gave them up": Effect.gen(
    function*() {
      const { machines } = yield* OperatorLists
      const { cancel, recordAudit } = yield* Tasks
      const { id } = yield* firstInstance
      const run = (overrides: object) =>
        Effect.flatMap(task(id, { type: "start", ...overrides }), (open) => cancel(open, "over", NOW))
      const [fresh] = yield* machines(0)
      assert.deepInclude(fresh!, { id, restarts: 0, isGivenUp: false, host: null })
      yield* run({ actor: "system", at: NOW })
      yield* run({ actor: "system", at: NOW + 2 })
      yield* run({ actor: "api_key", at: NOW + 3 })
      yield* run({ actor: "system", type: "stop", at: NOW + 4 })
      assert.deepInclude((yield* machines(NOW))[0]!, { restarts: 1, isGivenUp: false })
      const failed = { status: "failed", actor: "system", apiKeyId: null, requestId: null, error: "x" } as const
      yield* recordAudit({ instanceId: id, type: "start", ...failed, at: NOW + 5 })
      yield* run({ type: "backup_create", actor: "system" })
      assert.deepInclude((yield* machines(NOW - 1))[0]!, { restarts: 2, isGivenUp: true })
      yield* run({ type: "restart" })
      assert.deepInclude((yield* machines(NOW + 9))[0]!, { restarts: 0, isGivenUp: false })
    }
  ),

  "coupons are listed by code, capitals before small letters": Effect.gen(function*() {
    const coupons = yield* Coupons
    const terms = {
      kind: "percent",
      value: 1,
      currency: null,
      validFrom: null,
      validUntil: null,
      maxUses: null
    } as const
    for (const code of ["b", "a", "B", "ä", "Z"]) {
      yield* coupons.add({ ...terms, code, oncePerAccount: false, at: NOW })
    }
    const listed = yield* (yield* OperatorLists).coupons
    assert.deepStrictEqual(listed.map(({ code }) => code), ["B", "Z", "a", "b", "ä"])
    assert.deepStrictEqual(listed[0], yield* coupons.find("B"))
  })
}
