/** Power on, power off, reboot: answered at once, done by the task. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ActionResult } from "#contract/Instance"
import type { Caller } from "../domain/Caller.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { Wake } from "../Wake.ts"
import { admit, findOwn, openTask, publicStatus } from "./Begin.ts"

export type PowerAction = "start" | "stop" | "restart"

/** Runs in one transaction. */
const begin = Effect.fnUntraced(function*(caller: Caller, instanceId: number, action: PowerAction) {
  const instance = yield* findOwn(caller, instanceId)
  if (!(yield* admit(instance, action))) {
    return { ok: true, action, status: publicStatus(instance), task_id: null } satisfies ActionResult
  }
  const at = yield* Clock.currentTimeMillis
  const taskId = yield* openTask(caller, instanceId, { type: action, params: "{}", at, leaseUntil: null })
  const status = publicStatus({ ...instance, task: action })
  return { ok: true, action, status, task_id: taskId } satisfies ActionResult
})

/**
 * Begins a power action; what is done already answers success with no task.
 * Fails with `InstanceNotFound`, `InstanceBusy`, `InvalidState` or `StorageUnavailable`.
 */
export const operate = Effect.fnUntraced(function*(caller: Caller, instanceId: number, action: PowerAction) {
  const result = yield* (yield* Transaction).run(begin(caller, instanceId, action))
  if (result.task_id !== null) yield* (yield* Wake).worker
  return result
})
