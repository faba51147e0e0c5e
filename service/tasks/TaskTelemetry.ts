/** Metrics, traces and log annotations of tasks, which tie them to the requests that queued them. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { linkTo, Tracing } from "../runtime/Tracing.ts"
import type { Task } from "../persistence/tasks/Task.ts"

/** The outcome of an attempt: a `retried` task goes back into the queue. */
export type AttemptOutcome = "succeeded" | "failed" | "retried"

interface TaskObserver {
  /** Called after the end of an attempt was recorded, at `at` in epoch milliseconds; synchronous and cheap. */
  readonly attempted: (task: Task, outcome: AttemptOutcome, at: number) => void
}

/** Does nothing unless the composition root sets it. */
export class TaskObservers extends Context.Reference<TaskObserver>("@pulumi-vps/service/TaskObservers", {
  defaultValue: () => ({ attempted: () => undefined })
}) {}

/** Reports the outcome of an attempt. */
export const report = (task: Task, outcome: AttemptOutcome, at: number): Effect.Effect<void> =>
  Effect.flatMap(Effect.all([TaskObservers, Tracing]), ([{ attempted }, tracing]) => {
    attempted(task, outcome, at)
    return tracing ? Effect.annotateCurrentSpan("vps.task.outcome", outcome) : Effect.void
  })

/** Annotates the logs of an attempt with the ids of task, instance and request, and gives it a span. */
export const traced = <A, E, R>(task: Task, attempt: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const annotated = Effect.annotateLogs(attempt, {
    task_id: task.id,
    instance_id: task.instanceId,
    ...(task.requestId === null ? {} : { request_id: task.requestId })
  })
  return Effect.flatMap(Tracing, (tracing) =>
    tracing
      ? Effect.withSpan(annotated, `task ${task.type}`, {
        root: true,
        // A task may run hours after its request, and more than once: it is linked to the request, not part of it.
        links: task.trace === null ? [] : [linkTo(task.trace)],
        attributes: {
          "vps.task.id": task.id,
          "vps.task.type": task.type,
          "vps.task.attempt": task.attempts,
          "vps.instance.id": task.instanceId,
          ...(task.requestId === null ? {} : { "vps.request.id": task.requestId })
        }
      })
      : annotated)
}
