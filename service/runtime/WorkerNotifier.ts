/** Notifies the worker of due tasks. Use cases depend on this interface instead of the worker. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** `notify` runs after the commit that queued the task, because an uncommitted task must not be executed. */
export class WorkerNotifier extends Context.Service<WorkerNotifier, { readonly notify: Effect.Effect<void> }>()(
  "pulumi-vps/service/WorkerNotifier"
) {}
