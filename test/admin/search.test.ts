/** The lists of operators' commands: which rows they have, in which order, and how pages continue. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { ACCOUNTS_USE_CASES } from "#service/admin/commands/Accounts"
import { INSTANCES_USE_CASES } from "#service/admin/commands/Instances"
import { KEYS_USE_CASES } from "#service/admin/commands/Keys"
import { NOTES_USE_CASES } from "#service/admin/commands/Notes"
import { PRICES_USE_CASES } from "#service/admin/commands/Prices"
import { TASKS_USE_CASES } from "#service/admin/commands/Tasks"
import * as Authentication from "#service/auth/Authentication"
import { toTimestamp } from "#service/domain/Timestamp"
import type { InputOf } from "#service/contract/operator/Commands"
import { execute } from "../support/database.ts"
import { buy, coreLayer } from "../support/service.ts"

const NOW = 1_000_000

const layer = () => Layer.provideMerge(Authentication.layer, coreLayer())

const LIMIT = { limit: 10 }

const idsOf = <A extends { readonly id: number }, E, R>(list: Effect.Effect<ReadonlyArray<A>, E, R>) =>
  Effect.map(list, (rows) => rows.map(({ id }) => id))

const accounts = (input: Partial<InputOf<"accounts.list">>) =>
  idsOf(ACCOUNTS_USE_CASES["accounts.list"]({ after: 0, ...LIMIT, ...input }))
const keys = (input: Partial<InputOf<"keys.list">>) => idsOf(KEYS_USE_CASES["keys.list"]({ ...LIMIT, ...input }))
const instances = (input: Partial<InputOf<"instances.list">>) =>
  idsOf(INSTANCES_USE_CASES["instances.list"]({ ...LIMIT, ...input }))
const notes = (input: Partial<InputOf<"notes.list">>) => idsOf(NOTES_USE_CASES["notes.list"]({ ...LIMIT, ...input }))
const tasks = (input: Partial<InputOf<"tasks.list">>) => idsOf(TASKS_USE_CASES["tasks.list"]({ ...LIMIT, ...input }))

const createAccount = (email: string) =>
  ACCOUNTS_USE_CASES["accounts.create"]({ email, currency: "EUR", vat_treatment: "domestic", vat_rate: 19 })

/** Account 2, Zoe's; instances 1 to 3 of account 1, and 4 of account 2. */
const shop = Effect.gen(function*() {
  yield* TestClock.setTime(NOW)
  yield* createAccount("Zoe@Example.test")
  for (const hostname of ["web", "Mail.example.test", "gone", "far"]) yield* buy({ hostname })
  yield* execute(`UPDATE instances SET lifecycle = 'active';
    UPDATE instances SET ipv4 = '203.0.113.7', ipv6 = '2001:db8::7' WHERE id = 1;
    UPDATE instances SET lifecycle = 'suspended', suspended_reason = 'abuse', suspended_note = 'twice' WHERE id = 2;
    UPDATE instances SET lifecycle = 'deleted' WHERE id = 3;
    UPDATE instances SET lifecycle = 'pending', account_id = 2, auto_renew = 0 WHERE id = 4`)
})

