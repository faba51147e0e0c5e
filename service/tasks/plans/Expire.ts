/** Powers an expired machine off. Who has paid meanwhile gets it back at once. */
import * as Effect from "effect/Effect"
import { reviveOne } from "../../billing/Renewal.ts"
import { Instances } from "../../persistence/Instances.ts"
import { PAID_BUDGET, type Saga, type TaskContext } from "../../operations/Saga.ts"

export const expire = ({ instance }: TaskContext): Saga => ({
  // A machine that nobody pays for should not run on because its host was away for a minute.
  retry: PAID_BUDGET,
  steps: Effect.succeed(instance.power === "on" ? [{ type: "stop" }] : []),
  complete: Effect.fnUntraced(function*(_, at) {
    yield* (yield* Instances).setPower(instance.id, "off")
    yield* reviveOne(instance.id, at)
  }),
  fail: (at) => Effect.asVoid(reviveOne(instance.id, at)),
  compensation: null
})
