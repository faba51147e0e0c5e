/** What a suspension, and its end, mean to the machine: it goes off, and comes back to what it was. */
import * as Effect from "effect/Effect"
import { Instances } from "../../persistence/Instances.ts"
import { type Job, noFailure, PAID, type Plan } from "../Plan.ts"

/** The record is suspended already; what remains is to power the machine off. */
export const suspend = ({ instance }: Job): Plan => ({
  // A machine that is misused should not run on because its host was away for a minute.
  patience: PAID,
  steps: Effect.succeed(instance.power === "on" ? [{ type: "stop" }] : []),
  complete: () => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, "off")),
  fail: noFailure,
  undo: null
})

/** Queued only when the machine was on before. */
export const unsuspend = ({ instance }: Job): Plan => ({
  patience: PAID,
  steps: Effect.succeed([{ type: "start", bootMode: instance.bootMode }]),
  complete: () => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, "on")),
  fail: noFailure,
  undo: null
})
