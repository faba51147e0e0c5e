/** Instances of all accounts, and holding one back. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../domain/Calendar.ts"
import { type Lifecycle, statusOf } from "../domain/InstanceStatus.ts"
import { Instances as InstancesRepository, type StoredInstance } from "../persistence/Instances.ts"
import { type ListedInstance, OperatorLists } from "../persistence/OperatorLists.ts"
import { Suspensions } from "../persistence/Suspensions.ts"
import { Tasks, type TaskType } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Wake } from "../Wake.ts"
import { Refused } from "./Inputs.ts"

const toRecord = (instance: ListedInstance) => ({
  id: instance.id,
  account_id: instance.accountId,
  status: statusOf(instance, instance.taskRunning),
  plan: instance.plan,
  hostname: instance.hostname,
  ipv4: instance.ipv4,
  task: instance.task ?? null,
  suspended_reason: instance.suspendedReason,
  created_at: toTimestamp(instance.createdAt),
  expires_at: instance.expiresAt === null ? null : toTimestamp(instance.expiresAt)
})

export interface InstancesAsked {
  readonly account_id?: number
  readonly lifecycle?: Lifecycle
  readonly limit: number
}

export const listInstances = Effect.fnUntraced(function*({ account_id, lifecycle, limit }: InstancesAsked) {
  const filter = { accountId: account_id ?? null, lifecycle: lifecycle ?? null }
  return (yield* (yield* OperatorLists).instances(filter, limit)).map(toRecord)
})

/** An instance that is idle. */
const findIdle = Effect.fnUntraced(function*(id: number) {
  const instance = yield* (yield* InstancesRepository).find(id)
  if (instance === undefined || instance.lifecycle === "deleted") {
    return yield* new Refused({ message: `There is no instance ${id}; "instances list" shows those there are.` })
  }
  if (instance.task !== undefined) {
    return yield* new Refused({
      message: `Instance ${id} is busy with another task (${instance.task}); try again when that is over.`
    })
  }
  return instance
})

/** Opens a task in an operator's name. */
export const queueTask = Effect.fnUntraced(function*(instanceId: number, type: TaskType, at: number, params = "{}") {
  return yield* (yield* Tasks).insert({
    instanceId,
    type,
    actor: "admin",
    apiKeyId: null,
    requestId: null,
    params,
    sealed: null,
    runAt: at,
    leaseUntil: null,
    at
  })
})

const result = ({ id }: StoredInstance, lifecycle: Lifecycle, taskId: number | null) => ({
  instance_id: id,
  lifecycle,
  task_id: taskId
})

/** Closed to its owner from now on; its task powers the machine off. */
export const suspend = Effect.fnUntraced(function*({ id, reason }: { id: number; reason: string }) {
  const at = yield* Clock.currentTimeMillis
  const suspended = yield* (yield* Transaction).run(Effect.gen(function*() {
    const instance = yield* findIdle(id)
    if (instance.lifecycle !== "active") {
      return yield* new Refused({
        message: `Instance ${id} is ${instance.lifecycle}; only a running or stopped one can be suspended.`
      })
    }
    yield* (yield* Suspensions).suspend(id, reason)
    return result(instance, "suspended", yield* queueTask(id, "suspend", at))
  }))
  yield* (yield* Wake).worker
  return suspended
})

/** Open to its owner again; it comes back to the power that it had. An expired one stays expired until it is paid. */
export const unsuspend = Effect.fnUntraced(function*({ id }: { id: number }) {
  const at = yield* Clock.currentTimeMillis
  const lifted = yield* (yield* Transaction).run(Effect.gen(function*() {
    const instance = yield* findIdle(id)
    const power = yield* (yield* Suspensions).lift(id)
    if (power === undefined) return yield* new Refused({ message: `Instance ${id} is not suspended.` })
    if (instance.lifecycle !== "suspended") return result(instance, instance.lifecycle, null)
    if (power === "on") return result(instance, "active", yield* queueTask(id, "unsuspend", at))
    const entry = { instanceId: id, type: "unsuspend", actor: "admin", apiKeyId: null, requestId: null } as const
    yield* (yield* Tasks).record({ ...entry, status: "succeeded", error: null, at })
    return result(instance, "active", null)
  }))
  yield* (yield* Wake).worker
  return lifted
})
