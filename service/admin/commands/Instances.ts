/** Instances of all accounts, and holding one back. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toTimestamp } from "../../domain/Calendar.ts"
import { type Lifecycle, statusOf } from "../../domain/InstanceStatus.ts"
import { BACKUP } from "../../instances/Admission.ts"
import { enqueueAs, preemptBackup } from "../../operations/Enqueue.ts"
import { reviveOne } from "../../operations/Renew.ts"
import { Suspend, Unsuspend } from "../../operations/Suspend.ts"
import { Instances, Instances as InstancesRepository, type StoredInstance } from "../../persistence/Instances.ts"
import { type ListedInstance, OperatorLists } from "../../persistence/OperatorLists.ts"
import { Tasks } from "../../persistence/Tasks.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../WorkerNotifier.ts"
import { CommandRejected } from "../InputSchemas.ts"

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
  expires_at: instance.expiresAt === null ? null : toTimestamp(instance.expiresAt),
  auto_renew: instance.autoRenew
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

const findInstance = Effect.fnUntraced(function*(id: number) {
  const instance = yield* (yield* InstancesRepository).find(id)
  return instance === undefined || instance.lifecycle === "deleted"
    ? yield* new CommandRejected({ message: `There is no instance ${id}; "instances list" shows those there are.` })
    : instance
})

/** An instance that is idle, but for a backup, which gives way. */
const findIdle = Effect.fnUntraced(function*(id: number) {
  const instance = yield* findInstance(id)
  if (instance.task !== undefined && instance.task !== BACKUP) {
    return yield* new CommandRejected({
      message: `Instance ${id} is busy with another task (${instance.task}); try again when that is over.`
    })
  }
  return instance
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
      return yield* new CommandRejected({
        message: `Instance ${id} is ${instance.lifecycle}; only a running or stopped one can be suspended.`
      })
    }
    yield* preemptBackup(instance, at)
    yield* (yield* Instances).suspend(id, reason)
    return result(instance, "suspended", yield* enqueueAs("admin", id, Suspend.task({}), at))
  }))
  yield* (yield* WorkerNotifier).notify
  return suspended
})

/** Open to its owner again; it comes back to the power that it had. An expired one stays expired until it is paid. */
export const unsuspend = Effect.fnUntraced(function*({ id }: { id: number }) {
  const at = yield* Clock.currentTimeMillis
  const lifted = yield* (yield* Transaction).run(Effect.gen(function*() {
    const instance = yield* findIdle(id)
    const power = yield* (yield* Instances).unsuspend(id)
    if (power === undefined) return yield* new CommandRejected({ message: `Instance ${id} is not suspended.` })
    if (instance.lifecycle !== "suspended") return result(instance, instance.lifecycle, null)
    if (power === "on") return result(instance, "active", yield* enqueueAs("admin", id, Unsuspend.task({}), at))
    const entry = { instanceId: id, type: "unsuspend", actor: "admin", apiKeyId: null, requestId: null } as const
    yield* (yield* Tasks).recordAudit({ ...entry, status: "succeeded", error: null, at })
    return result(instance, "active", null)
  }))
  yield* (yield* WorkerNotifier).notify
  return lifted
})

export interface AutoRenew {
  readonly id: number
  readonly auto_renew: boolean
}

/** Runs in a transaction. */
const setRenewal = Effect.fnUntraced(function*({ auto_renew: autoRenew, id }: AutoRenew, at: number) {
  const { lifecycle } = yield* findInstance(id)
  if (lifecycle === "failed") {
    return yield* new CommandRejected({ message: `Instance ${id} was never deployed; there is nothing to renew.` })
  }
  const { subscriptions } = yield* Instances
  const before = yield* subscriptions.find(id)
  if (before?.autoRenew !== autoRenew) {
    yield* subscriptions.setAutoRenew(id, autoRenew)
    const entry = { instanceId: id, type: "set_auto_renew", actor: "admin", apiKeyId: null, requestId: null } as const
    yield* (yield* Tasks).recordAudit({ ...entry, status: "succeeded", error: null, at })
  }
  // Who has expired because it was off is renewed now, if the wallet holds the price.
  const renewed = yield* reviveOne(id, at)
  const after = yield* subscriptions.find(id)
  return {
    instance_id: id,
    auto_renew: autoRenew,
    lifecycle: after?.lifecycle ?? lifecycle,
    expires_at: after === undefined ? null : toTimestamp(after.expiresAt),
    renewed
  }
})

/** Whether the end of a period charges the next one; without it the instance expires then. */
export const setAutoRenew = Effect.fnUntraced(function*(asked: AutoRenew) {
  const at = yield* Clock.currentTimeMillis
  const result = yield* (yield* Transaction).run(setRenewal(asked, at))
  yield* (yield* WorkerNotifier).notify
  return result
})
