/**
 * The commands for tasks of all instances: listing, retrying, approving and rejecting them. Failed tasks may have left
 * the upstream inconsistent: operators retry or abandon those.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Timestamp.ts"
import { toAmount } from "../../domain/Money.ts"
import { recoveryOf, UNRECONCILED } from "../../operations/Registry.ts"
import { Instances } from "../../persistence/Instances.ts"
import type { Task } from "../../persistence/tasks/Task.ts"
import type { ListedTask } from "../../persistence/tasks/TaskList.ts"
import { Tasks, Tasks as TasksRepository } from "../../persistence/Tasks.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { addFacts, type UseCases } from "../UseCases.ts"
import { millisOf, notFound, reject } from "../Input.ts"
import { BY_OPERATOR } from "./Instances.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import { isInstanceOperation, verdict } from "../../domain/InstanceMachine.ts"
import { toRecord as toTaskRecord } from "../../instances/Read.ts"
import { enqueueAs } from "../../operations/Enqueue.ts"
import { rejectOrder } from "../../orders/RejectOrder.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"

const toUnreconciledRecord = (task: Task, machine: string) => ({
  id: task.id,
  instance_id: task.instanceId,
  machine,
  type: task.type,
  left: recoveryOf(task.type).unreconciled!.left,
  error: task.error,
  finished_at: task.finishedAt === null ? null : toTimestamp(task.finishedAt)
})

export const listUnreconciledTasks = Effect.fnUntraced(function*({ before, limit }: InputOf<"tasks.unreconciled">) {
  const instances = yield* Instances
  return yield* Effect.forEach(
    yield* (yield* Tasks).unreconciled(UNRECONCILED, limit, before),
    (task) => Effect.map(instances.find(task.instanceId), (instance) => toUnreconciledRecord(task, instance?.tag ?? ""))
  )
})

type Abandonment = InputOf<"tasks.abandon">

/** Runs in a transaction. */
const abandon = Effect.fnUntraced(function*({ id, reason }: Abandonment, at: number) {
  const tasks = yield* Tasks
  const task = yield* tasks.findUnreconciled(UNRECONCILED, id)
  if (task === undefined) {
    return yield* reject(`Task ${id} has nothing left to do. Run "tasks unreconciled" to see tasks that have.`)
  }
  yield* addFacts({ instance_id: task.instanceId, task_type: task.type })
  const instance = yield* (yield* Instances).find(task.instanceId)
  if (task.type === "terminate" && instance?.lifecycle === "expired") {
    return yield* reject(`Task ${id} is retried automatically until the machine is deleted.`)
  }
  yield* tasks.abandon(id, `${task.error ?? "failed"}; abandoned by an operator: ${reason}`)
  const error = `an operator abandoned task ${id}: ${reason}`
  yield* tasks.recordAudit({
    ...BY_OPERATOR,
    instanceId: task.instanceId,
    type: task.type,
    status: "failed",
    error,
    at
  })
  return { ...toUnreconciledRecord(task, instance?.tag ?? ""), reason }
})

/** Removes a task from the list without retrying it. The activity feed records the reason. */
export const abandonTask = Effect.fnUntraced(function*(input: Abandonment) {
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(abandon(input, at))
})

const isHeld = ({ runAt, status }: Task): boolean => status === "queued" && runAt === null

const toRecord = (task: ListedTask) => ({
  ...toTaskRecord(task),
  attempts: task.attempts,
  held: isHeld(task),
  hostname: task.hostname,
  account_id: task.accountId,
  account_email: task.email,
  by: task.person ?? (task.key === null ? null : `API key ${task.key}`),
  ordered: isHeld(task) ? { plan: task.plan, amount: toAmount(task.charge), currency: task.currency } : null
})

export const listTasks = Effect.fnUntraced(function*(input: InputOf<"tasks.list">) {
  const { account_id, before, ended_since, instance_id, limit, search, status } = input
  const filter = {
    instanceId: instance_id ?? null,
    accountId: account_id ?? null,
    status: status ?? null,
    endedSince: millisOf(ended_since),
    search: search ?? null,
    before: before ?? null
  }
  return (yield* (yield* OperatorLists).tasks(filter, limit)).map(toRecord)
})

const findTask = Effect.fnUntraced(function*(id: number) {
  const task = yield* (yield* TasksRepository).find(id)
  if (task === undefined) return yield* notFound("task", id)
  yield* addFacts({ instance_id: task.instanceId, task_type: task.type })
  return task
})

