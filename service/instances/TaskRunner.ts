/** What use cases ask of those who do the tasks. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageUnavailable, UpstreamFailed } from "../domain/Errors.ts"

/** A use case that opened a task under a lease of its own. */
export interface Opened {
  readonly taskId: number
}

export class TaskRunner extends Context.Service<TaskRunner, {
  /**
   * Opens a task in one transaction and does it at once, with one try. A caller that goes away does not stop it:
   * nothing else would end the task soon.
   */
  readonly now: <A extends Opened, E, R>(
    open: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | UpstreamFailed | StorageUnavailable, R>
}>()("pulumi-vps/service/TaskRunner") {}
