/** A machine at libvirt: its record, its power, and the folder of its disks. */
import * as Effect from "effect/Effect"
import type { Power } from "../../../domain/InstanceStatus.ts"
import { Busy, type Fault, Rejected, Unavailable } from "../../Driver.ts"
import { domainXml } from "./DomainXml.ts"
import { ensureIpv6Filter } from "./Filters.ts"
import { fromElement, type MachineRecord, NAMESPACE, uuidOf } from "./MachineRecord.ts"
import type { MachinePlace } from "./Places.ts"
import { CODES, ConnectionLost, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Domain } from "./rpc/Types.ts"
import { screenXml } from "./Screen.ts"
import type { CallFault, Session } from "./Session.ts"
import { orElse } from "./Volumes.ts"

export interface Found {
  readonly domain: Domain
  readonly record: MachineRecord
}

const ELEMENT = 2
const CONFIG = 2

const nothing = Effect.succeed(undefined)

/** The machine of a tag; undefined if it does not exist. */
export const findMachine = Effect.fnUntraced(function*(session: Session, tag: string) {
  const domain = yield* orElse(session.call(CALLS.lookup, [uuidOf(tag)]), [CODES.NO_DOMAIN], nothing)
  if (domain === undefined) return undefined
  const metadata = session.call(CALLS.metadata, [domain, ELEMENT, NAMESPACE, CONFIG])
  const element = yield* orElse(metadata, [CODES.NO_METADATA, CODES.NO_DOMAIN], nothing)
  const record = element === undefined ? undefined : fromElement(element)
  return record === undefined ? undefined : { domain, record } satisfies Found
})

/** Defines a machine, or changes the definition of an existing one: a running machine changes with its next start. */
export const save = Effect.fnUntraced(function*(session: Session, record: MachineRecord, { host }: MachinePlace) {
  if (record.ipv6 !== null) yield* ensureIpv6Filter(session)
  const screen = screenXml(yield* session.peer)
  return yield* session.slow(CALLS.define, [domainXml(record, host, screen), 0])
})

const OFF: ReadonlySet<number> = new Set([5, 6])

export const isOff = (state: number): boolean => OFF.has(state)

export const powerOf = (session: Session, domain: Domain): Effect.Effect<Power, CallFault> =>
  Effect.map(session.call(CALLS.state, [domain, 0]), ([state]) => isOff(state) ? "off" : "on")

/** Starts a machine, also after the host has been restarted. One that runs continues. */
export const powerOn = (session: Session, domain: Domain) =>
  orElse(session.slow(CALLS.create, [domain, 0]), [CODES.OPERATION_INVALID], nothing).pipe(
    Effect.andThen(session.slow(CALLS.setAutostart, [domain, 1]))
  )

/** Powers a machine off at once. */
export const powerOff = (session: Session, domain: Domain) =>
  orElse(session.slow(CALLS.destroy, [domain, 0]), [CODES.OPERATION_INVALID, CODES.NO_DOMAIN], nothing).pipe(
    Effect.andThen(orElse(session.slow(CALLS.setAutostart, [domain, 0]), [CODES.NO_DOMAIN], nothing))
  )

const MANAGED_SAVE = 1
const SNAPSHOTS = 2

/** Removes the definition of a machine that is off. */
export const undefine = (session: Session, domain: Domain) =>
  orElse(session.slow(CALLS.undefine, [domain, MANAGED_SAVE + SNAPSHOTS]), [CODES.NO_DOMAIN], nothing)

const BY_POWER_BUTTON = 1

/** Presses the power button: the system may shut down, or ignore it. */
export const pressPowerButton = (session: Session, domain: Domain) =>
  orElse(session.slow(CALLS.shutdown, [domain, BY_POWER_BUTTON]), [CODES.OPERATION_INVALID], nothing)

const BUSY: ReadonlySet<number> = new Set([
  CODES.TIMEOUT,
  CODES.BLOCK_JOB_ACTIVE,
  CODES.AGENT,
  CODES.OPERATION_INVALID
])
const REJECTED: ReadonlySet<number> = new Set([CODES.XML, CODES.UNSUPPORTED, CODES.SCHEMA, CODES.INVALID_ARGUMENT])

/**
 * A failed call as a fault of the driver. Numbers that libvirt uses for several reasons are not judged by their text:
 * the operation is repeated, and reads the state again.
 */
const toFault = (error: CallFault): Fault => {
  if (!(error instanceof LibvirtError)) return new Unavailable({ reason: error.message })
  if (BUSY.has(error.code)) return new Busy({ reason: error.message })
  // The text may name files of the host, so customers do not receive it.
  if (REJECTED.has(error.code)) {
    return new Rejected({ reason: `the host rejected the operation (libvirt ${error.code})` })
  }
  return new Unavailable({ reason: error.message })
}

export const asFault = (error: Fault | CallFault): Fault =>
  error instanceof LibvirtError || error instanceof ConnectionLost ? toFault(error) : error
