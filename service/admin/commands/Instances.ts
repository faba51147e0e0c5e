/** The commands for instances of all accounts: lists, the comparison with the machines on hosts, and their end. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { enqueueAs, preemptBackup } from "../../operations/Enqueue.ts"
import { beginTermination } from "../../operations/Terminate.ts"
import { mailDeleted, mailSuspended, mailUnsuspended } from "../../operations/ContractMails.ts"
import { Suspend, Unsuspend } from "../../operations/Suspend.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { notFound, reject } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import { addFacts, type UseCases } from "../UseCases.ts"
import type { Finding } from "../../domain/Finding.ts"
import { compareForHold } from "../../operations/DeploymentHold.ts"
import { findDifferences, repair } from "../../operations/MachineAudit.ts"
import { setAutoRenew as renewAutomatically } from "../../billing/Renewals.ts"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import { statusOf } from "../../domain/InstanceMachine.ts"
import { toAmount } from "../../domain/Money.ts"
import { BACKUP } from "../../instances/Admission.ts"
import { Instances as InstancesRepository, type StoredInstance, type Suspension } from "../../persistence/Instances.ts"
import { type ListedInstance, OperatorLists } from "../../persistence/OperatorLists.ts"
import { DeploymentHolds } from "../../persistence/DeploymentHolds.ts"
import { Tasks } from "../../persistence/Tasks.ts"
import type { Lifecycle } from "../../contract/Words.ts"

/** Ends an instance at once, as the end of a grace period does. It is final, and the owner gets no refund. */
export const terminate = Effect.fnUntraced(function*({ id }: InputOf<"instances.terminate">) {
  const at = yield* Clock.currentTimeMillis
  const terminated = yield* (yield* Transaction).run(Effect.gen(function*() {
    const instance = yield* findIdle(id)
    const { lifecycle } = instance
    if (lifecycle === "failed" || lifecycle === "pending") {
      return yield* reject(`Instance ${id} is ${lifecycle}. Only a deployed instance can be terminated.`)
    }
    yield* preemptBackup(instance, at)
    yield* mailDeleted(id, true, at)
    return { instance_id: id, lifecycle: "expired" as const, task_id: yield* beginTermination("admin", id, at) }
  }))
  yield* (yield* WorkerNotifier).notify
  return terminated
})

const toFindingRecord = (finding: Finding, repaired: ReadonlyArray<Finding>) => ({
  kind: finding.kind,
  machine: finding.tag,
  instance_id: finding.instanceId,
  hosts: finding.hosts,
  detail: finding.detail,
  repair: finding.repair,
  repaired: repaired.includes(finding)
})

const auditMachines = Effect.fnUntraced(function*(input: InputOf<"machines.audit">) {
  const findings = yield* findDifferences("all")
  const repaired = input.repair ? yield* repair(findings) : []
  return findings.map((finding) => toFindingRecord(finding, repaired))
})

/** The contents of the hosts are taken in before: their ids and addresses are not used again. */
const confirmMachines = Effect.fnUntraced(function*() {
  const holds = yield* DeploymentHolds
  const hold = yield* holds.find
  if (hold === undefined) return yield* reject("No deployment waits for a comparison of the machines.")
  const { unknown } = yield* compareForHold
  yield* (yield* Transaction).run(holds.end)
  yield* (yield* WorkerNotifier).notify
  return {
    reason: hold.reason,
    since: toTimestamp(hold.since),
    without_instance: unknown.map(({ tag }) => tag)
  }
})

const toRecord = (instance: ListedInstance) => ({
  id: instance.id,
  account_id: instance.accountId,
  status: statusOf(instance, instance.taskRunning),
  plan: instance.plan,
  hostname: instance.hostname,
  ipv4: instance.ipv4,
  task: instance.task ?? null,
  suspended_reason: instance.suspendedReason,
  suspended_note: instance.suspendedNote,
  created_at: toTimestamp(instance.createdAt),
  expires_at: toOptionalTimestamp(instance.expiresAt),
  auto_renew: instance.autoRenew
})

export const listInstances = Effect.fnUntraced(function*(input: InputOf<"instances.list">) {
  const { account_id, before, id, lifecycle, limit, search } = input
  const filter = {
    id: id ?? null,
    accountId: account_id ?? null,
    lifecycle: lifecycle ?? null,
    search: search ?? null,
    before: before ?? null
  }
  return (yield* (yield* OperatorLists).instances(filter, limit)).map(toRecord)
})

const showInstance = Effect.fnUntraced(function*({ id }: InputOf<"instances.show">) {
  const instance = yield* (yield* OperatorLists).instance(id)
  if (instance === undefined) return yield* notFound("instance", id)
  return {
    ...toRecord(instance),
    account_email: instance.email,
    ipv6: instance.ipv6,
    host: instance.host,
    machine: instance.tag,
    plan_name: instance.planName,
    data_center: instance.dataCenter,
    price: toAmount(instance.price),
    currency: instance.currency,
    deleted_at: toOptionalTimestamp(instance.deletedAt)
  }
})

