/** What is atomic is one call of `run`: all of a use case's writes are durable when it answers, or none happened. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable } from "../domain/Errors.ts"

export class Transaction extends Context.Service<Transaction, {
  /**
   * Runs a use case in one durable transaction and answers after its commit. It may run more than once before it is
   * answered, so it must touch nothing but the repositories; a failure or defect undoes all its writes.
   */
  readonly run: <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.Effect<A, E | StorageUnavailable, R>
  /**
   * Succeeds when the last run was kept; else writes what changes nothing, to see whether the database can be written
   * again. Fails with `StorageUnavailable`, which says why not.
   */
  readonly health: Effect.Effect<void, StorageUnavailable>
  /** Runs that were not answered yet. */
  readonly pending: () => number
}>()("pulumi-vps/service/Transaction") {}

/**
 * Who wants to know of each transaction of the database: how many use cases it held, one on PostgreSQL, and how long it
 * took with all that was tried in vain, in milliseconds.
 */
export class BatchObserver extends Context.Reference<(size: number, millis: number) => void>(
  "pulumi-vps/service/BatchObserver",
  { defaultValue: () => () => undefined }
) {}
