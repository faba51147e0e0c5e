/** What use cases ask of those who do the tasks. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { StorageUnavailable, UpstreamFailed } from "../domain/Errors.ts"

/** A use case that opened a task under a lease of its own, or found that nothing has to be done: null. */
export interface Opened {
  readonly taskId: number | null
}

/** What goes along with a task, in memory only. */
export interface RunOptions<A> {
  readonly password?: Redacted.Redacted<string>
  /** Done once the task has succeeded, also when the caller has gone away meanwhile. */
  readonly onSuccess?: (opened: A) => Effect.Effect<void>
}

export interface Outcome {
  /** The steps, by their type, that the upstream refused and the operation went on without. */
  readonly skipped: ReadonlyArray<string>
}

export class TaskRunner extends Context.Service<TaskRunner, {
  /**
   * Opens a task in one transaction and does it at once, with one try. A caller that goes away does not stop it:
   * nothing else would end the task soon.
   */
  readonly runNow: <A extends Opened, E, R>(
    open: Effect.Effect<A, E, R>,
    along?: RunOptions<A>
  ) => Effect.Effect<A & Outcome, E | UpstreamFailed | StorageUnavailable, R>
}>()("pulumi-vps/service/TaskRunner") {}
