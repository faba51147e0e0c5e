/** What every operation on an instance begins with: whose is it, is it idle, does its state allow it. */
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import { InstanceBusy, InstanceNotFound, InvalidState } from "../domain/Errors.ts"
import { type Operation, verdict } from "../domain/InstanceMachine.ts"
import { statusOf } from "../domain/InstanceStatus.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { type NewTask, Tasks, type TaskType } from "../persistence/Tasks.ts"

/** The caller's own instance. */
export const findOwn = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const found = yield* (yield* Instances).find(instanceId)
  const own = found !== undefined && found.accountId === caller.accountId && found.lifecycle !== "deleted"
  return own ? found : yield* new InstanceNotFound({ instanceId })
})

/** The public status of an instance whose open task, if any, is not in work yet. */
export const publicStatus = (instance: StoredInstance): string => statusOf(instance, false)

/** Busy first, then the state. True when there is something to do, false when it is done already. */
export const admit = Effect.fnUntraced(function*(instance: StoredInstance, operation: Operation) {
  if (instance.task !== undefined) return yield* new InstanceBusy({ taskType: instance.task })
  const allowed = verdict(operation, instance)
  if (allowed === "no") return yield* new InvalidState({ operation, status: publicStatus(instance) })
  return allowed === "yes"
})

/** Opens a task of the caller's; with a lease the caller itself does the work at once. */
export const openTask = Effect.fnUntraced(function*(
  caller: Caller,
  instanceId: number,
  task: Pick<NewTask, "params" | "at" | "leaseUntil"> & { readonly type: TaskType }
) {
  return yield* (yield* Tasks).insert({
    ...task,
    instanceId,
    actor: "api_key",
    apiKeyId: caller.apiKeyId,
    requestId: caller.requestId,
    sealed: null,
    runAt: task.at
  })
})
