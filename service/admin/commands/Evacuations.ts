/** The commands that take instances from one host to others. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { evacuate, fence, type Relocated } from "../../operations/Relocation.ts"
import { Hosts } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { reject } from "../CommandRejected.ts"
import type { Input } from "../InputSchemas.ts"
import { HostName, hostNamed } from "./Hosts.ts"

const toRecord = ({ detail, instanceId, target }: Relocated) => ({ instance_id: instanceId, target, detail })

export const Evacuation = () => Schema.Struct({ name: HostName, dry_run: Schema.Boolean })

export const evacuateHost = Effect.fnUntraced(function*({ dry_run: isTrial, name }: Input<typeof Evacuation>) {
  const host = yield* hostNamed(name)
  if (host.unreachableSince !== null) {
    return yield* reject(`Host ${name} does not respond. If it is off, run: hosts fence ${name} --confirmed-off`)
  }
  if (!isTrial) yield* (yield* Transaction).run((yield* Hosts).setState(host.id, "draining"))
  return (yield* evacuate(host, isTrial)).map(toRecord)
})

export const Fence = () => Schema.Struct({ name: HostName, confirmed_off: Schema.Boolean })

export const fenceHost = Effect.fnUntraced(function*({ confirmed_off: isOff, name }: Input<typeof Fence>) {
  const host = yield* hostNamed(name)
  if (host.unreachableSince === null && host.state !== "offline") {
    return yield* reject(`Host ${name} responds. Run "hosts evacuate ${name}" instead.`)
  }
  if (!isOff) {
    return yield* reject(
      `Power host ${name} off, and make sure that it stays off: a guest that runs twice destroys its disk. Then repeat `
        + "this command with --confirmed-off."
    )
  }
  yield* (yield* Transaction).run((yield* Hosts).setState(host.id, "offline"))
  return (yield* fence(host)).map(toRecord)
})