/** The reason that a failed task cannot be retried; undefined if it can. */
const objection = Effect.fnUntraced(function*({ id, instanceId, type }: Task) {
  const isUnreconciled = (yield* (yield* TasksRepository).findUnreconciled(UNRECONCILED, id)) !== undefined
  const { lifecycles = [], retryable = false } = recoveryOf(type)
  if (!retryable && !isUnreconciled) {
    return `Task ${id} (${type}) has been rolled back or refunded. Request the operation again through the API.`
  }
  const instance = yield* (yield* Instances).find(instanceId)
  // A failed instance leaves the list after a while, although its machine may still exist.
  if (instance === undefined || (instance.lifecycle === "deleted" && !isUnreconciled)) {
    return `Instance ${instanceId} is deleted.`
  }
  if (instance.task !== undefined) return `Instance ${instanceId} is busy with another task (${instance.task}).`
  if (isUnreconciled) return undefined
  if (isInstanceOperation(type)) {
    return verdict(type, instance) === "yes" ? undefined : `Instance ${instanceId} is in the wrong state for ${type}.`
  }
  // A task that no longer applies is not retried: an instance that was paid for since must not be deleted.
  return lifecycles.includes(instance.lifecycle)
    ? undefined
    : `Instance ${instanceId} is now ${instance.lifecycle}, so ${type} no longer applies.`
})

const retry = Effect.fnUntraced(function*(id: number, at: number) {
  const task = yield* findTask(id)
  if (task.status === "queued") {
    if (task.runAt === null) return yield* reject(`Task ${id} needs approval. Run "tasks approve ${id}".`)
    yield* (yield* TasksRepository).runNow(id, at)
    return id
  }
  if (task.status !== "failed") {
    return yield* reject(`Task ${id} is ${task.status}. Only waiting and failed tasks can be retried.`)
  }
  const reason = yield* objection(task)
  if (reason !== undefined) return yield* reject(reason)
  const { instanceId, ofTaskId, params, purpose, type } = task
  return yield* enqueueAs("admin", instanceId, { type, params }, at, { ofTaskId, purpose })
})

const showTask = Effect.fnUntraced(function*({ id }: { readonly id: number }) {
  const task = yield* (yield* OperatorLists).task(id)
  return task === undefined ? yield* notFound("task", id) : toRecord(task)
})

const notifyAndShow = Effect.fnUntraced(function*(id: number) {
  yield* (yield* WorkerNotifier).notify
  return yield* showTask({ id })
})

/** A task that waits for its next attempt runs now; a failed one is queued again as a new task. */
export const retryTask = Effect.fnUntraced(function*({ id }: { id: number }) {
  const at = yield* Clock.currentTimeMillis
  return yield* notifyAndShow(yield* (yield* Transaction).run(retry(id, at)))
})

/** Rejects the order of a deployment that needs approval, and mails the customer. */
export const rejectTask = Effect.fnUntraced(function*({ id, reason }: InputOf<"tasks.reject">) {
  const at = yield* Clock.currentTimeMillis
  const rejection = Effect.flatMap(findTask(id), (task) => rejectOrder(task, reason, at)).pipe(
    Effect.catchTag("NotHeld", ({ message }) => Effect.fail(reject(message)))
  )
  const result = yield* (yield* Transaction).run(rejection)
  yield* (yield* WorkerNotifier).notify
  return result
})

/** Starts a deployment that needs approval, because its plan is not deployed automatically. */
export const approveTask = Effect.fnUntraced(function*({ id }: { id: number }) {
  const at = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(Effect.gen(function*() {
    const { runAt, status } = yield* findTask(id)
    if (status !== "queued" || runAt !== null) {
      return yield* reject(`Task ${id} is ${status} and needs no approval.`)
    }
    yield* (yield* TasksRepository).runNow(id, at)
  }))
  return yield* notifyAndShow(id)
})

export const TASKS_USE_CASES = {
  "tasks.unreconciled": listUnreconciledTasks,
  "tasks.abandon": abandonTask,
  "tasks.list": listTasks,
  "tasks.show": showTask,
  "tasks.retry": retryTask,
  "tasks.approve": approveTask,
  "tasks.reject": rejectTask
} satisfies UseCases