describe("accounts", () => {
  it.effect("are listed by id, with the instances and keys that they have", () =>
    Effect.gen(function*() {
      yield* shop
      const third = (yield* createAccount("c@example.test")).id
      yield* KEYS_USE_CASES["keys.create"]({ account_id: 1, name: "ci", scopes: ["vps:read"] })
      const listed = yield* ACCOUNTS_USE_CASES["accounts.list"]({ after: 0, ...LIMIT })
      assert.deepStrictEqual(listed.map(({ id, instances, keys }) => [id, instances, keys]), [
        [1, 2, 2],
        [2, 1, 0],
        [third, 0, 0]
      ])
      yield* KEYS_USE_CASES["keys.revoke"]({ id: 2 })
      assert.deepInclude(yield* ACCOUNTS_USE_CASES["accounts.show"]({ id: 1 }), { instances: 2, keys: 1 })
      assert.deepStrictEqual(yield* accounts({ after: 1 }), [2, third])
      assert.deepStrictEqual(yield* accounts({ limit: 2 }), [1, 2])
      assert.deepStrictEqual(yield* accounts({ search: "zoe@EXAMPLE" }), [2])
      assert.deepStrictEqual(yield* accounts({ search: "2" }), [2])
      assert.deepStrictEqual(yield* accounts({ search: "_oe@" }), [])
      yield* execute("UPDATE accounts SET name = 'Ada & Sons' WHERE id = 2")
      assert.deepStrictEqual(yield* accounts({ search: "ada &" }), [2])
      assert.deepStrictEqual(yield* accounts({ need: "failures" }), [])
      yield* execute(`UPDATE tasks SET status = 'failed', error = 'no', finished_at = ${NOW} WHERE id = 4`)
      assert.deepStrictEqual(yield* accounts({ need: "failures" }), [2])
      assert.deepStrictEqual(yield* accounts({ need: "failures", search: "owner@" }), [])
    }).pipe(Effect.provide(layer())))

  it.effect("are found over steps of many ids, until a page is full", () =>
    Effect.gen(function*() {
      const far = [20_000, 20_001, 45_000, 90_000]
      for (const id of far) {
        yield* execute(`INSERT INTO accounts (id, email, currency, wallet, vat_treatment, vat_rate, created_at)
          VALUES (${id}, 'far-${id}@example.test', 'EUR', 0, 'domestic', 1900, 0)`)
      }
      assert.deepStrictEqual(yield* accounts({ search: "far" }), far)
      assert.deepStrictEqual(yield* accounts({ search: "far", after: 1, limit: 2 }), [20_000, 20_001])
      assert.deepStrictEqual(yield* accounts({ search: "far", after: 20_001, limit: 2 }), [45_000, 90_000])
      assert.deepStrictEqual(yield* accounts({ search: "far", after: 89_999 }), [90_000])
      assert.deepStrictEqual(yield* accounts({ search: "far", after: 90_000 }), [])
      assert.deepStrictEqual(yield* accounts({ search: "far-9" }), [90_000])
      assert.deepStrictEqual(yield* accounts({ search: "45000" }), [45_000])
    }).pipe(Effect.provide(layer())))
})

describe("coupons", () => {
  it.effect("are listed by code, capitals before small letters", () =>
    Effect.gen(function*() {
      for (const code of ["b", "A", "B", "a"]) {
        yield* PRICES_USE_CASES["coupons.create"]({ code, percent: 1, once_per_account: false })
      }
      const coupons = yield* PRICES_USE_CASES["coupons.list"]()
      const codes = coupons.map(({ code }) => code).filter((code) => code.length === 1)
      assert.deepStrictEqual(codes, ["A", "B", "a", "b"])
    }).pipe(Effect.provide(layer())))
})

describe("keys", () => {
  it.effect("are listed by id, of one account or of all, revoked ones too", () =>
    Effect.gen(function*() {
      yield* shop
      for (const id of [2, 1]) {
        yield* KEYS_USE_CASES["keys.create"]({ account_id: id, name: "ci", scopes: ["vps:read"] })
      }
      yield* KEYS_USE_CASES["keys.revoke"]({ id: 1 })
      assert.deepStrictEqual(yield* keys({}), [1, 2, 3])
      assert.deepStrictEqual(yield* keys({ account_id: 1 }), [1, 3])
      assert.deepStrictEqual(yield* keys({ limit: 1 }), [1])
      assert.deepStrictEqual(yield* keys({ after: 1, limit: 1 }), [2])
      const [first, third] = yield* KEYS_USE_CASES["keys.list"]({ account_id: 1, ...LIMIT })
      assert.deepInclude(first, { state: "revoked" })
      assert.deepInclude(third, { account_id: 1, name: "ci", scopes: ["vps:read"], state: "active" })
    }).pipe(Effect.provide(layer())))
})

