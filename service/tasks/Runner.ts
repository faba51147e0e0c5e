/** Executes the tasks of callers that wait. */
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { UpstreamFailed } from "../domain/Errors.ts"
import { type Opened, type RunOptions, TaskRunner } from "../instances/TaskRunner.ts"
import { sagaOf } from "../operations/Registry.ts"
import type { TaskContext } from "../operations/Saga.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { IsCallerWaiting } from "../runtime/Time.ts"
import { contextOf, execute, fail, succeed } from "./Execution.ts"
import { TaskQueue } from "./TaskQueue.ts"
import { traced } from "./TaskTelemetry.ts"

/** One attempt; returns the skipped steps. If a crash interrupts it, its lease ends, and the worker takes over. */
const attempt = Effect.fnUntraced(function*(task: Task, password: TaskContext["password"]) {
  const context = yield* contextOf(task, password)
  const saga = sagaOf(context)
  const failed = (reason: string, doubt: boolean) =>
    new UpstreamFailed({ operation: task.type, reason, outcome: doubt ? "unknown" : "unchanged" })
  const tried = yield* Effect.exit(execute(context, saga, () => Effect.void))
  if (Exit.isSuccess(tried)) {
    if (yield* succeed(context, saga, tried.value)) return tried.value.skipped
    return yield* failed("it took longer than the lease of its task", true)
  }
  if (Cause.hasInterrupts(tried.cause)) return yield* Effect.interrupt
  const fault = Exit.findErrorOption(tried)
  if (fault._tag === "None") yield* Effect.logError(`Task ${task.id} (${task.type}) met a defect`, tried.cause)
  const error = fault._tag === "Some" ? fault.value.reason : "internal error"
  const doubt = fault._tag === "None" || fault.value._tag === "Unavailable"
  yield* fail(context, saga, { error, doubt })
  return yield* failed(error, doubt)
}, (tried, task) => traced(task, tried))

const attemptOf = Effect.fnUntraced(function*(taskId: number, password: TaskContext["password"]) {
  const task = yield* (yield* Tasks).find(taskId)
  if (task === undefined) return yield* Effect.die(new Error(`task ${taskId} was opened but does not exist`))
  return yield* attempt(task, password)
})

type Needs = Effect.Services<ReturnType<typeof attemptOf>>

const make = Effect.gen(function*() {
  const context = yield* Effect.context<Needs>()
  const queue = yield* TaskQueue
  const transaction = yield* Transaction
  return TaskRunner.of({
    runNow: <A extends Opened, E, R>(open: Effect.Effect<A, E, R>, { onSuccess, password }: RunOptions) =>
      queue.runAttached(Effect.gen(function*() {
        const opened = yield* transaction.run(open)
        const skipped = opened.taskId === null
          ? []
          : yield* attemptOf(opened.taskId, password ?? null).pipe(
            Effect.provideContext(context),
            Effect.provideService(IsCallerWaiting, true)
          )
        if (onSuccess !== undefined) yield* onSuccess
        return { ...opened, skipped }
      }))
  })
})

export const layer: Layer.Layer<TaskRunner, never, Needs | TaskQueue> = Layer.effect(TaskRunner, make)
