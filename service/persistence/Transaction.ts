/** One call of `run` is atomic: all of a use case's writes are durable when it completes, or none happened. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../domain/Errors.ts"

export class Transaction extends Context.Service<Transaction, {
  /**
   * Runs a use case in one durable transaction and completes after its commit. The use case may run more than once, so
   * its only effects must be those of repositories; a failure or defect rolls back all its writes.
   */
  readonly run: <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /**
   * Like `run`, for a use case whose rules depend only on what it locks, on rows that it writes conditionally, and on
   * unique keys. On PostgreSQL it takes the lock first and is READ COMMITTED, and so neither has conflicts with others
   * nor causes them; what it reads of other tables may have changed when it commits.
   */
  readonly runLocking: (
    lock: Lock
  ) => <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /**
   * Like `runLocking`, for a use case that decides only by what its own writes find, and so locks what decides. Most
   * are conditional on a task's fence: its row stays locked until the commit, so that no other owner comes between, and
   * what belongs to an instance with an open task is only changed by the task's owner.
   */
  readonly runWriting: <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /** Part of a use case: the results of reads that do not depend on each other, in one round trip on PostgreSQL. */
  readonly together: <Reads extends Readonly<Record<string, Effect.Effect<unknown, unknown, unknown>>>>(
    reads: Reads
  ) => Effect.All.Return<Reads, {}>
  /**
   * Part of a use case: on PostgreSQL the next insert into each of these tables takes an id that is reserved now, and
   * nothing waits for its answer. A use case that fails afterwards leaves a gap in the ids.
   */
  readonly reserveIds: (tables: ReadonlyArray<string>) => Effect.Effect<void>
  /**
   * Succeeds if the last run was committed; else probes with a write that changes nothing. Fails with
   * `StorageUnavailable`, which says why the database cannot be written.
   */
  readonly health: Effect.Effect<void, StorageUnavailable>
  /** Runs that have not completed yet. */
  readonly pending: () => number
}>()("@pulumi-vps/service/Transaction") {}

/**
 * Longest time, in milliseconds, that the commit of a transaction waits for another one to share it with: above 0 for
 * work in the background. On SQLite only, where a commit costs as much as all other statements of a create.
 */
export const CommitDelay = Context.Reference<number>("@pulumi-vps/service/CommitDelay", { defaultValue: () => 0 })

/**
 * Transactions that lock several rows lock a task, then an instance, then an account, so that they do not wait for each
 * other in a circle.
 */
export type Lock =
  | { readonly account: number }
  | { readonly instance: number }
  /**
   * An instance, then its account, whose row is written: a SERIALIZABLE transaction that changes the account at the
   * same time is repeated, and sees what this one decided.
   */
  | { readonly instanceWithAccount: number }
  /** A simulated machine, by its tag, whether it exists or not. */
  | { readonly machine: string }

/** Belongs to the first transaction that one caller's use cases commit. */
export interface Companion {
  /** A use case with the companion's own writes after it. */
  readonly join: <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Called after each commit. Until then, every transaction is joined. */
  readonly onCommit: () => void
  readonly isCommitted: () => boolean
}

/** Set by who executes use cases: the audit entry of an operator's act commits with what the act changes. */
export const Accompanied = Context.Reference<Companion | null>("@pulumi-vps/service/Accompanied", {
  defaultValue: () => null
})

/** The `run` of a database, with the companion of its caller. */
export const accompany = (run: Transaction["Service"]["run"]): Transaction["Service"]["run"] => (useCase) =>
  Effect.flatMap(Accompanied, (companion) =>
    companion === null || companion.isCommitted()
      ? run(useCase)
      : Effect.tap(run(companion.join(useCase)), () => Effect.sync(companion.onCommit)))

/**
 * Observes each transaction of the database: its number of use cases, one on PostgreSQL, and its duration including
 * failed attempts, in milliseconds.
 */
export class BatchObserver extends Context.Reference<(size: number, millis: number) => void>(
  "@pulumi-vps/service/BatchObserver",
  { defaultValue: () => () => undefined }
) {}
