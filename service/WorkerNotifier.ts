/** How a use case tells the worker, which it does not know, that a task is due. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** Run it after the commit that queued the task: a task that is not committed must not be worked on. */
export class WorkerNotifier extends Context.Service<WorkerNotifier, { readonly notify: Effect.Effect<void> }>()(
  "pulumi-vps/service/WorkerNotifier"
) {}
