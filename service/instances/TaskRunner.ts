/** Executes tasks whose caller waits. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { StorageUnavailable, UpstreamFailed } from "../domain/Errors.ts"

/** A task under a lease; null if there is nothing to do. */
export interface Opened {
  readonly taskId: number | null
}

/** Options of a task, in memory only. */
export interface RunOptions {
  readonly password?: Redacted.Redacted<string>
  /** Runs once the task has succeeded, even if the caller has disconnected. */
  readonly onSuccess?: Effect.Effect<void>
}

export interface Skipped {
  /** The steps, by type, that were skipped because the upstream rejected them. */
  readonly skipped: ReadonlyArray<string>
}

export class TaskRunner extends Context.Service<TaskRunner, {
  /**
   * Opens a task in one transaction and executes it at once, in one attempt. A caller that disconnects does not stop
   * it: otherwise the task would stay open until its lease expires.
   */
  readonly runNow: <A extends Opened, E, R>(
    open: Effect.Effect<A, E, R>,
    options: RunOptions
  ) => Effect.Effect<A & Skipped, E | UpstreamFailed | StorageUnavailable, R>
}>()("@pulumi-vps/service/TaskRunner") {}
