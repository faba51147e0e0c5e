/** The commands that take instances from one host to others. */
import * as Effect from "effect/Effect"
import { fence, type Reach } from "../../operations/HostFencing.ts"
import { evacuate, type Relocated } from "../../operations/Relocation.ts"
import { type Host, Hosts } from "../../persistence/Hosts.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { HostAdmin } from "../../provisioning/HostAdmin.ts"
import { reject } from "../Input.ts"
import { hostNamed, responds, sharersOf } from "./Hosts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

const toRecord = ({ detail, instanceId, target }: Relocated) => ({ instance_id: instanceId, target, detail })

const evacuateHost = Effect.fnUntraced(function*(input: InputOf<"hosts.evacuate">) {
  const { allow_downtime: allowsDowntime = false, dry_run: isTrial, name } = input
  const host = yield* hostNamed(name)
  if (host.unreachableSince !== null) {
    return yield* reject(`Host ${name} does not respond. If it is off, run: hosts fence ${name} --confirmed-off`)
  }
  if (!isTrial) yield* (yield* Transaction).run((yield* Hosts).setState(host.id, "draining"))
  return (yield* evacuate(host, isTrial, allowsDowntime)).map(toRecord)
})

/** The backups that other hosts see of what a host that is off has stored. */
const reachOf = Effect.fnUntraced(function*(host: Host) {
  const backups = new Map<number, ReadonlySet<number>>()
  const failures: Array<string> = []
  for (const other of (yield* sharersOf(host)).filter(responds)) {
    yield* Effect.match((yield* HostAdmin).backups(other), {
      onSuccess: (ids) => backups.set(other.id, new Set(ids)),
      onFailure: ({ message }) => failures.push(`Host ${other.name}: ${message}`)
    })
  }
  return { backups, failures } satisfies Reach
})

const fenceHost = Effect.fnUntraced(function*(input: InputOf<"hosts.fence">) {
  const { confirmed_off: isOff, dry_run: isTrial = false, from_backups: isConfirmed, name } = input
  const host = yield* hostNamed(name)
  if (host.unreachableSince === null && host.state !== "offline") {
    return yield* reject(`Host ${name} responds. Run "hosts evacuate ${name}" instead.`)
  }
  if (!isOff && !isTrial) {
    return yield* reject(
      `Power host ${name} off, and make sure that it stays off: a guest that runs twice destroys its disk. Then repeat `
        + "this command with --confirmed-off."
    )
  }
  if (!isTrial) yield* (yield* Transaction).run((yield* Hosts).setState(host.id, "offline"))
  return (yield* fence(host, yield* reachOf(host), isConfirmed, isTrial)).map(toRecord)
})

export const EVACUATIONS_USE_CASES = {
  "hosts.evacuate": evacuateHost,
  "hosts.fence": fenceHost
} satisfies UseCases
