/**
 * Machines on a host that an operator declared off, and that came back: their instances run elsewhere now, with the
 * same addresses, and perhaps on the same disk.
 */
import * as Effect from "effect/Effect"
import { type Host, Hosts } from "../../../persistence/Hosts.ts"
import { Instances } from "../../../persistence/Instances.ts"
import { idOf } from "../../Driver.ts"
import { ownDomains, powerOff } from "./Machines.ts"
import { CODES } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { HostConnection } from "./HostConnection.ts"
import { orElse } from "./Volumes.ts"

const ACTIVE = 1
const AUTOSTART = 1024

/**
 * Keeps libvirt from starting machines by itself, which earlier versions of this driver wanted: after a restart of a
 * host, only the service knows which of them still belong to it.
 */
export const disableAutostart = Effect.fnUntraced(function*(connection: HostConnection) {
  for (const domain of yield* ownDomains(connection, AUTOSTART)) {
    yield* orElse(connection.slow(CALLS.setAutostart, [domain, 0]), [CODES.NO_DOMAIN], Effect.void)
  }
})

/** True for a machine whose instance has its record elsewhere, or none any more. One of no instance is unknown. */
const isStale = Effect.fnUntraced(function*(tag: string, host: Host) {
  const id = idOf(tag)
  if (id === undefined) return false
  const reservation = yield* (yield* Hosts).reservation(id)
  if (reservation !== undefined) return reservation.hostId !== host.id && reservation.targetId !== host.id
  return (yield* (yield* Instances).find(id)) !== undefined
})

/** Powers the machines off that a host may not run any more; returns their tags. Their disks and definitions stay. */
const stopStale = Effect.fnUntraced(function*(connection: HostConnection, host: Host) {
  const stopped: Array<string> = []
  for (const domain of yield* ownDomains(connection, ACTIVE)) {
    // Read just before: a command may have given the machine back.
    if (!(yield* isStale(domain.name, host))) continue
    yield* powerOff(connection, domain)
    stopped.push(domain.name)
  }
  return stopped
})

export interface StaleOptions {
  /** Machines that run a second time are powered off, or only reported. */
  readonly staleMachines: "stop" | "report"
}

const REMEDY = "Power it off. To use it again, remove the machines that run elsewhere from it, and activate it: see "
  + "\"When a host dies\" in docs/real-instances.md."

/** A host that was declared off responds. `isNew`: it did not at the check before. */
export const endStale = (
  connection: HostConnection,
  host: Host,
  { isNew, staleMachines }: StaleOptions & { readonly isNew: boolean }
) =>
  Effect.gen(function*() {
    if (isNew) yield* Effect.logError(`Host ${host.name} was declared off, but it responds. ${REMEDY}`)
    yield* disableAutostart(connection)
    if (staleMachines === "report") return
    for (const tag of yield* stopStale(connection, host)) {
      yield* Effect.logError(`Powered ${tag} off on host ${host.name}: its record is not there any more.`)
    }
  }).pipe(Effect.catch(({ message }) => Effect.logError(`Host ${host.name}: ${message}`)))
