/** Has queued tasks executed. Use cases depend on this interface instead of the worker. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"

export class WorkerNotifier extends Context.Service<WorkerNotifier, {
  /** A task may be due. Runs after the commit that queued it, because an uncommitted task must not be executed. */
  readonly notify: Effect.Effect<void>
  /**
   * Commits a transaction that may insert a task, whose id `taskOf` returns, and has the task executed. If the worker
   * of this process has a free slot, the task is inserted under its lease, and the worker starts it without a search of
   * the queue. Must not be interrupted between the commit and the start.
   */
  readonly commit: <A, E, R>(
    transaction: Effect.Effect<A, E, R>,
    taskOf: (result: A) => number | null
  ) => Effect.Effect<A, E, R>
}>()("@pulumi-vps/service/WorkerNotifier") {}

/** For a process without a worker: tasks are queued, and a notification is sent. */
export const queueing = (notify: Effect.Effect<void>): WorkerNotifier["Service"] => ({
  notify,
  commit: (transaction, taskOf) => Effect.tap(transaction, (result) => taskOf(result) === null ? Effect.void : notify)
})

/**
 * The lease, in milliseconds, under which this process's worker owns the task that the current transaction inserts;
 * null: the task is queued for any worker. Set by `WorkerNotifier.commit`.
 */
export const WorkerLease = Context.Reference<number | null>("@pulumi-vps/service/WorkerLease", {
  defaultValue: () => null
})
