/** Coordinates the worker with the code that queues tasks, and with the code that has to stop it for a while. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"
import * as Gate from "./Gate.ts"
import { Handover } from "./Handover.ts"

/** The tasks that this process executes. */
export class TaskQueue extends Context.Service<TaskQueue, {
  /** A task may be due: call it after the commit that queued one. */
  readonly notify: Effect.Effect<void>
  /** Read it before checking the queue; pass it to `awaitDue` if there was nothing to do. */
  readonly version: Effect.Effect<number>
  /** Completes at a moment, in epoch milliseconds, or when `notify` was called since the version. */
  readonly awaitDue: (moment: number, version: number) => Effect.Effect<void>
  /** Completes when fewer than `limit` tasks run in the background. */
  readonly awaitSlot: (limit: number) => Effect.Effect<void>
  /** Runs a claim; none runs while the queue is stopped. */
  readonly exclusively: <A, E, R>(claim: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Executes a task in the background; stopping the queue interrupts it, and it is claimed again later. */
  readonly start: <R>(execution: Effect.Effect<void, never, R>) => Effect.Effect<Fiber.Fiber<void>, never, R>
  /** The number of tasks that run in the background, or will soon, because they were handed over. */
  readonly running: Effect.Effect<number>
  /** The tasks that this process has inserted already claimed. A task that is taken while it is stopped is gone. */
  readonly handover: Handover
  /** Executes a task for a waiting caller. It continues if the caller disconnects; stopping the queue waits for it. */
  readonly runAttached: <A, E, R>(execution: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Completes when the instance has no open task that is due or running. */
  readonly awaitIdle: (instanceId: number) => Effect.Effect<void>
  /** Runs an effect while no task is executed; afterwards the worker checks the queue again. */
  readonly whileStopped: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("@pulumi-vps/service/TaskQueue") {}

const isPending = (task: Task | undefined, now: number): boolean =>
  task !== undefined && (task.status === "running" || (task.runAt !== null && task.runAt <= now))

/** The tasks that run in the background, with a notification when one ends. */
const makeBackground = Effect.gen(function*() {
  const fibers = yield* FiberSet.make<void>()
  const ended = ConditionVariable.make()
  const awaitSlot = (limit: number): Effect.Effect<void> =>
    Effect.gen(function*() {
      const version = yield* ended.version
      if ((yield* FiberSet.size(fibers)) < limit) return
      yield* ended.waitSince(version)
      return yield* awaitSlot(limit)
    })
  return {
    ended,
    awaitSlot,
    size: FiberSet.size(fibers),
    start: <R>(work: Effect.Effect<void, never, R>) =>
      Effect.tap(FiberSet.run(fibers, work), (fiber) =>
        // Not by the work itself, whose fiber would still count.
        Effect.sync(() => fiber.addObserver(() => Effect.runSync(ended.notifyAll)))),
    stop: FiberSet.clear(fibers)
  }
})

/** See `awaitDue`. Where other replicas queue tasks, too, it also completes at regular intervals. */
const makeAwaitDue = Effect.fnUntraced(function*(notified: ConditionVariable.ConditionVariable) {
  const { pollMillis } = yield* ReplicaBus
  return Effect.fnUntraced(function*(moment: number, version: number) {
    const wait = Math.min(pollMillis, Math.max(0, moment - (yield* Clock.currentTimeMillis)))
    if (wait === Number.POSITIVE_INFINITY) return yield* notified.waitSince(version)
    yield* Effect.raceFirst(Effect.sleep(wait), notified.waitSince(version))
  })
})

const make = Effect.gen(function*() {
  const tasks = yield* Tasks
  const scope = yield* Effect.scope
  const background = yield* makeBackground
  const claims = yield* Semaphore.make(1)
  const gate = Gate.make()
  const handover = new Handover(background.size)
  const notified = ConditionVariable.make()
  const awaitDue = yield* makeAwaitDue(notified)
  yield* (yield* ReplicaBus).subscribe("tasks", notified.notifyAll)
  // Scheduled jobs skip a busy instance: when its task ends, they check again.
  const leave = Effect.all([gate.leave, background.ended.notifyAll, notified.notifyAll])
  const runAttached = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    gate.enter.pipe(
      Effect.andThen(Effect.ensuring(work, leave)),
      Effect.forkIn(scope),
      Effect.flatMap(Fiber.join)
    )
  const awaitIdle = (instanceId: number): Effect.Effect<void> =>
    Effect.gen(function*() {
      const version = yield* background.ended.version
      if (!isPending(yield* tasks.open(instanceId), yield* Clock.currentTimeMillis)) return
      yield* background.ended.waitSince(version)
      return yield* awaitIdle(instanceId)
    })
  const whileStopped = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    claims.withPermit(
      gate.close.pipe(
        Effect.andThen(background.stop),
        Effect.andThen(gate.empty),
        Effect.andThen(effect),
        // The ids of these tasks may belong to others now; the lease of one that still exists ends.
        Effect.ensuring(Effect.all([handover.take, gate.open, notified.notifyAll]))
      )
    )
  return TaskQueue.of({
    notify: notified.notifyAll,
    version: notified.version,
    awaitDue,
    awaitSlot: background.awaitSlot,
    exclusively: claims.withPermit,
    start: background.start,
    running: handover.taken,
    handover,
    runAttached,
    awaitIdle,
    whileStopped
  })
})

export const layer: Layer.Layer<TaskQueue, never, Tasks> = Layer.effect(TaskQueue, make)
