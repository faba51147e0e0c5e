/** Tasks of all instances: what waits for an operator, and what an operator may begin anew. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { isInstanceOperation, verdict } from "../../domain/InstanceMachine.ts"
import { toRecord as toTaskRecord } from "../../instances/Feed.ts"
import { enqueueAs } from "../../operations/Enqueue.ts"
import { recoveryOf, UNRECONCILED } from "../../operations/Registry.ts"
import { Instances } from "../../persistence/Instances.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import type { Task, TaskStatus } from "../../persistence/tasks/Task.ts"
import { Tasks as TasksRepository } from "../../persistence/Tasks.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../WorkerNotifier.ts"
import { CommandRejected } from "../InputSchemas.ts"

const toRecord = (task: Task) => ({
  ...toTaskRecord(task),
  attempts: task.attempts,
  held: task.status === "queued" && task.runAt === null
})

export interface TasksAsked {
  readonly instance_id?: number
  readonly status?: TaskStatus
  readonly limit: number
}

export const listTasks = Effect.fnUntraced(function*({ instance_id, limit, status }: TasksAsked) {
  const filter = { instanceId: instance_id ?? null, status: status ?? null }
  return (yield* (yield* OperatorLists).tasks(filter, limit)).map(toRecord)
})

const findTask = Effect.fnUntraced(function*(id: number) {
  const found = yield* (yield* TasksRepository).find(id)
  return found ??
    (yield* new CommandRejected({ message: `There is no task ${id}; "tasks list" shows those there are.` }))
})

/** Why the failed task cannot be begun anew; undefined when it can. */
const objection = Effect.fnUntraced(function*({ id, instanceId, type }: Task) {
  const leftover = (yield* (yield* TasksRepository).findUnreconciled(UNRECONCILED, id)) !== undefined
  const { lifecycles = [], retryable = false } = recoveryOf(type)
  if (!retryable && !leftover) {
    return `Task ${id} (${type}) has ended and what it did was set back or refunded; ask for it again through the API.`
  }
  const instance = yield* (yield* Instances).find(instanceId)
  if (instance === undefined || instance.lifecycle === "deleted") return `Instance ${instanceId} is deleted.`
  if (instance.task !== undefined) return `Instance ${instanceId} is busy with another task (${instance.task}).`
  if (leftover) return undefined
  if (isInstanceOperation(type)) {
    return verdict(type, instance) === "yes" ? undefined : `Instance ${instanceId} is not in a state for ${type}.`
  }
  // A task that has lost its reason is not retried: a customer who has paid meanwhile must not be deleted.
  return lifecycles.includes(instance.lifecycle)
    ? undefined
    : `Instance ${instanceId} is ${instance.lifecycle} by now; ${type} is over.`
})

const begin = Effect.fnUntraced(function*(id: number, at: number) {
  const task = yield* findTask(id)
  if (task.status === "queued") {
    if (task.runAt === null) {
      return yield* new CommandRejected({ message: `Task ${id} waits for "tasks approve ${id}".` })
    }
    yield* (yield* TasksRepository).runNow(id, at)
    return id
  }
  if (task.status !== "failed") return yield* new CommandRejected({ message: `Task ${id} is ${task.status}.` })
  const refused = yield* objection(task)
  if (refused !== undefined) return yield* new CommandRejected({ message: refused })
  return yield* enqueueAs("admin", task.instanceId, { type: task.type, params: task.params }, at)
})

const shown = Effect.fnUntraced(function*(id: number) {
  yield* (yield* WorkerNotifier).notify
  return toRecord(yield* findTask(id))
})

/** One that waits for its next try is due now; one that has failed is begun anew, as a task of its own. */
export const retryTask = Effect.fnUntraced(function*({ id }: { id: number }) {
  const at = yield* Clock.currentTimeMillis
  return yield* shown(yield* (yield* Transaction).run(begin(id, at)))
})

/** Lets a deployment begin that waits for an operator: its plan is not deployed by itself. */
export const approveTask = Effect.fnUntraced(function*({ id }: { id: number }) {
  const at = yield* Clock.currentTimeMillis
  yield* (yield* Transaction).run(Effect.gen(function*() {
    const { runAt, status } = yield* findTask(id)
    if (status !== "queued" || runAt !== null) {
      return yield* new CommandRejected({ message: `Task ${id} is ${status} and does not wait for an operator.` })
    }
    yield* (yield* TasksRepository).runNow(id, at)
  }))
  return yield* shown(id)
})
