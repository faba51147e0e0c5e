/**
 * Machines on hosts with libvirt. An operation is recorded in the machine's own definition, and continued by each poll:
 * it reads the state, and takes the next step. So after a crash of the service, the daemon or the host, the next poll
 * continues where the last one ended.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../../config/Limits.ts"
import {
  Driver,
  type DriverRequest,
  type Fault,
  type MachineRef,
  Rejected,
  type Status,
  Unavailable
} from "../../Driver.ts"
import { diskVolume, type MachineRecord, volumePrefix } from "./MachineRecord.ts"
import { findMachine, powerOf, powerOff, save, toFault } from "./Machines.ts"
import { OPERATIONS } from "./Operations.ts"
import { type MachinePlace, Places } from "./Places.ts"
import { advance, finished, makeIdle, statusOf, toMachine, type Upstream } from "./Progress.ts"
import { CODES, ConnectionLost, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import { type CallFault, openSession, type Session } from "./Session.ts"
import { deleteVolume, findPool, orElse, volumesOf } from "./Volumes.ts"

const NO_MACHINE = new Rejected({ reason: "the machine does not exist" })

/** The record of a machine that is to be built. */
const newRecord = (
  { key, operation, tag }: DriverRequest,
  { assignment, size }: MachinePlace
): MachineRecord | undefined =>
  operation.type !== "provision" ? undefined : {
    tag,
    hostname: operation.hostname,
    os: operation.os,
    ...size,
    disk: diskVolume(tag, key),
    seeded: true,
    iso: null,
    bootMode: "disk",
    rescue: null,
    ipv4: assignment.address,
    bootedAt: null,
    images: {},
    pending: null,
    done: [],
    preempted: []
  }

const MANAGED_SAVE = 1
const SNAPSHOTS = 2

/** Deletes a machine with its disks, snapshots and backups, and what an interrupted attempt has left of one. */
const terminate = Effect.fnUntraced(function*(session: Session, place: MachinePlace, tag: string) {
  const found = yield* findMachine(session, tag)
  if (found !== undefined) {
    yield* powerOff(session, found.domain)
    const undefining = session.slow(CALLS.undefine, [found.domain, MANAGED_SAVE + SNAPSHOTS])
    yield* orElse(undefining, [CODES.NO_DOMAIN], Effect.void)
  }
  const pool = yield* findPool(session, place.host.pool)
  for (const volume of yield* volumesOf(session, pool, volumePrefix(tag))) yield* deleteVolume(session, volume)
})

const accept = Effect.fnUntraced(function*(upstream: Upstream, request: DriverRequest, place: MachinePlace) {
  const session = upstream.sessionOf(place.host)
  const { key, operation } = request
  const existing = yield* findMachine(session, request.tag)
  const status = existing && (yield* statusOf(upstream, request, place, existing))
  if (status !== undefined) return status
  // It was built so long ago that its key was forgotten.
  if (existing !== undefined && operation.type === "provision") return yield* finished(session, place, existing, null)
  const record = existing === undefined ? newRecord(request, place) : yield* makeIdle(upstream, place, existing)
  if (record === undefined) return yield* NO_MACHINE
  const pending = {
    key,
    type: operation.type,
    since: yield* Clock.currentTimeMillis,
    step: 0,
    wasOn: existing !== undefined && (yield* powerOf(session, existing.domain)) === "on",
    image: "image" in operation ? operation.image : null
  }
  const accepted = { ...record, pending }
  const domain = yield* save(session, accepted, place)
  return yield* advance(upstream, request, place, { domain, record: accepted })
})

const polled = Effect.fnUntraced(function*(upstream: Upstream, request: DriverRequest, place: MachinePlace) {
  const found = yield* findMachine(upstream.sessionOf(place.host), request.tag)
  if (found === undefined) return yield* NO_MACHINE
  return (yield* statusOf(upstream, request, place, found)) ?? (yield* new Rejected({ reason: "unknown operation" }))
})

const GONE: Status = { state: "done", machine: null, imageBytes: null }

/** Uses the place of a request. A machine without one is terminated already. */
const placed = Effect.fnUntraced(function*(
  upstream: Upstream,
  request: DriverRequest,
  use: (upstream: Upstream, request: DriverRequest, place: MachinePlace) => Effect.Effect<Status, Fault | CallFault>
) {
  const place = yield* upstream.places.of(request.tag)
  if (request.operation.type === "terminate") {
    if (place !== undefined) yield* terminate(upstream.sessionOf(place.host), place, request.tag)
    return GONE
  }
  return place === undefined ? yield* NO_MACHINE : yield* use(upstream, request, place)
})

const find = Effect.fnUntraced(function*({ places, sessionOf }: Upstream, tag: string) {
  const place = yield* places.of(tag)
  const session = place && sessionOf(place.host)
  const found = session && (yield* findMachine(session, tag))
  return found === undefined ? undefined : yield* toMachine(session!, place!, found)
})

const inspect = Effect.fnUntraced(function*({ places, sessionOf }: Upstream, { tag }: MachineRef) {
  const place = yield* places.of(tag)
  const session = place && sessionOf(place.host)
  const found = session && (yield* findMachine(session, tag))
  if (session === undefined || found === undefined) return yield* NO_MACHINE
  const power = yield* powerOf(session, found.domain)
  const { bootedAt } = found.record
  const now = yield* Clock.currentTimeMillis
  const uptime = power === "on" && bootedAt !== null ? Math.floor((now - bootedAt) / 1_000) : 0
  return { power, uptimeSeconds: uptime, sample: null }
})

const make = (upstream: Upstream) =>
  Driver.of({
    name: "libvirt",
    capabilities: OPERATIONS,
    submit: (request) => placed(upstream, request, accept).pipe(Effect.mapError(asFault)),
    poll: (request) => placed(upstream, request, polled).pipe(Effect.mapError(asFault)),
    find: (tag) => find(upstream, tag).pipe(Effect.mapError(({ message }) => new Unavailable({ reason: message }))),
    inspect: (machine) => inspect(upstream, machine).pipe(Effect.mapError(asFault)),
    metrics: () => Effect.fail(new Rejected({ reason: "metrics are not available on this host yet" }))
  })

const asFault = (error: Fault | CallFault): Fault =>
  error instanceof LibvirtError || error instanceof ConnectionLost ? toFault(error) : error

interface Options {
  readonly nameservers: ReadonlyArray<string>
}

/** The driver. Connections to hosts are closed with its scope. */
export const layer = ({ nameservers }: Options): Layer.Layer<Driver, never, Limits | Places> =>
  Layer.effect(
    Driver,
    Effect.gen(function*() {
      const limits = yield* Limits
      const places = yield* Places
      const sessions = new Map<string, Session>()
      yield* Effect.addFinalizer(() => Effect.sync(() => sessions.forEach((session) => session.close())))
      return make({
        places,
        sessionOf: ({ certificates, uri }) => {
          const session = sessions.get(uri) ?? openSession(uri, certificates, limits)
          sessions.set(uri, session)
          return session
        },
        settings: { ...limits, nameservers },
        pollMillis: limits.LIBVIRT_POLL_MILLIS,
        takeoverMillis: limits.LIBVIRT_TAKEOVER_MILLIS
      })
    })
  )
