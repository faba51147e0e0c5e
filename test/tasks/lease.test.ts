/** Leases and fences: who lost a task writes nothing any more, and who is gone is replaced. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { topUp } from "#service/ledger/Ledger"
import type { Task } from "#service/persistence/tasks/Task"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { contextOf, execute, fail, succeed } from "#service/tasks/Execution"
import { sagaOf } from "#service/operations/Registry"
import { TaskQueue } from "#service/tasks/TaskQueue"
import * as Worker from "#service/tasks/Worker"
import { editable, plan } from "../support/catalogue.ts"
import { allTasks, buy, coreLayer, deployTime, elapse, serviceLayer, settle, show } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { Upstream } from "../support/upstream.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { LEASE_MILLIS, WORKER_TASKS_MAX } = DEFAULT_LIMITS

const claimAll = Effect.gen(function*() {
  const tasks = yield* Tasks
  const now = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(tasks.claim(now, now + LEASE_MILLIS, 10))
})

const silent = () => Effect.void

/** A worker's try up to the point where it would record the outcome. */
const tryOnly = Effect.fnUntraced(function*(task: Task) {
  const job = yield* contextOf(task)
  const plan = sagaOf(job)
  return { job, plan, machine: yield* Effect.forkChild(execute(job, plan, silent)) }
})

describe("a stale fence", () => {
  it.effect("drops a success, with all that it would change", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      const [first] = yield* claimAll
      yield* elapse(LEASE_MILLIS, LEASE_MILLIS)
      const [second] = yield* claimAll
      assert.strictEqual(second!.fence, first!.fence + 1)
      const job = yield* contextOf(first!)
      const known = { providerId: "x", tag: "t", ipv4: "192.0.2.1", ipv6: null, node: "n", hostname: "h" }
      assert.isFalse(yield* succeed(job, sagaOf(job), { machine: known, done: [], skipped: [] }))
      assert.isNull((yield* show(id)).provider_id)
      assert.strictEqual((yield* allTasks)[0]!.status, "running")
    }).pipe(Effect.provide(coreLayer())))

  it.effect("drops a failure: no refund, no task to undo", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      const [first] = yield* claimAll
      yield* elapse(LEASE_MILLIS, LEASE_MILLIS)
      yield* claimAll
      const job = yield* contextOf(first!)
      assert.isFalse(yield* fail(job, sagaOf(job), { error: "no", doubt: false }))
      assert.strictEqual((yield* show(id)).order.status, "paid")
      assert.strictEqual((yield* allTasks).length, 1)
    }).pipe(Effect.provide(coreLayer())))
})

