/** A machine at libvirt: its record, its power, and the folder of its disks. */
import * as Effect from "effect/Effect"
import type { Power } from "../../../domain/InstanceMachine.ts"
import { Busy, type Fault, Rejected, Unavailable } from "../../Driver.ts"
import { mtuOf } from "./Bridge.ts"
import { type ByHand, byHandIn, NOTHING } from "./ByHand.ts"
import { domainXml } from "./DomainXml.ts"
import { ensureFilters } from "./Filters.ts"
import { fromElement, type MachineRecord, macOf, NAMESPACE, uuidOf } from "./MachineRecord.ts"
import type { MachinePlace } from "./MachinePlaces.ts"
import { AgentFault, CODES, ConnectionLost, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain } from "./rpc/Types.ts"
import { screenXml } from "./Screen.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"
import { orElse } from "./Volumes.ts"

export interface Found {
  readonly domain: Domain
  readonly record: MachineRecord
}

const ELEMENT = 2
const LIVE = 1
const CONFIG = 2

const nothing = Effect.succeed(undefined)

/** Undefined for a machine that this driver did not define. */
const recordOf = Effect.fnUntraced(function*(connection: HostConnection, domain: Domain) {
  const metadata = (of: number) => connection.call(CALLS.metadata, [domain, ELEMENT, NAMESPACE, of])
  // A machine that arrives by a move runs without a definition of its next start.
  const read = orElse(metadata(CONFIG), [CODES.OPERATION_INVALID], metadata(LIVE))
  const element = yield* orElse(read, [CODES.NO_METADATA, CODES.NO_DOMAIN], nothing)
  return element === undefined ? undefined : fromElement(element)
})

/** The machine of a tag; undefined if it does not exist. */
export const findMachine = Effect.fnUntraced(function*(connection: HostConnection, tag: string) {
  const domain = yield* orElse(connection.call(CALLS.lookup, [uuidOf(tag)]), [CODES.NO_DOMAIN], nothing)
  if (domain === undefined) return undefined
  const record = yield* recordOf(connection, domain)
  return record === undefined ? undefined : { domain, record } satisfies Found
})

const WITH_SECRETS = 1

/** The parts of a machine's definition that an operator has added. */
export const byHandOf = Effect.fnUntraced(function*(connection: HostConnection, { ipv4, tag }: MachineRecord) {
  const definition = Effect.flatMap(
    connection.call(CALLS.lookup, [uuidOf(tag)]),
    (domain) => connection.call(CALLS.description, [domain, WITH_SECRETS + CONFIG])
  )
  const xml = yield* orElse(definition, [CODES.NO_DOMAIN], nothing)
  return xml === undefined ? NOTHING : byHandIn(xml, macOf(ipv4))
})

/**
 * Defines a machine, or changes the definition of an existing one: a running machine changes with its next start. The
 * parts that an operator has added stay; a machine that moves brings them along.
 */
export const save = Effect.fnUntraced(
  function*(connection: HostConnection, record: MachineRecord, place: MachinePlace, added?: ByHand) {
    yield* ensureFilters(connection)
    const screen = screenXml(yield* connection.peer)
    const byHand = added ?? (yield* byHandOf(connection, record))
    const mtu = yield* mtuOf(connection, place.host.bridge)
    return yield* connection.slow(CALLS.define, [
      domainXml(record, place.host, screen, place.assignment.ipv6Gateway, { byHand, mtu }),
      0
    ])
  }
)

const ALL = 1

export interface TaggedDomain {
  readonly domain: Domain
  readonly tag: string
}

/** The machines on a host, of those that `flags` select: this driver's by their records, and all others. */
export const domainsOn = Effect.fnUntraced(function*(connection: HostConnection, flags: number) {
  const own: Array<TaggedDomain> = []
  const foreign: Array<Domain> = []
  const [domains] = yield* connection.call(CALLS.list, [ALL, flags])
  for (const domain of domains) {
    const isNamed = domain.uuid === uuidOf(domain.name)
    // One that was renamed has its record.
    const tag = isNamed ? domain.name : (yield* recordOf(connection, domain))?.tag
    if (tag !== undefined && domain.uuid === uuidOf(tag)) own.push({ domain, tag })
    else foreign.push(domain)
  }
  return { own, foreign }
})

/** Like `domainsOn`, without those of others. */
export const ownDomains = (connection: HostConnection, flags: number) =>
  Effect.map(domainsOn(connection, flags), ({ own }) => own)

const OFF: ReadonlySet<number> = new Set([5, 6])

export const isOff = (state: number): boolean => OFF.has(state)

const PAUSED = 3
const IO_ERROR = 5

/** True for a machine that is paused since its disk could not be written. */
export const isPausedByStorage = (state: number, reason: number): boolean => state === PAUSED && reason === IO_ERROR

