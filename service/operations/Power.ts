/** Power on, power off, and reboot. A reboot starts a machine that is off. */
import * as Effect from "effect/Effect"
import type { Caller } from "../domain/Caller.ts"
import { admit, findOwn } from "../instances/Admission.ts"
import { Instances } from "../persistence/Instances.ts"
import { commitAndNotify, enqueue, nothingToDo } from "./Enqueue.ts"
import { define, NoParams } from "./Operation.ts"

export type PowerAction = "start" | "stop" | "restart"

const powerOperation = <const T extends PowerAction>(type: T) =>
  define<T, NoParams>({
    type,
    params: NoParams,
    retry: "default",
    execute: ({ instance: { bootMode } }) => {
      const action: PowerAction = type
      return Effect.succeed([action === "stop" ? { type: action } : { type: action, bootMode }])
    },
    // A machine that was on already does not boot by a start.
    complete: ({ instance: { id, power } }) =>
      type === "start" && power === "on"
        ? Effect.void
        : Effect.flatMap(Instances, ({ setPower }) => setPower(id, type === "stop" ? "off" : "on")),
    recovery: { retryable: true }
  })

export const Start = powerOperation("start")
export const Stop = powerOperation("stop")
export const Restart = powerOperation("restart")

const POWER = { start: Start, stop: Stop, restart: Restart }

/**
 * Requests a power action; if its outcome holds already, the answer is a success without a task.
 * Fails with `InstanceNotFound`, `InstanceBusy`, `InvalidState` or `StorageUnavailable`.
 */
export const operate = Effect.fnUntraced(function*(caller: Caller, instanceId: number, action: PowerAction) {
  const instance = yield* findOwn(caller, instanceId)
  if (!(yield* admit(instance, action))) return nothingToDo(instance, action)
  return yield* enqueue(caller, instance, POWER[action].task({}))
}, commitAndNotify)
