/**
 * The scheduled jobs of the service: work that the calendar makes due, such as nightly backups, renewals, and expiry.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { deleteDue, endPeriod } from "../billing/Renewals.ts"
import { startBackup } from "../operations/Backups.ts"
import { UNRECONCILED } from "../operations/Registry.ts"
import { Limits } from "../config/Limits.ts"
import { ClockTrust, type Trust } from "../persistence/clock/ServiceClock.ts"
import { Backups } from "../persistence/Snapshots.ts"
import { Instances } from "../persistence/Instances.ts"
import type { Due } from "../persistence/instances/Subscriptions.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { Transaction } from "../persistence/Transaction.ts"

export interface ScheduledJob {
  /** When it is due next, in epoch milliseconds; undefined when nothing is scheduled. */
  readonly nextDue: Effect.Effect<number | undefined>
  /**
   * Starts the work that is due, usually by queueing tasks, in transactions of its own. Unfinished work must move to a
   * later time, or the worker would run the job again at once.
   */
  readonly run: (now: number) => Effect.Effect<void, StorageUnavailable>
}

/** The jobs of this process; the worker runs them before it claims tasks. None by default. */
export class ScheduledJobs extends Context.Reference<ReadonlyArray<ScheduledJob>>("pulumi-vps/service/ScheduledJobs", {
  defaultValue: () => []
}) {}

/** The time at which the first job is due. */
export const nextDue = (jobs: ReadonlyArray<ScheduledJob>): Effect.Effect<number | undefined> =>
  Effect.map(Effect.all(jobs.map((job) => job.nextDue)), (times) => {
    const scheduled = times.filter((time) => time !== undefined)
    return scheduled.length === 0 ? undefined : Math.min(...scheduled)
  })

/** Runs every job that is due. */
export const runDue = Effect.fnUntraced(function*(jobs: ReadonlyArray<ScheduledJob>, now: number) {
  for (const job of jobs) {
    const due = yield* job.nextDue
    if (due !== undefined && due <= now) yield* job.run(now)
  }
})

/**
 * Runs an action for each instance that is due, in a transaction of its own; on SQLite they share one commit. Replicas
 * may run it concurrently: each action does nothing where another replica was faster. An instance with a defect is
 * skipped; the defect would recur, so the job pauses.
 */
const forEachDue = Effect.fnUntraced(function*<R>(
  due: Due,
  action: (instanceId: number, at: number) => Effect.Effect<void, never, R>
) {
  const context = yield* Effect.context<R>()
  const { run } = yield* Transaction
  const { DUTY_BATCH, DUTY_CONCURRENCY, DUTY_PAUSE_MILLIS } = yield* Limits
  const concurrency = (yield* ReplicaBus).ownsDatabase ? "unbounded" : DUTY_CONCURRENCY
  let paused = 0
  const one = (now: number) => (instanceId: number) =>
    run(action(instanceId, now)).pipe(
      Effect.provideContext(context),
      Effect.catchDefect((defect) => {
        paused = now + DUTY_PAUSE_MILLIS
        return Effect.logError(`A scheduled job failed for instance ${instanceId}`, Cause.die(defect))
      })
    )
  return {
    nextDue: Effect.map(due.next, (next) => next === undefined ? undefined : Math.max(next, paused)),
    run: (now) =>
      Effect.flatMap(
        due.ids(now, DUTY_BATCH),
        (ids) => Effect.forEach(ids, one(now), { concurrency, discard: true })
      )
  } satisfies ScheduledJob
})

/** Deletes idempotency keys some time after their instance. */
const expireIdempotencyKeys = Effect.gen(function*() {
  const keys = yield* IdempotencyKeys
  const { run } = yield* Transaction
  return { nextDue: keys.nextExpiry, run: (now) => run(keys.deleteExpired(now)) } satisfies ScheduledJob
})

/** Deletes ended tasks from the activity feed. */
const expireFeed = Effect.gen(function*() {
  const { deleteEnded, oldestCreation } = yield* Tasks
  const { FEED_FORGET_BATCH, FEED_FORGET_PAUSE_MILLIS, FEED_RETENTION_MILLIS } = yield* Limits
  const { run } = yield* Transaction
  let paused = 0
  const due = (createdAt: number) => Math.max(createdAt + FEED_RETENTION_MILLIS, paused)
  return {
    nextDue: Effect.map(oldestCreation, (createdAt) => createdAt === undefined ? undefined : due(createdAt)),
    run: Effect.fnUntraced(function*(now) {
      const deleted = yield* run(deleteEnded(UNRECONCILED, now - FEED_RETENTION_MILLIS, FEED_FORGET_BATCH))
      if (deleted < FEED_FORGET_BATCH) paused = now + FEED_FORGET_PAUSE_MILLIS
    })
  } satisfies ScheduledJob
})

/** While the time is in doubt, nothing is due: a wrong clock would end instances and delete backups. */
const whenTrusted = ({ check, doubt }: Trust) => (job: ScheduledJob): ScheduledJob => ({
  nextDue: Effect.suspend(() => doubt() === null ? job.nextDue : Effect.succeed(undefined)),
  run: Effect.fnUntraced(function*() {
    // A confirmation may have changed the time.
    if (yield* check) yield* job.run(yield* Clock.currentTimeMillis)
  })
})

const all = Effect.gen(function*() {
  const { subscriptions } = yield* Instances
  const backups = yield* Backups
  const jobs = [
    yield* forEachDue(subscriptions.endings, endPeriod),
    yield* forEachDue(subscriptions.deletions, deleteDue),
    yield* forEachDue(backups.due, startBackup),
    yield* expireIdempotencyKeys,
    yield* expireFeed
  ]
  return jobs.map(whenTrusted(yield* ClockTrust))
})

/** The worker and the queue read them when they are built. */
export const layer = Layer.effect(ScheduledJobs, all)
