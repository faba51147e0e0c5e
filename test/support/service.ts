/** The base of service tests: the real repositories over a fresh database, and a fixed secret. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import type { CreateInstance } from "#contract/Instance"
import type { Caller } from "#service/domain/Caller"
import { isEmpty, seed } from "#service/emulator/Seed"
import { placeOrder } from "#service/orders/PlaceOrder"
import { Instances } from "#service/persistence/Instances"
import type * as ClockTrust from "#service/persistence/clock/ServiceClock"
import { Tasks } from "#service/persistence/Tasks"
import { Transaction } from "#service/persistence/Transaction"
import { make, Secret } from "#service/config/Secret"
import * as Administration from "#service/provisioning/drivers/libvirt/Administration"
import * as Scheduler from "#service/tasks/Scheduler"
import { MachineMonitor } from "#service/instances/Monitoring"
import * as TaskQueue from "#service/tasks/TaskQueue"
import * as Runner from "#service/tasks/Runner"
import * as Worker from "#service/tasks/Worker"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { databaseAnswered, databaseLayer } from "./database.ts"
import { limitsLayer } from "./limits.ts"
import * as Mailbox from "./mailbox.ts"
import * as Upstream from "./upstream.ts"

export const secretLayer = Layer.sync(Secret, () => make(["a-secret-of-the-tests-0123456789abcdef"]))

export const persistenceLayer = Layer.suspend(() => databaseLayer())

const wakeLayer = Layer.effect(
  WorkerNotifier,
  Effect.map(TaskQueue.TaskQueue, ({ handover, notify }) => ({ notify, commit: handover.committing(notify) }))
)

const seedIfEmpty = Effect.flatMap(isEmpty, (empty) => empty ? seed : Effect.void)
const seeded = Layer.effectDiscard(Effect.flatMap(Transaction, ({ run }) => run(seedIfEmpty))).pipe(Layer.orDie)

/** The time of a service that does not live on the test's clock itself. */
export type Clocked = typeof ClockTrust.layer | Layer.Layer<never>

/** Everything below HTTP but the worker, over a database with the emulator's seed and an upstream with mishaps. */
export const coreLayer = (path?: string, clock: Clocked = Layer.empty) =>
  Layer.mergeAll(wakeLayer, Runner.layer, MachineMonitor.layer, seeded).pipe(
    Layer.provideMerge(Scheduler.layer),
    Layer.provideMerge(Mailbox.layer),
    Layer.provideMerge(Layer.mergeAll(TaskQueue.layer, Upstream.layer)),
    Layer.provideMerge(clock),
    Layer.provideMerge(databaseLayer(path)),
    Layer.provideMerge(secretLayer),
    Layer.provideMerge(Layer.provide(Administration.layer, limitsLayer()))
  )

/** The same with the worker running. */
export const serviceLayer = (path?: string, clock: Clocked = Layer.empty) =>
  Worker.layer.pipe(Layer.orDie, Layer.provideMerge(Layer.suspend(() => coreLayer(path, clock))))

/** The seeded account, asking with its seeded key. */
export const owner: Caller = { accountId: 1, apiKeyId: 1, requestId: "r-1" }

/** Buys plan 1 (4.99) by default, and notifies the worker. */
export const buy = Effect.fnUntraced(function*(body: Partial<CreateInstance> = {}) {
  const transaction = yield* Transaction
  const { instance } = yield* transaction.run(
    placeOrder({ caller: owner, body: { service_id: 1, ...body }, key: undefined })
  )
  yield* (yield* WorkerNotifier).notify
  return instance
})

/** Turns of the event loop after which everything waits for the clock: each write takes one. */
const TURNS = 40

const turn = Effect.callback<void>((resume) => void setImmediate(() => resume(Effect.void)))

const settleFor = (turns: number): Effect.Effect<void> =>
  Effect.flatMap(turn, () => {
    const answered = databaseAnswered()
    if (answered !== undefined) return Effect.andThen(Effect.promise(() => answered), settleFor(TURNS))
    return turns > 1 ? settleFor(turns - 1) : Effect.void
  })

/** Runs all work until it waits for the clock, which is frozen. */
export const settle = settleFor(TURNS)

/** Lets time pass in steps, and all work continue at each of them; both in milliseconds. */
export const elapse = Effect.fnUntraced(function*(millis: number, step = 100) {
  yield* settle
  for (let passed = 0; passed < millis; passed += step) {
    yield* TestClock.adjust(Math.min(step, millis - passed))
    yield* settle
  }
})

/** Time for a deployment with the default setting. */
export const deployTime = elapse(1_100)

export const show = (instanceId: number) =>
  Effect.flatMap(
    Instances,
    (instances) => Effect.map(instances.showAny(owner.accountId, instanceId), (instance) => instance!)
  )

/** All tasks, oldest first. */
export const allTasks = Effect.flatMap(Tasks, (tasks) => tasks.all)