describe("a lease", () => {
  it.effect("is extended by heartbeats while the upstream works", () =>
    Effect.gen(function*() {
      const upstream = yield* Upstream
      upstream.hold = Effect.sleep(5 * LEASE_MILLIS)
      yield* buy()
      yield* elapse(4 * LEASE_MILLIS, 5_000)
      const [task] = yield* allTasks
      assert.deepInclude(task, { status: "running", fence: 1, attempts: 1 })
      assert.isAbove(task!.leaseUntil!, yield* Clock.currentTimeMillis)
      yield* elapse(2 * LEASE_MILLIS, 5_000)
      assert.strictEqual((yield* allTasks)[0]!.status, "succeeded")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("lasts 60 s, and is renewed every third of it", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).hold = Effect.never
      yield* buy()
      yield* settle
      const ends = Effect.map(allTasks, ([task]) => task!.leaseUntil)
      assert.strictEqual(yield* ends, 60_000)
      yield* elapse(19_999, 19_999)
      assert.strictEqual(yield* ends, 60_000)
      yield* elapse(1)
      assert.strictEqual(yield* ends, 80_000)
      yield* elapse(20_000, 20_000)
      assert.strictEqual(yield* ends, 100_000)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is lost stops the work at the next heartbeat", () =>
    Effect.gen(function*() {
      const upstream = yield* Upstream
      let stopped = false
      upstream.hold = Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (stopped = true)))
      yield* buy()
      yield* settle
      const tasks = yield* Tasks
      yield* (yield* Transaction).run(tasks.expireLeases)
      yield* claimAll
      upstream.hold = undefined
      yield* elapse(LEASE_MILLIS / 2, 1_000)
      assert.isTrue(stopped)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a worker that starts", () => {
  it.effect("takes over at once what a killed one held, and repeats its step without a second machine", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      const [task] = yield* claimAll
      yield* tryOnly(task!)
      yield* settle
      // The process is killed here: the machine was ordered, nothing was recorded.
      yield* Effect.gen(function*() {
        yield* deployTime
        const deployed = yield* show(id)
        assert.strictEqual(deployed.provider_id, "sim-1")
        assert.deepInclude((yield* allTasks)[0], { status: "succeeded", fence: 2, attempts: 2 })
      }).pipe(Effect.provide(Worker.layer))
    }).pipe(Effect.provide(coreLayer())))

  it.effect("continues the tasks of the previous service on the same file", () =>
    Effect.gen(function*() {
      const path = `${yield* temporaryFolder}/service.db`
      const bought = yield* Effect.gen(function*() {
        const instances = yield* Effect.all(Array.from({ length: 5 }, () => buy()))
        yield* elapse(300)
        return instances
      }).pipe(Effect.provide(serviceLayer(path)))
      yield* Effect.gen(function*() {
        assert.isTrue((yield* allTasks).every(({ status }) => status === "running"))
        yield* deployTime
        const shown = yield* Effect.forEach(bought, ({ id }) => show(id))
        assert.deepStrictEqual(shown.map(({ status }) => status), Array.from({ length: 5 }, () => "running"))
        assert.strictEqual(new Set(shown.map(({ provider_id }) => provider_id)).size, 5)
      }).pipe(Effect.provide(serviceLayer(path)))
    }))

  it.effect("that stops leaves its leases free for the next", () =>
    Effect.gen(function*() {
      yield* buy()
      yield* Effect.scoped(Effect.andThen(Layer.build(Layer.fresh(Worker.layer)), settle))
      const now = yield* Clock.currentTimeMillis
      assert.deepInclude((yield* allTasks)[0], { status: "running", leaseUntil: now })
    }).pipe(Effect.provide(coreLayer())))
})

describe("the queue", () => {
  it.effect("holds what an operator has to approve", () =>
    Effect.gen(function*() {
      yield* (yield* editable).addPlan(plan(8, { autoDeploy: false }))
      const { id } = yield* buy({ service_id: 8 })
      yield* elapse(10_000, 1_000)
      assert.strictEqual((yield* show(id)).status, "pending")
      assert.deepInclude((yield* allTasks)[0], { status: "queued", runAt: null, attempts: 0 })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is settled only when a due task has ended", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      let settled = false
      const queue = yield* TaskQueue
      yield* Effect.forkChild(Effect.tap(queue.awaitIdle(id), () => Effect.sync(() => void (settled = true))))
      yield* elapse(800)
      assert.isFalse(settled)
      yield* elapse(400)
      assert.isTrue(settled)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("does nothing while it is stopped, and all of it afterwards", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* settle
      const queue = yield* TaskQueue
      yield* queue.whileStopped(Effect.gen(function*() {
        assert.strictEqual(yield* queue.running, 0)
        yield* elapse(5_000, 1_000)
        assert.strictEqual((yield* show(id)).status, "provisioning")
      }))
      yield* elapse(LEASE_MILLIS + 1_000, 1_000)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("keeps no writer waiting for tasks that wait for the driver", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).hold = Effect.never
      yield* Effect.all(Array.from({ length: 50 }, () => buy()), { concurrency: "unbounded" })
      // Until the mails of the orders are sent, too.
      yield* elapse(1_000)
      assert.isTrue((yield* allTasks).every(({ status }) => status === "running"))
      const { pending, run } = yield* Transaction
      assert.strictEqual(pending(), 0)
      assert.isTrue(yield* run(topUp({ accountId: 1, amount: 1, reference: "more", at: 0 })))
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("runs 256 tasks at once, and the others afterwards", () =>
    Effect.gen(function*() {
      yield* (yield* Transaction).run(topUp({ accountId: 1, amount: 1_000_000, reference: "more", at: 0 }))
      yield* Effect.all(Array.from({ length: 300 }, () => buy()), { concurrency: "unbounded" })
      yield* elapse(500)
      const count = (status: string) => Effect.map(allTasks, (tasks) => tasks.filter((t) => t.status === status).length)
      // The mails of the orders are sent in one of the places.
      const first = WORKER_TASKS_MAX - 1
      assert.deepStrictEqual([yield* count("running"), yield* count("queued")], [first, 300 - first])
      yield* elapse(700)
      assert.deepStrictEqual([yield* count("succeeded"), yield* count("running")], [first, 300 - first])
      yield* deployTime
      assert.strictEqual(yield* count("succeeded"), 300)
    }).pipe(Effect.provide(serviceLayer())))
})