export const powerOf = (connection: HostConnection, domain: Domain): Effect.Effect<Power, CallFault> =>
  Effect.map(connection.call(CALLS.state, [domain, 0]), ([state]) => isOff(state) ? "off" : "on")

/** Starts a machine. One that runs continues. After a restart of its host, the audit starts it, and never libvirt. */
export const powerOn = (connection: HostConnection, domain: Domain) =>
  orElse(connection.slow(CALLS.create, [domain, 0]), [CODES.OPERATION_INVALID], nothing)

/** True for a machine that is off and whose memory is saved: its next start continues it. */
export const isSaved = (connection: HostConnection, domain: Domain): Effect.Effect<boolean, CallFault> =>
  Effect.map(connection.call(CALLS.hasSavedState, [domain, 0]), (saved) => saved === 1)

/**
 * Removes the saved memory of a machine before its disk or its definition changes: the next start would continue with
 * the old ones, and fail if the old disk is gone.
 */
export const discardSaved = Effect.fnUntraced(function*(connection: HostConnection, domain: Domain) {
  if (!(yield* orElse(isSaved(connection, domain), [CODES.NO_DOMAIN], Effect.succeed(false)))) return
  yield* connection.slow(CALLS.removeSavedState, [domain, 0])
  yield* Effect.logWarning(
    `Discarded the saved memory of ${domain.name}, because it changes: its next start is a boot.`
  )
})

/** Powers a machine off at once. Its next start is a boot. */
export const powerOff = (connection: HostConnection, domain: Domain) =>
  orElse(connection.slow(CALLS.destroy, [domain, 0]), [CODES.OPERATION_INVALID, CODES.NO_DOMAIN], nothing).pipe(
    Effect.andThen(discardSaved(connection, domain))
  )

/** True for a machine that runs, or whose memory is saved: it continues after an operation. */
export const continues = Effect.fnUntraced(function*(connection: HostConnection, domain: Domain) {
  return (yield* powerOf(connection, domain)) === "on" || (yield* isSaved(connection, domain))
})

const MANAGED_SAVE = 1
const SNAPSHOTS = 2

/** Removes the definition of a machine that is off. */
export const undefine = (connection: HostConnection, domain: Domain) =>
  orElse(connection.slow(CALLS.undefine, [domain, MANAGED_SAVE + SNAPSHOTS]), [CODES.NO_DOMAIN], nothing)

const BY_POWER_BUTTON = 1

/** Presses the power button: the system may shut down, or ignore it. */
export const pressPowerButton = (connection: HostConnection, domain: Domain) =>
  orElse(connection.slow(CALLS.shutdown, [domain, BY_POWER_BUTTON]), [CODES.OPERATION_INVALID], nothing)

const BUSY: ReadonlySet<number> = new Set([
  CODES.TIMEOUT,
  CODES.BLOCK_JOB_ACTIVE,
  CODES.AGENT,
  CODES.OPERATION_INVALID
])
const REJECTED: ReadonlySet<number> = new Set([CODES.XML, CODES.UNSUPPORTED, CODES.SCHEMA, CODES.INVALID_ARGUMENT])

const BAD_AGENT =
  "its guest agent gave a reply that makes no sense; restart qemu-guest-agent in it, or install it again"

/**
 * A failed call as a fault of the driver. Numbers that libvirt uses for several reasons are not judged by their text:
 * the operation is repeated, and reads the state again. Customers read the reason, so libvirt's text is not in it: it
 * may name files of the host.
 */
const toFault = (error: CallFault): Fault => {
  if (error instanceof ConnectionLost) return new Unavailable({ reason: "the connection to its host was lost" })
  if (error instanceof AgentFault) return new Rejected({ reason: BAD_AGENT })
  if (error.code === CODES.AGENT) return new Busy({ reason: "its guest agent does not reply" })
  if (BUSY.has(error.code)) return new Busy({ reason: "its host is busy with another operation on it" })
  return REJECTED.has(error.code)
    ? new Rejected({ reason: `the host rejected the operation (libvirt ${error.code})` })
    : new Unavailable({ reason: `its host reported an error (libvirt ${error.code})` })
}

const isCallFault = (error: unknown): error is CallFault =>
  error instanceof LibvirtError || error instanceof ConnectionLost || error instanceof AgentFault

export const asFault = (error: Fault | CallFault): Fault => isCallFault(error) ? toFault(error) : error

/** Turns failed calls into faults, and logs their text for the operator. */
export const withFaults = <A, E, R>(
  subject: string,
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, CallFault> | Fault, R> =>
  effect.pipe(
    Effect.tapError((error) => isCallFault(error) ? Effect.logWarning(`${subject}: ${error.message}`) : Effect.void),
    Effect.mapError((error) => isCallFault(error) ? toFault(error) : error as Exclude<E, CallFault>)
  )
