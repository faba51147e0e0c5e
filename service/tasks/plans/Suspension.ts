/** What a suspension, and its end, mean to the machine: it goes off, and comes back to what it was. */
import * as Effect from "effect/Effect"
import { Instances } from "../../persistence/Instances.ts"
import { nothingToRecord, PAID_BUDGET, type Saga, type TaskContext } from "../../operations/Saga.ts"

/** The record is suspended already; what remains is to power the machine off. */
export const suspend = ({ instance }: TaskContext): Saga => ({
  // A machine that is misused should not run on because its host was away for a minute.
  retry: PAID_BUDGET,
  steps: Effect.succeed(instance.power === "on" ? [{ type: "stop" }] : []),
  complete: () => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, "off")),
  fail: nothingToRecord,
  compensation: null
})

/** Queued only when the machine was on before. */
export const unsuspend = ({ instance }: TaskContext): Saga => ({
  retry: PAID_BUDGET,
  steps: Effect.succeed([{ type: "start", bootMode: instance.bootMode }]),
  complete: () => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, "on")),
  fail: nothingToRecord,
  compensation: null
})
