/** What every operation on an instance begins with: whose is it, is it idle, does its state allow it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ActionResult } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { InstanceBusy, InstanceNotFound, InvalidState, NotForCategory } from "../domain/Errors.ts"
import { type Operation, verdict } from "../domain/InstanceMachine.ts"
import { statusOf } from "../domain/InstanceStatus.ts"
import { Limits } from "../config/Limits.ts"
import { Backups } from "../persistence/Backups.ts"
import { isVirtual } from "../persistence/Catalogue.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { Tasks } from "../persistence/Tasks.ts"
import type { TaskType } from "../persistence/tasks/Task.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../WorkerNotifier.ts"

/** The caller's own instance. */
export const findOwn = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const found = yield* (yield* Instances).find(instanceId)
  const own = found !== undefined && found.accountId === caller.accountId && found.lifecycle !== "deleted"
  return own ? found : yield* new InstanceNotFound({ instanceId })
})

/** The caller's own virtual machine: a dedicated one has no snapshots, no backups and no other size. */
export const findOwnVirtual = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const instance = yield* findOwn(caller, instanceId)
  return isVirtual(instance.category) ? instance : yield* new NotForCategory({ category: instance.category })
})

/** The public status of an instance whose open task, if any, is not in work yet. */
export const publicStatus = (instance: StoredInstance): string => statusOf(instance, false)

/** The nightly backup: the one task that does not keep anybody waiting. */
export const BACKUP: TaskType = "backup_create"

/** Busy first, then the state. True when there is something to do, false when it is done already. */
export const admit = Effect.fnUntraced(function*(instance: StoredInstance, operation: Operation) {
  if (instance.task !== undefined && instance.task !== BACKUP) {
    return yield* new InstanceBusy({ taskType: instance.task })
  }
  const allowed = verdict(operation, instance)
  if (allowed === "no") return yield* new InvalidState({ operation, status: publicStatus(instance) })
  return allowed === "yes"
})

/** Ends a backup that is under way, if there is one: it is tried again later. */
export const preemptBackup = Effect.fnUntraced(function*({ id, task }: StoredInstance, at: number) {
  if (task !== BACKUP) return
  const tasks = yield* Tasks
  const open = yield* tasks.open(id)
  if (open !== undefined) yield* tasks.cancel(open.id, "gave way to another operation", at)
  const backups = yield* Backups
  yield* backups.discard(id, at)
  yield* backups.schedule(id, at + (yield* Limits).BACKUP_WAIT_MILLIS)
})

/** What a task of a caller's is made of. */
export interface TaskRequest {
  readonly type: TaskType
  /** JSON text, without secrets. */
  readonly params: string
  /** Secrets, encrypted. */
  readonly sealed?: string | null
}

/** Opens a task of the caller's; with a lease the caller itself does the work at once. */
export const openTask = Effect.fnUntraced(function*(
  caller: Caller,
  instance: StoredInstance,
  { params, sealed = null, type }: TaskRequest,
  leaseMillis: number | null
) {
  const at = yield* Clock.currentTimeMillis
  yield* preemptBackup(instance, at)
  return yield* (yield* Tasks).insert({
    instanceId: instance.id,
    type,
    params,
    sealed,
    actor: "api_key",
    apiKeyId: caller.apiKeyId,
    requestId: caller.requestId,
    trace: caller.trace,
    runAt: at,
    leaseUntil: leaseMillis === null ? null : at + leaseMillis,
    at
  })
})

/** Queues a task for the worker; answers at once, with the status while it is open. */
export const enqueue = Effect.fnUntraced(function*(caller: Caller, instance: StoredInstance, request: TaskRequest) {
  const taskId = yield* openTask(caller, instance, request, null)
  const status = publicStatus({ ...instance, task: request.type })
  return { ok: true, action: request.type, status, task_id: taskId } satisfies ActionResult
})

/** The answer when what was asked for is so already. */
export const nothingToDo = (instance: StoredInstance, action: TaskType): ActionResult => ({
  ok: true,
  action,
  status: publicStatus(instance),
  task_id: null
})

/** Runs the beginning of an operation in one transaction, and wakes the worker when it queued a task. */
export const commitAndNotify = Effect.fnUntraced(function*<A extends Pick<ActionResult, "task_id">, E, R>(
  beginning: Effect.Effect<A, E, R>
) {
  const result = yield* (yield* Transaction).run(beginning)
  if (result.task_id !== null) yield* (yield* WorkerNotifier).notify
  return result
})
