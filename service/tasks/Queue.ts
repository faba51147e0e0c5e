/** Where those who queue tasks meet the worker that does them. */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Replicas } from "../persistence/Replicas.ts"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"
import { nextDue, ScheduledJobs } from "./ScheduledJob.ts"
import * as Gate from "./Gate.ts"

/** Work on tasks in this process. */
export class TaskQueue extends Context.Service<TaskQueue, {
  /** A task may be due: call it after the commit that queued one. */
  readonly wake: Effect.Effect<void>
  /** Take it before looking at the queue; hand it to `due` when there was nothing to do. */
  readonly version: Effect.Effect<number>
  /** Ends when the next task or duty falls due, or when the queue was woken since the mark. */
  readonly due: (mark: number) => Effect.Effect<void>
  /** Ends when fewer than `limit` tasks are in work in the background. */
  readonly slot: (limit: number) => Effect.Effect<void>
  /** Runs a claim; none runs while the queue is stopped. */
  readonly claiming: <A, E, R>(claim: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does a task's work in the background; stopping the queue interrupts it, and it is taken over later. */
  readonly start: <R>(work: Effect.Effect<void, never, R>) => Effect.Effect<Fiber.Fiber<void>, never, R>
  /** Tasks in work in the background. */
  readonly working: Effect.Effect<number>
  /** Does work that a caller waits for. It goes on when the caller goes away; stopping the queue waits for it. */
  readonly attached: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Ends when the instance has no open task that is due or in work. */
  readonly settled: (instanceId: number) => Effect.Effect<void>
  /** Runs an effect while nothing works on any task; afterwards the worker looks at the queue afresh. */
  readonly stopped: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}>()("pulumi-vps/service/TaskQueue") {}

const isPending = (task: Task | undefined, now: number): boolean =>
  task !== undefined && (task.status === "running" || (task.runAt !== null && task.runAt <= now))

/** Tasks in work in the background, and the end of each. */
const makeBackground = Effect.gen(function*() {
  const fibers = yield* FiberSet.make<void>()
  const ended = ConditionVariable.make()
  const slot = (limit: number): Effect.Effect<void> =>
    Effect.gen(function*() {
      const mark = yield* ended.version
      if ((yield* FiberSet.size(fibers)) < limit) return
      yield* ended.waitSince(mark)
      return yield* slot(limit)
    })
  return {
    ended,
    slot,
    size: FiberSet.size(fibers),
    start: <R>(work: Effect.Effect<void, never, R>) => FiberSet.run(fibers, Effect.ensuring(work, ended.notifyAll)),
    stop: FiberSet.clear(fibers)
  }
})

/** The earlier of two moments that may not be known. */
const earlier = (one: number | undefined, other: number | undefined): number | undefined =>
  one === undefined || other === undefined ? one ?? other : Math.min(one, other)

/**
 * Ends when the next task or duty falls due, or when the queue was woken since the mark. Where others queue tasks, too,
 * it ends now and then all the same.
 */
const makeDue = Effect.fnUntraced(function*(woken: ConditionVariable.ConditionVariable) {
  const { patience } = yield* Replicas
  const tasks = yield* Tasks
  const duties = yield* ScheduledJobs
  return Effect.fnUntraced(function*(mark: number) {
    const next = earlier(yield* tasks.nextDue, yield* nextDue(duties))
    const wait = next === undefined ? patience : Math.max(0, next - (yield* Clock.currentTimeMillis))
    if (wait === Number.POSITIVE_INFINITY) return yield* woken.waitSince(mark)
    yield* Effect.raceFirst(Effect.sleep(Math.min(wait, patience)), woken.waitSince(mark))
  })
})

const make = Effect.gen(function*() {
  const tasks = yield* Tasks
  const scope = yield* Effect.scope
  const background = yield* makeBackground
  const claims = yield* Semaphore.make(1)
  const gate = Gate.make()
  const woken = ConditionVariable.make()
  const due = yield* makeDue(woken)
  yield* (yield* Replicas).hear("tasks", woken.notifyAll)
  // Duties pass over a busy instance: its end is when they look again.
  const left = Effect.all([gate.leave, background.ended.notifyAll, woken.notifyAll])
  const attached = <A, E, R>(work: Effect.Effect<A, E, R>) =>
    gate.enter.pipe(
      Effect.andThen(Effect.ensuring(work, left)),
      Effect.forkIn(scope),
      Effect.flatMap(Fiber.join)
    )
  const settled = (instanceId: number): Effect.Effect<void> =>
    Effect.gen(function*() {
      const mark = yield* background.ended.version
      if (!isPending(yield* tasks.open(instanceId), yield* Clock.currentTimeMillis)) return
      yield* background.ended.waitSince(mark)
      return yield* settled(instanceId)
    })
  const stopped = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    claims.withPermit(
      gate.close.pipe(
        Effect.andThen(background.stop),
        Effect.andThen(gate.empty),
        Effect.andThen(effect),
        Effect.ensuring(Effect.andThen(gate.open, woken.notifyAll))
      )
    )
  return TaskQueue.of({
    wake: woken.notifyAll,
    version: woken.version,
    due,
    slot: background.slot,
    claiming: claims.withPermit,
    start: background.start,
    working: background.size,
    attached,
    settled,
    stopped
  })
})

export const layer: Layer.Layer<TaskQueue, never, Tasks> = Layer.effect(TaskQueue, make)
