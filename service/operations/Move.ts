/** Moves a machine to another host, for an operator who empties its own. Capacity is reserved on both meanwhile. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Hosts } from "../persistence/Hosts.ts"
import { Instances } from "../persistence/Instances.ts"
import { hostnameOf, providerDataOf } from "./InstalledSystem.ts"
import { define } from "./Operation.ts"

/** Name of the target. */
const Params = Schema.Struct({ host: Schema.String })

export const Move = define({
  type: "move",
  params: Params,
  // The operator waits for an empty host, and the machine may be off until the move has ended.
  retry: "persistent",
  execute: ({ params }) => Effect.succeed([{ type: "move", host: params.host }]),
  complete: Effect.fnUntraced(function*({ instance }, { machine }) {
    yield* (yield* Hosts).endMove(instance.id, true)
    if (machine === null) return
    const data = providerDataOf(instance.os, machine)
    yield* (yield* Instances).setHostname(instance.id, hostnameOf(instance), data)
  }),
  // In doubt, the machine may be on either host, so both stay reserved.
  fail: Effect.fnUntraced(function*({ instance }, _, doubt) {
    if (!doubt) yield* (yield* Hosts).endMove(instance.id, false)
  }),
  recovery: {
    lifecycles: ["active", "suspended", "expired"],
    unreconciled: { left: "the machine may be on either host: evacuate the host again", supersededBy: ["move"] }
  }
})
