/** Power on, power off, reboot. A reboot of a machine that is off starts it. */
import * as Effect from "effect/Effect"
import { Instances } from "../../persistence/Instances.ts"
import { DEFAULT_BUDGET, nothingToRecord, type Saga, type TaskContext } from "../../operations/Saga.ts"

export const power = ({ instance }: TaskContext, type: "start" | "stop" | "restart"): Saga => ({
  retry: DEFAULT_BUDGET,
  steps: Effect.succeed([type === "stop" ? { type } : { type, bootMode: instance.bootMode }]),
  complete: () => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, type === "stop" ? "off" : "on")),
  fail: nothingToRecord,
  compensation: null
})
