/** Tasks that a request inserts already claimed: who executes them, and who takes them over. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { InFlight } from "#service/idempotency/InFlight"
import { Limits } from "#service/config/Limits"
import { buy } from "#service/orders/PlaceOrder"
import { DueTimes } from "#service/persistence/DueTimes"
import { ReplicaBus } from "#service/persistence/ReplicaBus"
import { Tasks } from "#service/persistence/Tasks"
import { TaskQueue } from "#service/tasks/TaskQueue"
import * as Worker from "#service/tasks/Worker"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { allTasks, coreLayer, deployTime, elapse, owner, serviceLayer, settle, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const { LEASE_MILLIS } = DEFAULT_LIMITS

const create = Effect.map(buy({ caller: owner, body: { service_id: 1 }, key: undefined }), ({ instance }) => instance)

const layer = Layer.provideMerge(InFlight.layer, coreLayer())

/** Starts a worker, and returns what stops it. */
const startWorker = Effect.gen(function*() {
  const scope = yield* Scope.make()
  yield* Effect.orDie(Layer.buildWithScope(Worker.layer, scope))
  return Scope.close(scope, Exit.void)
})

/** Buys an instance while no worker can start anything, and runs an effect before one can. */
const beforeItStarts = <A, E, R>(then: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const { exclusively } = yield* TaskQueue
    const release = yield* Deferred.make<void>()
    yield* Effect.forkChild(exclusively(Deferred.await(release)), { startImmediately: true })
    const instance = yield* create
    const result = yield* then
    yield* Deferred.succeed(release, undefined)
    return [instance, result] as const
  })

describe("a task of a request", () => {
  it.effect("is running under a lease when its transaction commits, and is never searched for", () =>
    Effect.gen(function*() {
      const now = yield* Clock.currentTimeMillis
      const [{ id }, [task, moments]] = yield* beforeItStarts(
        Effect.gen(function*() {
          return [(yield* allTasks)[0]!, yield* (yield* DueTimes).next] as const
        })
      )
      assert.deepInclude(task, {
        status: "running",
        fence: 1,
        attempts: 1,
        startedAt: now,
        leaseUntil: now + LEASE_MILLIS
      })
      assert.strictEqual(moments.task, now + LEASE_MILLIS, "it is due for others when its lease ends")
      yield* deployTime
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepInclude((yield* allTasks)[0]!, { status: "succeeded", fence: 1, attempts: 1 })
    }).pipe(Effect.provide(Layer.provideMerge(InFlight.layer, serviceLayer()))))

  it.effect("is queued while there is no worker", () =>
    Effect.gen(function*() {
      yield* create
      assert.deepInclude((yield* allTasks)[0]!, { status: "queued", fence: 0, attempts: 0, leaseUntil: null })
    }).pipe(Effect.provide(layer)))

  it.effect("is queued while the worker is busy, and executed afterwards", () =>
    Effect.gen(function*() {
      const upstream = yield* Upstream
      const ended = yield* Deferred.make<void>()
      upstream.hold = Deferred.await(ended)
      const limits = yield* Effect.service(Limits)
      const stop = yield* Effect.provideService(startWorker, Limits, { ...limits, WORKER_TASKS_MAX: 1 })
      const first = yield* create
      yield* settle
      const second = yield* create
      assert.deepStrictEqual((yield* allTasks).map(({ status }) => status), ["running", "queued"])
      yield* Deferred.succeed(ended, undefined)
      yield* elapse(3_000)
      for (const { id } of [first, second]) assert.strictEqual((yield* show(id)).status, "running")
      yield* stop
    }).pipe(Effect.provide(layer)))

  it.effect("returns to the queue when the worker stops before it was started", () =>
    Effect.gen(function*() {
      const stop = yield* startWorker
      const [{ id }] = yield* beforeItStarts(stop)
      assert.deepInclude((yield* allTasks)[0]!, {
        status: "queued",
        attempts: 0,
        startedAt: null,
        leaseUntil: null,
        runAt: yield* Clock.currentTimeMillis
      })
      yield* Effect.asVoid(startWorker)
      yield* deployTime
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(layer)))

  it.effect("is taken over by another replica after its lease, if the process ended before it was started", () =>
    Effect.gen(function*() {
      const { handover } = yield* TaskQueue
      // As a worker that is killed between the commit and the start.
      yield* handover.accept({ limit: 1, lease: LEASE_MILLIS })
      const { id } = yield* create
      yield* handover.take
      yield* handover.accept(undefined)
      const bus = yield* Effect.service(ReplicaBus)
      yield* Effect.provideService(Effect.asVoid(startWorker), ReplicaBus, { ...bus, ownsDatabase: false })
      yield* elapse(LEASE_MILLIS - 1_000, 1_000)
      assert.strictEqual((yield* show(id)).status, "provisioning")
      yield* elapse(4_000)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.deepInclude((yield* allTasks)[0]!, { status: "succeeded", fence: 2, attempts: 2 })
    }).pipe(Effect.provide(layer)))

  it.effect("that an operator cancelled before it was started is not executed", () =>
    Effect.gen(function*() {
      const cancelled = Effect.gen(function*() {
        const { cancel } = yield* Tasks
        yield* cancel((yield* allTasks)[0]!.id, "no", 0)
      })
      const [{ id }] = yield* beforeItStarts(cancelled)
      yield* deployTime
      assert.strictEqual((yield* show(id)).provider_id, null)
      assert.strictEqual((yield* allTasks)[0]!.status, "cancelled")
    }).pipe(Effect.provide(Layer.provideMerge(InFlight.layer, serviceLayer()))))
})
