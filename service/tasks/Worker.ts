/**
 * Claims due tasks and executes them concurrently. A task is held under a lease with a fence number: a worker that
 * loses the lease stops, and its later writes are dropped.
 */
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import * as Result from "effect/Result"
import { StorageUnavailable } from "../domain/Errors.ts"
import { Limits, type LimitValues } from "../config/Limits.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { DueTimes } from "../persistence/DueTimes.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { CommitDelay, Transaction } from "../persistence/Transaction.ts"
import type { Fault } from "../provisioning/Driver.ts"
import { dueJobs, earliest, ScheduledJobs } from "./Scheduler.ts"
import { contextOf, execute, fail, type Failure, succeed } from "./Execution.ts"
import { sagaOf } from "../operations/Registry.ts"
import type { Saga, SagaResult, TaskContext } from "../operations/Saga.ts"
import { ProgressWriter } from "./ProgressWriter.ts"
import { TaskQueue } from "./TaskQueue.ts"
import { budgetOf, isExhausted, pauseAfter } from "./Retry.ts"
import { layer as runner } from "./Runner.ts"
import { TaskLeases } from "./TaskLeases.ts"
import { report, traced } from "./TaskTelemetry.ts"

const retry = Effect.fnUntraced(function*({ task }: TaskContext, reason: string, isHostDown: boolean) {
  const tasks = yield* Tasks
  const now = yield* Clock.currentTimeMillis
  const pause = pauseAfter(isHostDown ? Number.POSITIVE_INFINITY : task.attempts, yield* Random.next, yield* Limits)
  // Its retries are counted from when the host responds again, however long that takes.
  const attempts = isHostDown ? 1 : task.attempts
  if (yield* (yield* Transaction).runWriting(tasks.retryAt(task.id, task.fence, now + pause, reason, attempts))) {
    yield* report(task, "retried", now)
  }
  yield* (yield* TaskQueue).notify
})

const failAndFollowUp = Effect.fnUntraced(function*(context: TaskContext, saga: Saga, failure: Failure) {
  const ended = yield* fail(context, saga, failure)
  if (ended && saga.followUp !== null) yield* (yield* TaskQueue).notify
})

/**
 * A permanent fault ends the task at once, in doubt if an earlier attempt may have succeeded without its answer
 * arriving. Transient faults and defects are retried within the retry budget; a host that is down is waited for.
 */
const endAttempt = Effect.fnUntraced(function*(context: TaskContext, saga: Saga, tried: Exit.Exit<SagaResult, Fault>) {
  if (Exit.isSuccess(tried)) return yield* succeed(context, saga, tried.value)
  const fault = Exit.findErrorOption(tried)
  const { attempts } = context.task
  if (fault._tag === "None") {
    yield* Effect.logError(`Task ${context.task.id} (${context.task.type}) met a defect`, tried.cause)
  } else if (fault.value._tag === "Rejected") {
    return yield* failAndFollowUp(context, saga, { error: fault.value.reason, doubt: attempts > 1 })
  }
  const reason = fault._tag === "None" ? "internal error" : fault.value.reason
  const isHostDown = fault._tag === "Some" && fault.value._tag === "Busy" && fault.value.isHostDown === true
  return !isHostDown && isExhausted(context.task, budgetOf(saga.retry, yield* Limits), yield* Clock.currentTimeMillis)
    ? yield* failAndFollowUp(context, saga, { error: `gave up after ${attempts} attempts: ${reason}`, doubt: true })
    : yield* retry(context, reason, isHostDown)
})

/** A task is held this long while the database is unavailable; then its lease expires. */
const releaseAttempts = ({ LEASE_MILLIS, WORKER_STORAGE_PAUSE_MILLIS }: LimitValues): number =>
  Math.ceil(LEASE_MILLIS / WORKER_STORAGE_PAUSE_MILLIS)

/** Ends the lease of a task as soon as the database is available, so that the task is claimed again at once. */
const releaseLease = Effect.fnUntraced(function*(task: Task) {
  const limits = yield* Limits
  const { extendLease } = yield* Tasks
  const { runWriting } = yield* Transaction
  const release = Effect.sleep(limits.WORKER_STORAGE_PAUSE_MILLIS).pipe(
    Effect.andThen(Clock.currentTimeMillis),
    Effect.flatMap((now) => runWriting(extendLease(task.id, task.fence, now)))
  )
  yield* Effect.retry(release, { times: releaseAttempts(limits) - 1 })
  yield* (yield* TaskQueue).notify
}, (released) => Effect.ignore(released))