/** Fails with `CommandRejected` if it does not exist, or is deleted. */
const findInstance = Effect.fnUntraced(function*(id: number) {
  const instance = yield* (yield* InstancesRepository).find(id)
  if (instance === undefined || instance.lifecycle === "deleted") return yield* notFound("instance", id)
  yield* addFacts({ account_id: instance.accountId })
  return instance
})

/** An instance that is idle, or has only a backup in progress, which is preempted. */
export const findIdle = Effect.fnUntraced(function*(id: number) {
  const instance = yield* findInstance(id)
  if (instance.task !== undefined && instance.task !== BACKUP) {
    return yield* reject(`Instance ${id} is busy with another task (${instance.task}). Retry when it has ended.`)
  }
  return instance
})

/** The author of a task, for the activity feed. */
export const BY_OPERATOR = { actor: "admin", apiKeyId: null, requestId: null } as const

const result = ({ id }: StoredInstance, lifecycle: Lifecycle, taskId: number | null) => ({
  instance_id: id,
  lifecycle,
  task_id: taskId
})

/** Part of a transaction. The task powers off the machine. */
export const closeToOwner = Effect.fnUntraced(function*(id: number, suspension: Suspension, at: number) {
  const instance = yield* findIdle(id)
  if (instance.lifecycle !== "active") {
    return yield* reject(`Instance ${id} is ${instance.lifecycle}. Only an active instance can be suspended.`)
  }
  yield* preemptBackup(instance, at)
  yield* (yield* InstancesRepository).suspend(id, suspension)
  yield* mailSuspended(id, suspension, at)
  return result(instance, "suspended", yield* enqueueAs("admin", id, Suspend.task({}), at))
})

/** Closes an instance to its owner. Its paid period pauses, unless the operator says that it is charged as before. */
export const suspend = Effect.fnUntraced(function*(input: InputOf<"instances.suspend">) {
  const { charged = false, id, note, reason } = input
  const at = yield* Clock.currentTimeMillis
  const suspension = { reason, note: note ?? null, freeSince: charged ? null : at, frozen: false }
  const suspended = yield* (yield* Transaction).run(closeToOwner(id, suspension, at))
  yield* (yield* WorkerNotifier).notify
  return { ...suspended, charged }
})

/** Part of a transaction. An expired instance remains expired until paid. */
export const openToOwner = Effect.fnUntraced(function*(id: number, at: number) {
  const instance = yield* findIdle(id)
  const power = yield* (yield* InstancesRepository).unsuspend(id, at)
  if (power === undefined) return yield* reject(`Instance ${id} is not suspended.`)
  yield* mailUnsuspended(id, at)
  if (instance.lifecycle !== "suspended") return result(instance, instance.lifecycle, null)
  if (power === "on") return result(instance, "active", yield* enqueueAs("admin", id, Unsuspend.task({}), at))
  yield* (yield* Tasks).recordAudit({
    ...BY_OPERATOR,
    instanceId: id,
    type: "unsuspend",
    status: "succeeded",
    error: null,
    at
  })
  return result(instance, "active", null)
})

/** Opens an instance to its owner and restores its power state. */
export const unsuspend = Effect.fnUntraced(function*({ id }: { id: number }) {
  const at = yield* Clock.currentTimeMillis
  const lifted = yield* (yield* Transaction).run(openToOwner(id, at))
  yield* (yield* WorkerNotifier).notify
  return lifted
})

type AutoRenew = InputOf<"instances.auto_renew">

/** Runs in a transaction. */
const setRenewal = Effect.fnUntraced(function*({ auto_renew: autoRenew, id }: AutoRenew, at: number) {
  const { lifecycle } = yield* findInstance(id)
  const { renewed, subscription } = yield* renewAutomatically(id, autoRenew, BY_OPERATOR, at).pipe(
    Effect.catchTag("NotRenewable", ({ message }) => Effect.fail(reject(message)))
  )
  return {
    instance_id: id,
    auto_renew: autoRenew,
    lifecycle: subscription?.lifecycle ?? lifecycle,
    expires_at: subscription === undefined ? null : toTimestamp(subscription.expiresAt),
    renewed
  }
})

/** Sets if the end of a period charges the next one; otherwise the instance expires then. */
export const setAutoRenew = Effect.fnUntraced(function*(input: AutoRenew) {
  const at = yield* Clock.currentTimeMillis
  const result = yield* (yield* Transaction).run(setRenewal(input, at))
  yield* (yield* WorkerNotifier).notify
  return result
})

export const INSTANCES_USE_CASES = {
  "instances.terminate": terminate,
  "machines.audit": auditMachines,
  "machines.confirm": confirmMachines,
  "instances.list": listInstances,
  "instances.show": showInstance,
  "instances.suspend": suspend,
  "instances.unsuspend": unsuspend,
  "instances.auto_renew": setAutoRenew
} satisfies UseCases
