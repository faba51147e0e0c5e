/** Expiry powers the machine off. A customer who has paid meanwhile gets it back at once. */
import * as Effect from "effect/Effect"
import { Instances } from "../persistence/Instances.ts"
import { define, NoParams } from "./Operation.ts"
import { reviveOne } from "./Renew.ts"

export const Expire = define({
  type: "expire",
  params: NoParams,
  // An unpaid machine should not stay on because its host was unavailable for a minute.
  retry: "persistent",
  execute: ({ instance }) => Effect.succeed(instance.power === "on" ? [{ type: "stop" }] : []),
  decidesByWallet: true,
  complete: Effect.fnUntraced(function*({ instance }, _, at) {
    yield* (yield* Instances).setPower(instance.id, "off")
    yield* reviveOne(instance.id, at)
  }),
  fail: ({ instance }, at) => Effect.asVoid(reviveOne(instance.id, at)),
  recovery: {
    retryable: true,
    lifecycles: ["expired"],
    unreconciled: { left: "the machine may still be on" }
  }
})
