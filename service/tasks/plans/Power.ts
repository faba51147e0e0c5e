/** Power on, power off, reboot. A reboot of a machine that is off starts it. */
import * as Effect from "effect/Effect"
import { Instances } from "../../persistence/Instances.ts"
import { type Job, noFailure, type Plan, USUAL } from "../Plan.ts"

export const power = ({ instance }: Job, type: "start" | "stop" | "restart"): Plan => ({
  patience: USUAL,
  steps: Effect.succeed([type === "stop" ? { type } : { type, bootMode: instance.bootMode }]),
  complete: () => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, type === "stop" ? "off" : "on")),
  fail: noFailure,
  undo: null
})
