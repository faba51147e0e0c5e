/** Work that falls due by the calendar instead of being asked for: nightly backups, renewals, expiry. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../domain/Errors.ts"

/** One kind of such work. */
export interface ScheduledJob {
  /** When it falls due next, in epoch milliseconds; undefined when nothing is ahead. */
  readonly nextDue: Effect.Effect<number | undefined>
  /**
   * Begins what is due, usually by queueing tasks, in transactions of its own. Whatever it leaves undone must move to
   * a later moment, or the worker would come back at once.
   */
  readonly run: (now: number) => Effect.Effect<void, StorageUnavailable>
}

/** Every duty of this process; the worker sees to them before it claims tasks. None unless the root names some. */
export class ScheduledJobs extends Context.Reference<ReadonlyArray<ScheduledJob>>("pulumi-vps/service/ScheduledJobs", {
  defaultValue: () => []
}) {}

/** When any duty falls due next. */
export const nextDue = (duties: ReadonlyArray<ScheduledJob>): Effect.Effect<number | undefined> =>
  Effect.map(Effect.all(duties.map((duty) => duty.nextDue)), (moments) => {
    const ahead = moments.filter((moment) => moment !== undefined)
    return ahead.length === 0 ? undefined : Math.min(...ahead)
  })

/** Begins everything that is due. */
export const runDue = Effect.fnUntraced(function*(duties: ReadonlyArray<ScheduledJob>, now: number) {
  for (const duty of duties) {
    const due = yield* duty.nextDue
    if (due !== undefined && due <= now) yield* duty.run(now)
  }
})
