/** A storm of upstream faults: every task ends, the books balance, no instance is stuck, no machine is left over. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Random from "effect/Random"
import { mountIso, unmountIso } from "#service/instances/Isos"
import { setHostname } from "#service/instances/Network"
import { resetPassword } from "#service/instances/Password"
import { operate } from "#service/instances/Power"
import { reinstall } from "#service/instances/Reinstall"
import { enterRescue, exitRescue } from "#service/instances/Rescue"
import { resize } from "#service/instances/Resize"
import { createSnapshot, deleteSnapshot, restoreSnapshot } from "#service/instances/Snapshots"
import { topUp, verify } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { Database } from "#service/persistence/sqlite/Database"
import { Transaction } from "#service/persistence/Transaction"
import { Busy, Rejected, Unavailable } from "#service/provisioning/Driver"
import { allTasks, buy, elapse, owner, serviceLayer } from "../support/service.ts"
import { type Mishap, Upstream } from "../support/upstream.ts"

const MISHAPS: ReadonlyArray<Mishap> = [
  new Busy({ reason: "busy" }),
  new Unavailable({ reason: "away" }),
  "lost",
  new Rejected({ reason: "no" })
]

const pick = <A>(from: ReadonlyArray<A>): Effect.Effect<A> =>
  Effect.map(Random.nextIntBetween(0, from.length - 1), (index) => from[index]!)

/** What happens to the next submissions: in three of ten, one of the mishaps. */
const weather = Effect.forEach(Array.from({ length: 4_000 }), () =>
  Effect.gen(function*() {
    if ((yield* Random.next) >= 0.3) return undefined
    return yield* pick(MISHAPS)
  }))

/** Whatever a customer may ask for; snapshots and backups by ids that may be there or not. */
const ACTIONS = [
  (id: number) => operate(owner, id, "stop"),
  (id: number) => operate(owner, id, "start"),
  (id: number) => operate(owner, id, "restart"),
  (id: number) => reinstall(owner, id, { os: "debian-13" }),
  (id: number) => resize(owner, id, 1 + id % 3),
  (id: number) => setHostname(owner, id, "new.example.test"),
  (id: number) => resetPassword(owner, id),
  (id: number) => createSnapshot(owner, id, "one"),
  (id: number) => restoreSnapshot(owner, id, id),
  (id: number) => deleteSnapshot(owner, id, id),
  (id: number) => mountIso(owner, id, 1),
  (id: number) => unmountIso(owner, id),
  (id: number) => enterRescue(owner, id),
  (id: number) => exitRescue(owner, id)
]

type Needs = Effect.Services<ReturnType<typeof ACTIONS[number]>>

/** Every instance is asked for something; those that are busy or failed say so. Nobody waits for an answer. */
const bother = (ids: ReadonlyArray<number>) =>
  Effect.forEach(ids, (id) =>
    Effect.gen(function*() {
      const action: (id: number) => Effect.Effect<unknown, unknown, Needs> = yield* pick(ACTIONS)
      yield* Effect.forkScoped(Effect.ignore(action(id)))
    }), { concurrency: "unbounded", discard: true })

/** Snapshots and backups that are in the middle of something. */
const unsettled = Effect.map(
  Database,
  ({ all }) =>
    ["snapshots", "backups"].flatMap((table) =>
      all(`SELECT id, status FROM ${table} WHERE status IN ('creating', 'restoring')`)()
    )
)

/** Charges of resizes, and what was given back of them, as entries of the wallet. */
const resizes = Effect.map(Database, ({ all }) => {
  const [[charged, refunded]] = all<[number, number]>(
    `SELECT total(CASE WHEN j.kind = 'instance_resize' THEN -e.amount END),
       total(CASE WHEN j.reference LIKE 'refund:resize:%' THEN e.amount END)
     FROM journals j JOIN entries e ON e.journal_id = j.id WHERE e.account = 'wallet:1'`
  )() as [[number, number]]
  const [[failed]] = all<[number]>(
    `SELECT count(*) FROM journals p JOIN tasks t ON p.reference = 'instance_resize:task:' || t.id
     WHERE t.status = 'failed'
       AND NOT EXISTS (SELECT 1 FROM journals r WHERE r.reference = 'refund:resize:task:' || t.id)`
  )() as [[number]]
  return { spent: charged - refunded, unrefunded: failed }
})

/** Plans that the order names and the machine has not; but for those that the upstream refused to set back. */
const mismatched = Effect.map(Database, ({ all }) =>
  all(
    `SELECT i.id, p.slug, m.plan FROM instances i JOIN orders o ON o.id = i.order_id JOIN plans p ON p.id = o.plan_id
     JOIN simulated_machines m ON m.tag = 'instance-' || i.id WHERE i.lifecycle = 'active' AND p.slug <> m.plan
       AND NOT EXISTS (SELECT 1 FROM tasks t WHERE t.instance_id = i.id AND t.type = 'resize' AND t.actor = 'system'
         AND t.status = 'failed')`
  )())

/** Machines at the upstream, and instances that should have one. */
const machines = Effect.gen(function*() {
  const { all } = yield* Database
  return {
    upstream: all<[string]>("SELECT tag FROM simulated_machines ORDER BY id")().map(([tag]) => tag).toSorted(),
    ours: all<[number]>("SELECT id FROM instances WHERE lifecycle = 'active'")().map(([id]) => `instance-${id}`)
      .toSorted()
  }
})

describe("a fault storm", () => {
  it.effect.each([1, 2, 3])("with seed %i ends well", (seed) =>
    Effect.gen(function*() {
      yield* (yield* Transaction).run(topUp({ accountId: 1, amount: 100_000, reference: "more", at: 0 }))
      ;(yield* Upstream).mishaps.push(...yield* weather)
      const bought = yield* Effect.all(Array.from({ length: 150 }, () => buy()), { concurrency: "unbounded" })
      const ids = bought.map(({ id }) => id)
      for (let round = 0; round < 20; round++) {
        yield* elapse(2_000, 500)
        yield* bother(ids)
      }
      yield* elapse(40 * 60_000, 10_000)
      const open = (yield* allTasks).filter(({ status }) => status === "queued" || status === "running")
      assert.deepStrictEqual(open, [])
      assert.isTrue((yield* verify).balanced)
      const stored = yield* Effect.forEach(ids, (id) => Effect.flatMap(Instances, ({ find }) => find(id)))
      const active = stored.filter((instance) => instance!.lifecycle === "active").length
      const failed = stored.filter((instance) => instance!.lifecycle === "failed").length
      assert.strictEqual(active + failed, 150)
      assert.isAbove(failed, 0)
      assert.isAbove(active, failed)
      const account = yield* (yield* Accounts).find(1)
      const { spent, unrefunded } = yield* resizes
      assert.isAbove(spent, 0)
      assert.strictEqual(unrefunded, 0)
      assert.strictEqual(account!.wallet, 200_000 - 499 * active - spent)
      assert.deepStrictEqual(yield* unsettled, [])
      assert.deepStrictEqual(yield* mismatched, [])
      const { ours, upstream } = yield* machines
      assert.deepStrictEqual(upstream, ours)
    }).pipe(Random.withSeed(seed), Effect.provide(serviceLayer())))
})
