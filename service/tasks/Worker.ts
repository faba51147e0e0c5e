/**
 * Claims due tasks and carries them out, many at once. A task is held under a lease with a fence number: who loses the
 * lease stops, and whatever it still tries to write is dropped.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { StorageUnavailable } from "../domain/Errors.ts"
import { Limits, type LimitValues } from "../config/Limits.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Replicas } from "../persistence/Replicas.ts"
import { Transaction } from "../persistence/Transaction.ts"
import type { Fault } from "../provisioning/Driver.ts"
import { runDue, ScheduledJobs } from "./ScheduledJob.ts"
import { contextOf, execute, fail, type Failure, succeed } from "./Execution.ts"
import { sagaOf } from "../operations/Registry.ts"
import type { Saga, SagaResult, TaskContext } from "../operations/Saga.ts"
import { ProgressWriter } from "./ProgressWriter.ts"
import { TaskQueue } from "./Queue.ts"
import { budgetOf, isExhausted, pauseAfter } from "./Retry.ts"
import { layer as runner } from "./Runner.ts"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"
import { report, traced } from "./TaskTelemetry.ts"

const retry = Effect.fnUntraced(function*({ task }: TaskContext, reason: string) {
  const tasks = yield* Tasks
  const now = yield* Clock.currentTimeMillis
  const runAt = now + pauseAfter(task.attempts, yield* Random.next, yield* Limits)
  if (yield* (yield* Transaction).run(tasks.retryAt(task.id, task.fence, runAt, reason))) {
    yield* report(task, "retried", now)
  }
  yield* (yield* TaskQueue).wake
})

const giveUp = Effect.fnUntraced(function*(context: TaskContext, saga: Saga, failure: Failure) {
  const ended = yield* fail(context, saga, failure)
  if (ended && saga.compensation !== null) yield* (yield* TaskQueue).wake
})

/**
 * Permanent faults end the task at once, in doubt when an earlier try may have been done and its answer lost;
 * transient ones, and defects, are retried while it has patience.
 */
const settle = Effect.fnUntraced(function*(context: TaskContext, saga: Saga, tried: Exit.Exit<SagaResult, Fault>) {
  if (Exit.isSuccess(tried)) return yield* succeed(context, saga, tried.value)
  const fault = Exit.findErrorOption(tried)
  const { attempts } = context.task
  if (fault._tag === "None") {
    yield* Effect.logError(`Task ${context.task.id} (${context.task.type}) met a defect`, tried.cause)
  } else if (fault.value._tag === "Rejected") {
    return yield* giveUp(context, saga, { error: fault.value.reason, doubt: attempts > 1 })
  }
  const reason = fault._tag === "None" ? "internal error" : fault.value.reason
  return isExhausted(context.task, budgetOf(saga.retry, yield* Limits), yield* Clock.currentTimeMillis)
    ? yield* giveUp(context, saga, { error: `gave up after ${attempts} tries: ${reason}`, doubt: true })
    : yield* retry(context, reason)
})

/** For so long somebody who holds a task waits for the database; then the lease ends. */
const handBackTries = ({ LEASE_MILLIS, WORKER_STORAGE_PAUSE_MILLIS }: LimitValues): number =>
  Math.ceil(LEASE_MILLIS / WORKER_STORAGE_PAUSE_MILLIS)

/** Ends the lease of a task as soon as that can be written, so that it is taken over at once. */
const handBack = Effect.fnUntraced(function*(task: Task) {
  const limits = yield* Limits
  const { extendLease } = yield* Tasks
  const { run } = yield* Transaction
  const release = Effect.sleep(limits.WORKER_STORAGE_PAUSE_MILLIS).pipe(
    Effect.andThen(Clock.currentTimeMillis),
    Effect.flatMap((now) => run(extendLease(task.id, task.fence, now)))
  )
  yield* Effect.retry(release, { times: handBackTries(limits) - 1 })
  yield* (yield* TaskQueue).wake
}, (released) => Effect.ignore(released))

/** What cannot be written now is left to be repeated. */
const leave = (task: Task, { message }: StorageUnavailable) =>
  Effect.andThen(
    Effect.logError(`The end of task ${task.id} could not be recorded; it will be repeated: ${message}`),
    handBack(task)
  )

const attempt = Effect.fnUntraced(function*(task: Task, progress: ProgressWriter) {
  const context = yield* contextOf(task)
  const saga = sagaOf(context)
  const tried = yield* Effect.exit(execute(context, saga, (percent) => progress.record(task, percent)))
  // Stopped from outside, by the loss of the lease or by the end of the service: another will go on.
  if (Exit.isFailure(tried) && Cause.hasInterrupts(tried.cause)) return yield* Effect.interrupt
  yield* settle(context, saga, tried)
  // Its end may bring a duty nearer: a machine that was just deployed has its first backup ahead.
  yield* (yield* TaskQueue).wake
}, (done, task) =>
  done.pipe(
    Effect.catchTag("StorageUnavailable", (error) => leave(task, error)),
    Effect.catchDefect((defect) =>
      defect instanceof StorageUnavailable
        ? leave(task, defect)
        : Effect.logError(`Task ${task.id} (${task.type}) cannot be ended`, defect)
    ),
    (tried) => traced(task, tried)
  ))

/** The tasks that this process holds, each with the fiber that works on it. */
class Holdings {
  private readonly held = new Map<number, { readonly fence: number; readonly fiber: Fiber.Fiber<unknown, unknown> }>()
  private readonly taken = ConditionVariable.make()

