/** Suspension powers the machine off; its end restores the power that the machine had. */
import * as Effect from "effect/Effect"
import { Instances } from "../persistence/Instances.ts"
import { define, NoParams } from "./Operation.ts"

/** The record is suspended already; what remains is to power the machine off. */
export const Suspend = define({
  type: "suspend",
  params: NoParams,
  // An abused machine should not stay on because its host was unavailable for a minute.
  retry: "persistent",
  execute: ({ instance }) => Effect.succeed(instance.power === "on" ? [{ type: "stop" }] : []),
  complete: ({ instance }) => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, "off")),
  recovery: {
    retryable: true,
    lifecycles: ["suspended"],
    unreconciled: { left: "the machine may still be on" }
  }
})

/** Queued only if the machine was on before. */
export const Unsuspend = define({
  type: "unsuspend",
  params: NoParams,
  retry: "persistent",
  execute: ({ instance }) => Effect.succeed([{ type: "start", bootMode: instance.bootMode }]),
  complete: ({ instance }) => Effect.flatMap(Instances, ({ setPower }) => setPower(instance.id, "on")),
  recovery: { retryable: true, lifecycles: ["active"] }
})
