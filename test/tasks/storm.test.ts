/** A storm of upstream faults: every task ends, the books balance, no instance is stuck, no machine is left over. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as TestClock from "effect/testing/TestClock"
import { listUnreconciledTasks } from "#service/admin/commands/UnreconciledTasks"
import { retryTask } from "#service/admin/commands/Tasks"
import { operate } from "#service/operations/Power"
import { topUp, verify } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { Database } from "#service/persistence/sqlite/Database"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { buy, elapse, owner, serviceLayer } from "../support/service.ts"
import { bother, drawFaults } from "../support/storm.ts"
import { Upstream } from "../support/upstream.ts"

const HOUR = 3_600_000

const query = <Row extends ReadonlyArray<unknown>>(sql: string) => Effect.map(Database, ({ all }) => all<Row>(sql)())

const ACCEPTED = "SELECT count(*) FROM tasks WHERE actor = 'api_key'"

/** Operations that customers were granted so far; those that had nothing to do are not among them. */
const accepted = Effect.map(query<[number]>(ACCEPTED), ([row]) => row![0])

/** The number of requests that the upstream received, repetitions included. */
const submitted = Effect.map(Upstream, ({ calls }) => calls.filter(({ method }) => method === "submit").length)

/** Everything with unfinished work. */
const UNSETTLED = `SELECT 'task', id, status FROM tasks WHERE status IN ('queued', 'running')
  UNION ALL SELECT 'snapshot', id, status FROM snapshots WHERE status IN ('creating', 'restoring')
  UNION ALL SELECT 'backup', id, status FROM backups WHERE status IN ('creating', 'restoring')
  UNION ALL SELECT 'instance', id, lifecycle FROM instances WHERE lifecycle NOT IN ('active', 'failed')`

/** Charges of resizes, less their refunds, in minor units. */
const SPENT = `SELECT total(-e.amount) FROM journals j JOIN entries e ON e.journal_id = j.id
  WHERE e.account = 'wallet:1' AND (j.kind = 'instance_resize' OR j.reference LIKE 'refund:resize:%')`

/** Failed resizes without a refund. */
const UNREFUNDED = `SELECT t.id FROM journals p JOIN tasks t ON p.reference = 'instance_resize:task:' || t.id
  WHERE t.status = 'failed'
    AND NOT EXISTS (SELECT 1 FROM journals r WHERE r.reference = 'refund:resize:task:' || t.id)`

/** Machines that have another plan than their order, or another disc in their drive than our record says. */
const MISMATCHED = `SELECT i.id, p.slug, m.plan, d.file_name, m.iso
  FROM instances i JOIN orders o ON o.id = i.order_id JOIN plans p ON p.id = o.plan_id
  JOIN simulated_machines m ON m.tag = 'instance-' || i.id LEFT JOIN isos d ON d.id = i.iso_id
  WHERE i.lifecycle = 'active' AND (p.slug <> m.plan OR d.file_name IS NOT m.iso)`

/** Images of snapshots that are not there, or have failed. */
const STRAY_IMAGES = `SELECT tag, name FROM simulated_images WHERE name LIKE 'snapshot-%'
  AND name NOT IN (SELECT 'snapshot-' || id FROM snapshots WHERE status = 'available')`

/** Machines without an instance, and instances without a machine. */
const STRAY = `SELECT tag FROM simulated_machines
    WHERE tag NOT IN (SELECT 'instance-' || id FROM instances WHERE lifecycle = 'active')
  UNION ALL SELECT 'instance-' || id FROM instances
    WHERE lifecycle = 'active' AND 'instance-' || id NOT IN (SELECT tag FROM simulated_machines)`

/** A wallet for all of it. */
const MONEY = 100_000_000

interface Storm {
  readonly instances: number
  /** It ends after this many accepted operations. */
  readonly operations: number
}