/** A task whose end cannot be written now is repeated. */
const repeatLater = (task: Task, { message }: StorageUnavailable) =>
  Effect.andThen(
    Effect.logError(`The end of task ${task.id} could not be recorded; it will be repeated: ${message}`),
    releaseLease(task)
  )

const attempt = Effect.fnUntraced(function*(task: Task, progress: ProgressWriter) {
  const context = yield* contextOf(task)
  const saga = sagaOf(context)
  const tried = yield* Effect.exit(execute(context, saga, (percent) => progress.record(task, percent)))
  // Interrupted by the loss of the lease, or by the shutdown of the service: another worker continues.
  if (Exit.isFailure(tried) && Cause.hasInterrupts(tried.cause)) return yield* Effect.interrupt
  yield* endAttempt(context, saga, tried)
  // Its end may make a scheduled job due earlier: a machine that was just deployed has its first backup ahead.
  yield* (yield* TaskQueue).notify
}, (attempted, task) =>
  attempted.pipe(
    Effect.catchTag("StorageUnavailable", (error) => repeatLater(task, error)),
    Effect.catchDefect((defect) =>
      defect instanceof StorageUnavailable
        ? repeatLater(task, defect)
        : Effect.logError(`Task ${task.id} (${task.type}) cannot be ended`, defect)
    ),
    (attempted) => traced(task, attempted),
    (attempted) =>
      Effect.flatMap(Limits, (limits) => Effect.provideService(attempted, CommitDelay, limits.COMMIT_DELAY_MILLIS))
  ))

/** The fence of a task that was inserted already claimed, until it is claimed again. */
const FIRST_FENCE = 1

/** The worker's state in memory. */
interface State {
  readonly leases: TaskLeases
  readonly progress: ProgressWriter
}

/** Starts tasks that this process has inserted already claimed. */
const startHandedOver = Effect.fnUntraced(function*({ leases, progress }: State) {
  const queue = yield* TaskQueue
  const { find } = yield* Tasks
  for (const id of yield* queue.handover.take) {
    const task = yield* find(id)
    // Another worker has it if its lease ended meanwhile, or an operator cancelled it.
    if (task?.status !== "running" || task.fence !== FIRST_FENCE) yield* queue.notify
    else yield* queue.start(leases.hold(task, attempt(task, progress)))
  }
})

/** Claims and starts due tasks up to the limit; returns how many. */
const claim = Effect.fnUntraced(function*({ leases, progress }: State, now: number) {
  const queue = yield* TaskQueue
  const { LEASE_MILLIS, WORKER_TASKS_MAX } = yield* Limits
  const capacity = WORKER_TASKS_MAX - (yield* queue.running)
  if (capacity <= 0) return 0
  const claimed = yield* (yield* Transaction).runWriting((yield* Tasks).claim(now, now + LEASE_MILLIS, capacity))
  const starts = claimed.map((task) => queue.start(leases.hold(task, attempt(task, progress))))
  yield* Effect.all(starts, { discard: true })
  return claimed.length
})

/**
 * Runs the scheduled jobs that are due, or else claims due tasks. Undefined if it did anything; else the moment of the
 * next work, in epoch milliseconds.
 */
const work = Effect.fnUntraced(function*(state: State) {
  const jobs = yield* ScheduledJobs
  const now = yield* Clock.currentTimeMillis
  const moments = yield* (yield* DueTimes).next
  const due = dueJobs(jobs, moments, now)
  yield* Effect.forEach(due, (job) => job.run(now), { discard: true })
  if (due.length > 0) return undefined
  const isTaskDue = moments.task !== undefined && moments.task <= now
  if (isTaskDue && (yield* claim(state, now)) > 0) return undefined
  return earliest(jobs, moments)
})

const pauseForStorage = Effect.flatMap(Limits, (limits) => Effect.sleep(limits.WORKER_STORAGE_PAUSE_MILLIS))

