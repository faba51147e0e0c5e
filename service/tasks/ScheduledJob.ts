/** Work that the calendar makes due: nightly backups, renewals, expiry. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../domain/Errors.ts"

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
