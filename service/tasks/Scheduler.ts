/**
 * The scheduled jobs of the service: work that the calendar makes due, such as nightly backups, renewals, and expiry.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Layer from "effect/Layer"
import type { StorageUnavailable } from "../domain/Errors.ts"
import { remind } from "../billing/Reminders.ts"
import { deleteDue, endPeriod } from "../billing/Renewals.ts"
import { make as makeMailDelivery } from "../mail/MailDelivery.ts"
import { startBackup } from "../operations/Backups.ts"
import { UNRECONCILED } from "../operations/Registry.ts"
import { Limits } from "../config/Limits.ts"
import { ClockTrust, type Trust } from "../persistence/clock/ServiceClock.ts"
import { Backups } from "../persistence/Snapshots.ts"
import { Instances } from "../persistence/Instances.ts"
import type { Moments } from "../persistence/DueTimes.ts"
import type { Due } from "../persistence/instances/Subscriptions.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { IdempotencyKeys } from "../persistence/IdempotencyKeys.ts"
import { ReplicaBus } from "../persistence/ReplicaBus.ts"
import { type Lock, Transaction } from "../persistence/Transaction.ts"
import { TaskQueue } from "./TaskQueue.ts"

export interface ScheduledJob {
  /** When it is due next, in epoch milliseconds; undefined when nothing is scheduled. */
  readonly dueAt: (moments: Moments) => number | undefined
  /**
   * Starts the work that is due, usually by queueing tasks, in transactions of its own. Unfinished work must move to a
   * later time, or the worker would run the job again at once.
   */
  readonly run: (now: number) => Effect.Effect<void, StorageUnavailable>
}

/** The jobs of this process; the worker runs them before it claims tasks. None by default. */
export class ScheduledJobs extends Context.Reference<ReadonlyArray<ScheduledJob>>("@pulumi-vps/service/ScheduledJobs", {
  defaultValue: () => []
}) {}

/** The jobs that are due. */
export const dueJobs = (
  jobs: ReadonlyArray<ScheduledJob>,
  moments: Moments,
  now: number
): ReadonlyArray<ScheduledJob> => jobs.filter((job) => (job.dueAt(moments) ?? Number.POSITIVE_INFINITY) <= now)

/** The moment at which the first task or job is due; infinity when nothing is scheduled. */
export const earliest = (jobs: ReadonlyArray<ScheduledJob>, moments: Moments): number =>
  Math.min(...[moments.task, ...jobs.map((job) => job.dueAt(moments))].map((at) => at ?? Number.POSITIVE_INFINITY))

/**
 * Runs an action for each instance that is due, in a transaction of its own, which locks what the action decides by; on
 * SQLite they share one commit. Replicas may run it concurrently: each action does nothing where another replica was
 * faster. An instance with a defect is skipped; the defect would recur, so the job pauses.
 */
const forEachDue = Effect.fnUntraced(function*<R>(
  moment: "ending" | "deletion" | "backup",
  due: Due,
  lockOf: (instanceId: number) => Lock,
  action: (instanceId: number, at: number) => Effect.Effect<void, never, R>
) {
  const context = yield* Effect.context<R>()
  const { runLocking } = yield* Transaction
  const { DUTY_BATCH, DUTY_CONCURRENCY, DUTY_PAUSE_MILLIS } = yield* Limits
  const concurrency = (yield* ReplicaBus).ownsDatabase ? "unbounded" : DUTY_CONCURRENCY
  let paused = 0
  const one = (now: number) => (instanceId: number) =>
    runLocking(lockOf(instanceId))(action(instanceId, now)).pipe(
      Effect.provideContext(context),
      Effect.catchDefect((defect) => {
        paused = now + DUTY_PAUSE_MILLIS
        return Effect.logError(`A scheduled job failed for instance ${instanceId}`, Cause.die(defect))
      })
    )
  return {
    dueAt: ({ [moment]: next }) => next === undefined ? undefined : Math.max(next, paused),
    run: (now) =>
      Effect.flatMap(
        due.ids(now, DUTY_BATCH),
        (ids) => Effect.forEach(ids, one(now), { concurrency, discard: true })
      )
  } satisfies ScheduledJob
})

/** Writes the mails that come before a renewal or a deletion. */
const writeReminders = Effect.gen(function*() {
  const context = yield* Effect.context<Effect.Services<ReturnType<typeof remind>>>()
  const { REMINDER_MILLIS } = yield* Limits
  let next = 0
  let hasContracts = false
  let hadContracts = false
  return {
    dueAt: ({ deletion, ending }) => {
      hasContracts = deletion !== undefined || ending !== undefined
      // Once more after the last contract: then no account is at risk, which metrics have to show.
      return hasContracts || hadContracts ? next : undefined
    },
    run: (now) => {
      next = now - now % REMINDER_MILLIS + REMINDER_MILLIS
      hadContracts = hasContracts
      return Effect.provideContext(remind(now), context)
    }
  } satisfies ScheduledJob
})

/** Deletes idempotency keys some time after their instance. */
const expireIdempotencyKeys = Effect.gen(function*() {
  const keys = yield* IdempotencyKeys
  const { run } = yield* Transaction
  return { dueAt: ({ keyExpiry }) => keyExpiry, run: (now) => run(keys.deleteExpired(now)) } satisfies ScheduledJob
})

/** Deletes ended tasks from the activity feed. */
const expireFeed = Effect.gen(function*() {
  const { deleteEnded } = yield* Tasks
  const { FEED_FORGET_BATCH, FEED_FORGET_PAUSE_MILLIS, FEED_RETENTION_MILLIS } = yield* Limits
  const { run } = yield* Transaction
  let paused = 0
  return {
    dueAt: ({ oldestTask }) =>
      oldestTask === undefined ? undefined : Math.max(oldestTask + FEED_RETENTION_MILLIS, paused),
    run: Effect.fnUntraced(function*(now) {
      const deleted = yield* run(deleteEnded(UNRECONCILED, now - FEED_RETENTION_MILLIS, FEED_FORGET_BATCH))
      if (deleted < FEED_FORGET_BATCH) paused = now + FEED_FORGET_PAUSE_MILLIS
    })
  } satisfies ScheduledJob
})

/** While the time is in doubt, nothing is due: a wrong clock would end instances and delete backups. */
const whenTrusted = ({ check, doubt }: Trust) => (job: ScheduledJob): ScheduledJob => ({
  dueAt: (moments) => doubt() === null ? job.dueAt(moments) : undefined,
  run: Effect.fnUntraced(function*() {
    // A confirmation may have changed the time.
    if (yield* check) yield* job.run(yield* Clock.currentTimeMillis)
  })
})

const all = Effect.gen(function*() {
  const { subscriptions } = yield* Instances
  const backups = yield* Backups
  const jobs = [
    yield* forEachDue(
      "ending",
      subscriptions.endings,
      (instanceWithAccount) => ({ instanceWithAccount }),
      endPeriod
    ),
    yield* forEachDue("deletion", subscriptions.deletions, (instance) => ({ instance }), deleteDue),
    yield* forEachDue("backup", backups.due, (instance) => ({ instance }), startBackup),
    yield* writeReminders,
    yield* expireIdempotencyKeys,
    yield* expireFeed
  ]
  // A mail reports what has happened: no clock can make that wrong.
  return [...jobs.map(whenTrusted(yield* ClockTrust)), yield* makeMailDelivery(yield* TaskQueue)]
})

/** The worker and the queue read them when they are built. */
export const layer = Layer.effect(ScheduledJobs, all)