/** Buys all instances in bad weather, then has customers ask for anything, through the hours of the nightly backups. */
const rage = Effect.fnUntraced(function*({ instances, operations }: Storm) {
  const upstream = yield* Upstream
  upstream.weather = drawFaults
  yield* (yield* Transaction).run(topUp({ accountId: 1, amount: MONEY, reference: "more", at: 0 }))
  const bought = yield* Effect.all(Array.from({ length: instances }, () => buy()), { concurrency: "unbounded" })
  const ids = bought.map(({ id }) => id)
  yield* elapse(HOUR, 10_000)
  yield* TestClock.adjust(HOUR)
  while ((yield* accepted) < operations) {
    yield* bother(ids)
    yield* elapse(yield* Random.nextIntBetween(500, 30_000), 1_000)
  }
  // Until after the night, so that no backup has only just begun.
  yield* elapse(2 * HOUR, 10_000)
  upstream.weather = undefined
  return ids
})

/** All rows after a storm: the same seed leaves the same rows. */
const traces = Effect.all([
  query("SELECT * FROM tasks"),
  query("SELECT * FROM journals"),
  query("SELECT * FROM instances"),
  query("SELECT * FROM simulated_machines"),
  query("SELECT * FROM simulated_operations")
])

describe("a fault storm", () => {
  it.effect.each([1, 2])(
    "of 10,000 operations, seed %i, ends with all tasks, books and instances in order",
    (seed) =>
      Effect.gen(function*() {
        const ids = yield* rage({ instances: 250, operations: 10_000 })
        assert.isAtLeast(yield* accepted, 10_000)
        assert.isAtLeast(yield* submitted, 10_000)
        assert.deepStrictEqual(yield* query(UNSETTLED), [])
        yield* checkMoney(ids)
        yield* tidyUp
        for (const sql of [STRAY, STRAY_IMAGES, MISMATCHED]) assert.deepStrictEqual(yield* query(sql), [])
        yield* checkAlive
      }).pipe(Effect.provide(serviceLayer()), Random.withSeed(seed)),
    120_000
  )

  it.effect("is the same when its seed is", () => {
    const run = rage({ instances: 40, operations: 400 }).pipe(
      Effect.andThen(traces),
      Effect.provide(serviceLayer()),
      Random.withSeed(2),
      Effect.provide(Layer.fresh(TestClock.layer()))
    )
    return Effect.gen(function*() {
      assert.deepStrictEqual(yield* run, yield* run)
    })
  })
})

/** Everything that was paid is in the books once, and failures are refunded. */
const checkMoney = Effect.fnUntraced(function*(ids: ReadonlyArray<number>) {
  assert.deepStrictEqual(yield* verify, { balanced: true, unbalanced: [], wrongWallets: [] })
  const failed = yield* query("SELECT id FROM instances WHERE lifecycle = 'failed'")
  assert.isAbove(failed.length, 0)
  assert.isBelow(failed.length, ids.length / 2)
  const [[spent]] = (yield* query<[number]>(SPENT)) as [[number]]
  assert.isAbove(spent, 0)
  assert.deepStrictEqual(yield* query(UNREFUNDED), [])
  const account = yield* (yield* Accounts).find(1)
  assert.strictEqual(account!.wallet, 100_000 + MONEY - 499 * (ids.length - failed.length) - spent)
})

/** Operators retry every compensation that the upstream rejected permanently. */
const tidyUp = Effect.gen(function*() {
  let leftovers = yield* listUnreconciledTasks({ limit: 1_000 })
  assert.isAbove(leftovers.length, 0)
  while (leftovers.length > 0) {
    // One instance may have several of them, one after the other.
    const first = new Map(leftovers.map(({ id, instance_id }) => [instance_id, id]))
    yield* Effect.forEach(first.values(), (id) => retryTask({ id }))
    yield* elapse(2_000, 500)
    const before = leftovers.length
    leftovers = yield* listUnreconciledTasks({ limit: 1_000 })
    assert.isBelow(leftovers.length, before)
  }
})

/** Without faults each of them executes a request. */
const checkAlive = Effect.gen(function*() {
  const active = (yield* query<[number]>("SELECT id FROM instances WHERE lifecycle = 'active'")).map(([id]) => id)
  const restarts = yield* Effect.forEach(active, (id) => operate(owner, id, "restart"))
  yield* elapse(2_000, 500)
  const tasks = yield* Tasks
  const ended = yield* Effect.forEach(restarts, (restart) => tasks.find(restart.task_id!))
  assert.deepStrictEqual(ended.filter((task) => task?.status !== "succeeded"), [])
})
