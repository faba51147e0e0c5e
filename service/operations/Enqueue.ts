/** Creates the task of an operation that is admitted. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ActionResult } from "@pulumi-vps/contract/Instance"
import { Limits } from "../config/Limits.ts"
import { authorOf, type Caller } from "../domain/Caller.ts"
import type { OperationType } from "@pulumi-vps/contract/OperationPower"
import { admit, BACKUP, findOwn, publicStatus } from "../instances/Admission.ts"
import { Backups } from "../persistence/Snapshots.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import type { Actor, Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerLease, WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import type { EncodedTask } from "./Saga.ts"
import type { InstanceOperation } from "../domain/InstanceMachine.ts"
import { type RunOptions, TaskRunner } from "../instances/TaskRunner.ts"

/** Cancels a running backup, if any, and reschedules it. */
export const preemptBackup = Effect.fnUntraced(function*({ id, task }: StoredInstance, at: number) {
  if (task !== BACKUP) return
  const tasks = yield* Tasks
  const open = yield* tasks.open(id)
  if (open !== undefined) yield* tasks.cancel(open.id, "preempted by another operation", at)
  const backups = yield* Backups
  yield* backups.discard(id, at)
  yield* backups.schedule(id, at + (yield* Limits).BACKUP_WAIT_MILLIS)
})

interface Options {
  /** Secrets, encrypted; null without any. */
  readonly sealed?: string | null
  /** The caller executes the task itself, at once: it starts out running, under a lease. */
  readonly leased?: boolean
}

const insert = Effect.fnUntraced(function*(
  caller: Caller,
  instance: StoredInstance,
  task: EncodedTask,
  { leased = false, sealed = null }: Options
) {
  const at = yield* Clock.currentTimeMillis
  const lease = leased ? (yield* Limits).LEASE_MILLIS : yield* WorkerLease
  yield* preemptBackup(instance, at)
  return yield* (yield* Tasks).insert({
    ...task,
    instanceId: instance.id,
    sealed,
    ...authorOf(caller),
    runAt: at,
    leaseUntil: lease === null ? null : at + lease,
    at
  })
})

/** Opens a task that the caller executes itself, with `TaskRunner`; returns its id. */
const openLeased = (caller: Caller, instance: StoredInstance, task: EncodedTask) =>
  insert(caller, instance, task, { leased: true })

/** Queues a task for the worker; returns the instance's status while the task is open. */
export const enqueue = Effect.fnUntraced(function*(
  caller: Caller,
  instance: StoredInstance,
  task: EncodedTask,
  sealed: string | null = null
) {
  const taskId = yield* insert(caller, instance, task, { sealed })
  const status = publicStatus({ ...instance, task: task.type })
  return { ok: true, action: task.type, status, task_id: taskId } satisfies ActionResult
})

/** Facts that a task passes on to one that is queued because of it. */
type Cause = Partial<Pick<Task, "requestId" | "trace" | "purpose" | "ofTaskId">>

/** Queues a task that no customer requested; returns its id. */
export const enqueueAs = (
  actor: Exclude<Actor, "api_key">,
  instanceId: number,
  { params, type }: EncodedTask,
  at: number,
  { ofTaskId = null, purpose = "request", requestId = null, trace }: Cause = {}
) =>
  Effect.flatMap(Tasks, (tasks) =>
    tasks.insert({
      instanceId,
      type,
      params,
      sealed: null,
      actor,
      apiKeyId: null,
      requestId,
      trace: trace ?? undefined,
      purpose,
      ofTaskId,
      runAt: at,
      leaseUntil: null,
      at
    }))

/** The answer when the requested state already holds. */
export const nothingToDo = (instance: StoredInstance, action: OperationType): ActionResult => ({
  ok: true,
  action,
  status: publicStatus(instance),
  task_id: null
})

/** Runs a request in one transaction, and has its task executed, if it queued one. */
export const commitAndNotify = Effect.fnUntraced(function*<A extends Pick<ActionResult, "task_id">, E, R>(
  request: Effect.Effect<A, E, R>
) {
  const { commit } = yield* WorkerNotifier
  // A client that disconnects must not come between the commit and the start of the task.
  return yield* Effect.uninterruptible(commit((yield* Transaction).run(request), ({ task_id: id }) => id))
})

interface Request<E, R> extends RunOptions {
  readonly caller: Caller
  readonly instanceId: number
  readonly task: EncodedTask & { readonly type: InstanceOperation }
  /** Checks what the fields mean for the instance, before its state is checked. */
  readonly validate?: (instance: StoredInstance) => Effect.Effect<void, E, R>
}

/** Runs in one transaction. Opens no task if the requested state holds already. */
const open = Effect.fnUntraced(function*<E, R>({ caller, instanceId, task, validate }: Request<E, R>) {
  const instance = yield* findOwn(caller, instanceId)
  if (validate !== undefined) yield* validate(instance)
  const taskId = (yield* admit(instance, task.type)) ? yield* openLeased(caller, instance, task) : null
  return { instance, status: publicStatus(instance), taskId }
})

/**
 * Executes a task and waits for it. Fails with `InstanceNotFound`, what `validate` fails with, `InstanceBusy`,
 * `InvalidState`, `UpstreamFailed` or `StorageUnavailable`.
 */
export const runNow = <E = never, R = never>(request: Request<E, R>) =>
  Effect.flatMap(TaskRunner, (runner) => runner.runNow(open(request), request))