describe("instances", () => {
  it.effect("are listed newest first, deleted ones on request", () =>
    Effect.gen(function*() {
      yield* shop
      assert.deepStrictEqual(yield* instances({}), [4, 2, 1])
      assert.deepStrictEqual(yield* instances({ account_id: 1 }), [2, 1])
      assert.deepStrictEqual(yield* instances({ lifecycle: "deleted" }), [3])
      assert.deepStrictEqual(yield* instances({ lifecycle: "suspended" }), [2])
      assert.deepStrictEqual(yield* instances({ lifecycle: "pending" }), [4])
      assert.deepStrictEqual(yield* instances({ lifecycle: "pending", account_id: 1 }), [])
      assert.deepStrictEqual(yield* instances({ id: 4 }), [4])
      assert.deepStrictEqual(yield* instances({ id: 99 }), [])
      assert.deepStrictEqual(yield* instances({ before: 4 }), [2, 1])
      assert.deepStrictEqual(yield* instances({ before: 4, limit: 1 }), [2])
    }).pipe(Effect.provide(layer())))

  it.effect("are found by what is known of them", () =>
    Effect.gen(function*() {
      yield* shop
      for (
        const [search, ids] of [
          ["mail.EXAMPLE", [2]],
          ["1", [1]],
          ["203.0.113", [1]],
          ["2001:DB8::7", [1]],
          ["gone", []],
          ["%", []]
        ] as const
      ) assert.deepStrictEqual([search, yield* instances({ search })], [search, ids])
      assert.deepStrictEqual(yield* instances({ search: "gone", lifecycle: "deleted" }), [3])
    }).pipe(Effect.provide(layer())))

  it.effect("are shown with their plan, suspension, renewal, and the task at work, also deleted ones", () =>
    Effect.gen(function*() {
      yield* shop
      const show = (id: number) => INSTANCES_USE_CASES["instances.show"]({ id })
      const plan = { plan: "vps-s", plan_name: "VPS S", price: 4.99, currency: "EUR" }
      assert.deepInclude(yield* show(3), { ...plan, account_email: "owner@example.test", host: null })
      assert.deepInclude(yield* show(2), { suspended_reason: "abuse", suspended_note: "twice", auto_renew: true })
      assert.deepInclude(yield* show(4), { account_id: 2, auto_renew: false, task: "provision", status: "pending" })
      yield* execute("UPDATE tasks SET status = 'running', lease_until = 2000000 WHERE instance_id = 4")
      assert.deepInclude(yield* show(4), { task: "provision", status: "provisioning" })
      assert.include((yield* Effect.flip(show(99))).message, "Instance 99 not found")
    }).pipe(Effect.provide(layer())))
})

describe("notes", () => {
  it.effect("are listed newest first, of an account with those of its instances, or of an instance", () =>
    Effect.gen(function*() {
      yield* shop
      const add = (input: InputOf<"notes.add">) => NOTES_USE_CASES["notes.add"](input)
      yield* add({ account_id: 1, text: "one" })
      yield* add({ instance_id: 1, text: "two" })
      yield* add({ account_id: 2, text: "three" })
      assert.deepStrictEqual(yield* notes({}), [3, 2, 1])
      assert.deepStrictEqual(yield* notes({ account_id: 1 }), [2, 1])
      assert.deepStrictEqual(yield* notes({ instance_id: 1 }), [2])
      assert.deepStrictEqual(yield* notes({ before: 3, limit: 1 }), [2])
      const [two] = yield* NOTES_USE_CASES["notes.list"]({ instance_id: 1, ...LIMIT })
      const own = { id: 2, account_id: 1, instance_id: 1, text: "two", created_at: toTimestamp(NOW) }
      assert.deepInclude(two, own)
      yield* NOTES_USE_CASES["notes.delete"]({ id: 2 })
      assert.include((yield* Effect.flip(NOTES_USE_CASES["notes.delete"]({ id: 2 }))).message, "Note 2 not found")
      assert.deepStrictEqual(yield* notes({ account_id: 1 }), [1])
    }).pipe(Effect.provide(layer())))
})

