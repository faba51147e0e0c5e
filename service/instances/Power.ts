/** Power on, power off, reboot: answered at once, done by the task. */
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import { admit, commitAndNotify, enqueue, findOwn, nothingToDo } from "./Admission.ts"

export type PowerAction = "start" | "stop" | "restart"

/** Runs in one transaction. */
const switched = Effect.fnUntraced(function*(caller: Caller, instanceId: number, type: PowerAction) {
  const instance = yield* findOwn(caller, instanceId)
  if (!(yield* admit(instance, type))) return nothingToDo(instance, type)
  return yield* enqueue(caller, instance, { type, params: "{}" })
})

/**
 * Begins a power action; what is done already answers success with no task.
 * Fails with `InstanceNotFound`, `InstanceBusy`, `InvalidState` or `StorageUnavailable`.
 */
export const operate = (caller: Caller, instanceId: number, action: PowerAction) =>
  commitAndNotify(switched(caller, instanceId, action))
