/** Takes a machine down for good. What a failed provisioning left behind goes the same way; it stays `failed`. */
import * as Effect from "effect/Effect"
import { Instances } from "../../persistence/Instances.ts"
import { type Job, noFailure, PAID, type Plan } from "../Plan.ts"

export const terminate = ({ instance }: Job): Plan => ({
  // A machine that is forgotten at the upstream costs money for ever.
  patience: PAID,
  steps: Effect.succeed([{ type: "terminate" }]),
  complete: () =>
    instance.lifecycle === "failed"
      ? Effect.void
      : Effect.flatMap(Instances, ({ setLifecycle }) => setLifecycle(instance.id, "deleted")),
  fail: noFailure,
  undo: null
})