/** Task 5 of instance 1 waits; its deployment, task 1, was cancelled at `NOW`. Task 4 of account 2 is held. */
const busy = Effect.gen(function*() {
  yield* shop
  yield* execute(`UPDATE tasks SET status = 'succeeded', finished_at = ${NOW - 1};
    UPDATE tasks SET type = 'snapshot_create', status = 'cancelled', error = 'The Upstream said 100 %',
      finished_at = ${NOW} WHERE id = 1;
    UPDATE tasks SET status = 'queued', run_at = NULL, finished_at = NULL WHERE id = 4;
    UPDATE tasks SET status = 'failed', error = 'no', type = 'restart' WHERE id = 2;
    INSERT INTO tasks
      (id, instance_id, kind, type, status, progress, actor, params, attempts, run_at, fence, created_at)
      VALUES (5, 1, 'operation', 'start', 'queued', 0, 'api_key', '{}', 0, ${NOW}, 0, ${NOW})`)
})

describe("tasks", () => {
  it.effect("are listed newest first, of an instance, of an account, of a status, since an end, or all", () =>
    Effect.gen(function*() {
      yield* busy
      assert.deepStrictEqual(yield* tasks({}), [5, 4, 3, 2, 1])
      assert.deepStrictEqual(yield* tasks({ limit: 1 }), [5])
      assert.deepStrictEqual(yield* tasks({ before: 3 }), [2, 1])
      assert.deepStrictEqual(yield* tasks({ instance_id: 1 }), [5, 1])
      assert.deepStrictEqual(yield* tasks({ account_id: 2 }), [4])
      for (
        const [status, ids] of [
          ["queued", [5]],
          ["held", [4]],
          ["running", []],
          ["failed", [2]],
          ["cancelled", [1]],
          ["succeeded", [3]]
        ] as const
      ) assert.deepStrictEqual([status, yield* tasks({ status })], [status, ids])
      yield* execute(`UPDATE tasks SET status = 'running', lease_until = ${NOW + 1} WHERE id = 5`)
      assert.deepStrictEqual(yield* tasks({ status: "running" }), [5])
      assert.deepStrictEqual(yield* tasks({ ended_since: toTimestamp(NOW) }), [1])
      assert.deepStrictEqual(yield* tasks({ ended_since: toTimestamp(NOW + 1) }), [])
      const show = (id: number) => TASKS_USE_CASES["tasks.show"]({ id })
      const [cancelled] = yield* TASKS_USE_CASES["tasks.list"]({ status: "cancelled", ...LIMIT })
      assert.deepStrictEqual(yield* show(1), cancelled!)
      assert.include((yield* Effect.flip(show(99))).message, "Task 99 not found")
    }).pipe(Effect.provide(layer())))

  it.effect("are found by their id or their instance's, and by parts of type, error, host name and address", () =>
    Effect.gen(function*() {
      yield* busy
      for (
        const [search, ids] of [
          ["5", [5]],
          ["1", [5, 1]],
          ["snapshot cr", [1]],
          ["snapshot_create", [1]],
          ["START", [5, 2]],
          ["upstream", [1]],
          ["100 %", [1]],
          ["%", [1]],
          ["_", [1]],
          ["mail.EXAMPLE", [2]],
          ["zoe@", [4]],
          ["nothing", []]
        ] as const
      ) assert.deepStrictEqual([search, yield* tasks({ search })], [search, ids])
      assert.deepStrictEqual(yield* tasks({ search: "start", status: "failed", before: 5 }), [2])
    }).pipe(Effect.provide(layer())))
})