const pause = ({ message }: StorageUnavailable) =>
  Effect.logError(`The worker pauses: ${message}`).pipe(
    Effect.andThen(pauseForStorage)
  )

/** The database was unavailable, or something died: the worker continues after a pause. */
const recover = (defect: unknown) =>
  defect instanceof StorageUnavailable
    ? pause(defect)
    : Effect.andThen(
      Effect.logError("The worker met a defect", Cause.die(defect)),
      pauseForStorage
    )

/** One pass: works on what is due, or waits for it. */
const pass = Effect.fnUntraced(function*(state: State) {
  const queue = yield* TaskQueue
  yield* queue.awaitSlot((yield* Limits).WORKER_TASKS_MAX)
  const version = yield* queue.version
  // A claimed task must also be started.
  const next = yield* queue.exclusively(Effect.uninterruptible(work(state)))
  if (next !== undefined) yield* queue.awaitDue(next, version)
}, (passed) => passed.pipe(Effect.catchTag("StorageUnavailable", pause), Effect.catchDefect(recover)))

/** The same for tasks that are handed over. */
const receive = Effect.fnUntraced(function*(state: State) {
  const queue = yield* TaskQueue
  yield* queue.handover.awaitSome
  yield* queue.exclusively(Effect.uninterruptible(startHandedOver(state)))
}, (received) => received.pipe(Effect.catchDefect(recover)))

/** Returns what was not started to the queue, for other workers. */
const refuseHandover = Effect.gen(function*() {
  const { handover } = yield* TaskQueue
  const tasks = yield* Tasks
  yield* handover.accept(undefined)
  const ids = yield* handover.take
  const now = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).runWriting(Effect.forEach(ids, (id) => tasks.unclaim(id, now), { discard: true }))
})

/** Two heartbeats may be lost before the lease ends. */
const HEARTBEATS_PER_LEASE = 3

/** Runs only while there are leases: an idle service stays asleep. */
const heartbeat = Effect.fnUntraced(function*(leases: TaskLeases) {
  yield* leases.awaitSome
  const { LEASE_MILLIS } = yield* Limits
  yield* Effect.sleep(LEASE_MILLIS / HEARTBEATS_PER_LEASE)
  yield* leases.extend((yield* Clock.currentTimeMillis) + LEASE_MILLIS)
}, Effect.catchTag("StorageUnavailable", pause))

/** The owner of the database has all of its leases: no claim of its own may precede this. */
const takeOver = Effect.gen(function*() {
  const { ownsDatabase } = yield* ReplicaBus
  if (ownsDatabase) yield* (yield* Transaction).run((yield* Tasks).expireLeases)
})

const begin = Effect.gen(function*() {
  const leases = new TaskLeases()
  const progress = new ProgressWriter()
  yield* Effect.addFinalizer(() => Effect.ignore(leases.release))
  yield* Effect.addFinalizer(() => Effect.ignore(refuseHandover))
  yield* Effect.forkScoped(Effect.forever(heartbeat(leases)))
  yield* Effect.forkScoped(Effect.forever(progress.flush))
  yield* Effect.forkScoped(Effect.forever(receive({ leases, progress })))
  yield* Effect.forkScoped(Effect.forever(pass({ leases, progress })))
  const { LEASE_MILLIS, WORKER_TASKS_MAX } = yield* Limits
  yield* (yield* TaskQueue).handover.accept({ limit: WORKER_TASKS_MAX, lease: LEASE_MILLIS })
})

/**
 * Works through the queue while its scope is open. At the start it takes over all leases if this process owns the
 * database; otherwise the leases of other processes stay valid until they expire. While the database cannot be written,
 * it waits, and the service can still be read.
 */
const loop = Layer.effectDiscard(Effect.gen(function*() {
  let taken = yield* Effect.result(takeOver)
  if (Result.isSuccess(taken)) return yield* begin
  const insist = Effect.gen(function*() {
    while (Result.isFailure(taken)) {
      yield* pause(taken.failure)
      taken = yield* Effect.result(takeOver)
    }
    yield* begin
  })
  yield* Effect.forkScoped(insist)
}))

/** The worker, and the runner for callers that wait. */
export const layer = Layer.merge(loop, runner)
