/** Those who follow what becomes of tasks: measures, traces, and the log, which names task and request. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { linkTo, Tracing } from "../observability/Tracing.ts"
import type { Task } from "../persistence/tasks/Task.ts"

/** How a try ended: `retried` goes back into the queue. */
export type Outcome = "succeeded" | "failed" | "retried"

interface TaskObserver {
  /** Called after the end of a try was recorded, at `at` in epoch milliseconds; plain and cheap. */
  readonly tried: (task: Task, outcome: Outcome, at: number) => void
}

/** Nobody follows unless the root says so. */
export class TaskObservers extends Context.Reference<TaskObserver>("pulumi-vps/service/TaskObservers", {
  defaultValue: () => ({ tried: () => undefined })
}) {}

/** Tells how a try ended. */
export const report = (task: Task, outcome: Outcome, at: number): Effect.Effect<void> =>
  Effect.flatMap(Effect.all([TaskObservers, Tracing]), ([{ tried }, traced]) => {
    tried(task, outcome, at)
    return traced ? Effect.annotateCurrentSpan("vps.task.outcome", outcome) : Effect.void
  })

/** Puts a try under the ids that lead from a request to all that was done for it. */
export const traced = <A, E, R>(task: Task, tried: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const named = Effect.annotateLogs(tried, {
    task_id: task.id,
    instance_id: task.instanceId,
    ...(task.requestId === null ? {} : { request_id: task.requestId })
  })
  return Effect.flatMap(Tracing, (traced) =>
    traced
      ? Effect.withSpan(named, `task ${task.type}`, {
        root: true,
        // A task may be done hours after its request, and more than once: it is linked to it, and not a part of it.
        links: task.trace === null ? [] : [linkTo(task.trace)],
        attributes: {
          "vps.task.id": task.id,
          "vps.task.type": task.type,
          "vps.task.attempt": task.attempts,
          "vps.instance.id": task.instanceId,
          ...(task.requestId === null ? {} : { "vps.request.id": task.requestId })
        }
      })
      : named)
}