  /** Works on a task that was just claimed. */
  readonly work = <R>(task: Task, work: Effect.Effect<void, never, R>): Effect.Effect<void, never, R> =>
    Effect.withFiber((fiber) => {
      const before = this.held.get(task.id)
      this.held.set(task.id, { fence: task.fence, fiber })
      const release = Effect.sync(() => {
        if (this.held.get(task.id)?.fiber === fiber) this.held.delete(task.id)
      })
      // Our own lease ran out and we claimed the task again: one of us must go.
      const first = before === undefined ? this.taken.notifyAll : Fiber.interrupt(before.fiber)
      return Effect.andThen(first, Effect.ensuring(work, release))
    })

  /** Ends when there is a task to hold. */
  readonly some: Effect.Effect<void> = Effect.flatMap(
    this.taken.version,
    (mark) => Effect.suspend(() => this.held.size > 0 ? Effect.void : this.taken.waitSince(mark))
  )

  /** Moves the end of all leases; stops the work on those that are lost. */
  readonly extend = (leaseUntil: number) =>
    Effect.gen({ self: this }, function*() {
      const mine = [...this.held]
      if (mine.length === 0) return
      const tasks = yield* Tasks
      const lost = yield* (yield* Transaction).run(
        Effect.filter(mine, ([id, { fence }]) => Effect.map(tasks.extendLease(id, fence, leaseUntil), (kept) => !kept))
      )
      yield* Fiber.interruptAll(lost.map(([, { fiber }]) => fiber))
    })

  /** Stops all work and ends the leases, so that the next process need not wait for them. */
  readonly release = Effect.gen({ self: this }, function*() {
    const mine = [...this.held]
    const tasks = yield* Tasks
    const now = yield* Clock.currentTimeMillis
    yield* Fiber.interruptAll(mine.map(([, { fiber }]) => fiber))
    yield* (yield* Transaction).run(
      Effect.forEach(mine, ([id, { fence }]) => tasks.extendLease(id, fence, now), { discard: true })
    )
    yield* (yield* Replicas).tell("tasks")
  })
}

/** What the worker knows besides what is stored. */
interface Own {
  readonly holdings: Holdings
  readonly progress: ProgressWriter
}

/** Begins the duties that are due, claims due tasks, as far as there is room, and starts them; answers how many. */
const claim = Effect.fnUntraced(function*({ holdings, progress }: Own) {
  const queue = yield* TaskQueue
  const tasks = yield* Tasks
  const { LEASE_MILLIS, WORKER_TASKS_MAX } = yield* Limits
  const room = WORKER_TASKS_MAX - (yield* queue.working)
  const now = yield* Clock.currentTimeMillis
  yield* runDue(yield* ScheduledJobs, now)
  const next = yield* tasks.nextDue
  if (room <= 0 || next === undefined || next > now) return 0
  const claimed = yield* (yield* Transaction).run(tasks.claim(now, now + LEASE_MILLIS, room))
  const starts = claimed.map((task) => queue.start(holdings.work(task, attempt(task, progress))))
  yield* Effect.all(starts, { discard: true })
  return claimed.length
})

const pauseForStorage = Effect.flatMap(Limits, (limits) => Effect.sleep(limits.WORKER_STORAGE_PAUSE_MILLIS))

const pause = ({ message }: StorageUnavailable) =>
  Effect.logError(`The worker pauses: ${message}`).pipe(
    Effect.andThen(pauseForStorage)
  )

/** A read that found no database, or a defect: the next time around it may be another story, and work must go on. */
const stumble = (defect: unknown) =>
  defect instanceof StorageUnavailable
    ? pause(defect)
    : Effect.andThen(
      Effect.logError("The worker met a defect", Cause.die(defect)),
      pauseForStorage
    )

/** Once around: looks for work, and waits when there is none. */
const turn = Effect.fnUntraced(function*(own: Own) {
  const queue = yield* TaskQueue
  yield* queue.slot((yield* Limits).WORKER_TASKS_MAX)
  const mark = yield* queue.version
  // What was claimed must also be started.
  const claimed = yield* queue.claiming(Effect.uninterruptible(claim(own)))
  if (claimed === 0) yield* queue.due(mark)
}, (turned) => turned.pipe(Effect.catchTag("StorageUnavailable", pause), Effect.catchDefect(stumble)))

/** Two heartbeats may be lost before the lease ends. */
const HEARTBEATS_PER_LEASE = 3

/** Beats only while there is something to hold: an idle service has nothing to wake up for. */
const heartbeat = Effect.fnUntraced(function*(holdings: Holdings) {
  yield* holdings.some
  const { LEASE_MILLIS } = yield* Limits
  yield* Effect.sleep(LEASE_MILLIS / HEARTBEATS_PER_LEASE)
  yield* holdings.extend((yield* Clock.currentTimeMillis) + LEASE_MILLIS)
}, Effect.catchTag("StorageUnavailable", pause))

/**
 * Works through the queue as long as its scope is open. It takes all leases over when it starts, if this process owns
 * the database: what others hold is theirs until the lease ends. Fails with `StorageUnavailable` when that cannot be
 * written.
 */
const loop = Layer.effectDiscard(Effect.gen(function*() {
  const holdings = new Holdings()
  const progress = new ProgressWriter()
  const { isAlone } = yield* Replicas
  if (isAlone) yield* (yield* Transaction).run((yield* Tasks).abandonLeases)
  yield* Effect.addFinalizer(() => Effect.ignore(holdings.release))
  yield* Effect.forkScoped(Effect.forever(heartbeat(holdings)))
  yield* Effect.forkScoped(Effect.forever(progress.flush))
  yield* Effect.forkScoped(Effect.forever(turn({ holdings, progress })))
}))

/** The worker, and what use cases ask of it. */
export const layer = Layer.merge(loop, runner)
