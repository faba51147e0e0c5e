/**
 * Machines on hosts with libvirt. An operation is recorded in the machine's own definition, and continued by each poll:
 * it reads the state, and takes the next step. So after a crash of the service, the daemon or the host, the next poll
 * continues where the last one ended.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Semaphore from "effect/Semaphore"
import { Limits } from "../../../config/Limits.ts"
import type { Power } from "../../../domain/InstanceMachine.ts"
import { FINEST_STEP_SECONDS } from "../../../domain/Metrics.ts"
import { MetricsStore } from "../../../persistence/metrics/MetricsStore.ts"
import {
  Busy,
  Driver,
  type DriverRequest,
  type Fault,
  type MachineRef,
  type MetricsWindow,
  type OperationOf,
  Rejected,
  type Status,
  Unavailable
} from "../../Driver.ts"
import { consoleOf } from "./Console.ts"
import { findOrAdopt } from "./Adoption.ts"
import { thawLeft } from "./Freeze.ts"
import { listHost } from "./Listing.ts"
import { diskVolume, newRecord } from "./MachineRecord.ts"
import { continues, findMachine, isOff, isPausedByStorage, powerOff, save, undefine, withFaults } from "./Machines.ts"
import { advance, forget, makeIdle, OPERATIONS, statusOf, toMachine, type Upstream } from "./Progress.ts"
import { protect } from "./Protection.ts"
import { continueMove } from "./Moves.ts"
import { type MachinePlace, Places } from "./MachinePlaces.ts"
import { type CallFault, type HostConnection, HostConnections } from "./HostConnection.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import { deleteVolume, volumesOn } from "./Volumes.ts"

const NO_MACHINE = new Rejected({ reason: "the machine does not exist" })

/** Deletes a machine with the volumes that were made for it, and what an interrupted attempt has left of them. */
const terminate = Effect.fnUntraced(function*(connection: HostConnection, place: MachinePlace, tag: string) {
  const found = yield* findMachine(connection, tag)
  if (found !== undefined) {
    yield* powerOff(connection, found.domain)
    yield* undefine(connection, found.domain)
  }
  for (const volume of yield* volumesOn(connection, place.host, tag)) {
    yield* deleteVolume(connection, volume)
  }
})

/** Another order must never get a machine that exists. */
const foreign = Effect.fnUntraced(function*(tag: string) {
  yield* Effect.logError(
    `A new instance was to get ${tag}, which another provision made. Its order failed; look at both: machines audit.`
  )
  return yield* new Rejected({ reason: "the host has a machine of that name already, which another order made" })
})

const accept = Effect.fnUntraced(function*(upstream: Upstream, request: DriverRequest, place: MachinePlace) {
  const connection = upstream.connectionTo(place.host)
  const { key, operation } = request
  const look = operation.type === "provision"
    ? findMachine(connection, request.tag)
    : findOrAdopt(upstream, place, request.tag)
  const existing = yield* look
  const status = existing && (yield* statusOf(upstream, request, place, existing))
  if (status !== undefined) return status
  if (existing !== undefined && operation.type === "provision") return yield* foreign(request.tag)
  if (existing === undefined && operation.type !== "provision") return yield* NO_MACHINE
  const record = existing === undefined
    ? newRecord(request.tag, place, operation as OperationOf<"provision">, diskVolume(request.tag, key))
    : yield* makeIdle(upstream, place, existing)
  const pending = {
    key,
    type: operation.type,
    since: yield* Clock.currentTimeMillis,
    step: 0,
    wasOn: existing !== undefined && (yield* continues(connection, existing.domain)),
    image: "image" in operation ? operation.image : null
  }
  const accepted = { ...record, pending }
  const domain = yield* save(connection, accepted, place)
  return yield* advance(upstream, request, place, { domain, record: accepted })
})

const polled = Effect.fnUntraced(function*(upstream: Upstream, request: DriverRequest, place: MachinePlace) {
  const found = yield* findMachine(upstream.connectionTo(place.host), request.tag)
  if (found === undefined) return yield* NO_MACHINE
  return (yield* statusOf(upstream, request, place, found)) ?? (yield* new Rejected({ reason: "unknown operation" }))
})

/** The place of a machine. Fails at once while its host does not respond, so that tasks do not occupy the worker. */
const reachable = Effect.fnUntraced(function*(places: Places["Service"], tag: string) {
  const place = yield* places.of(tag)
  if (place === undefined) return undefined
  if (place.host.unreachableSince === null && place.host.state !== "offline") return place
  return yield* new Busy({ reason: "the host of the instance does not respond", isHostDown: true })
})

const GONE: Status = { state: "done", machine: null, imageBytes: null }

/** Uses the place of a request. A machine without one is terminated already. */
const placed = Effect.fnUntraced(function*(
  upstream: Upstream,
  request: DriverRequest,
  use: (upstream: Upstream, request: DriverRequest, place: MachinePlace) => Effect.Effect<Status, Fault | CallFault>
) {
  const place = yield* reachable(upstream.places, request.tag)
  if (request.operation.type === "terminate") {
    if (place !== undefined) yield* terminate(upstream.connectionTo(place.host), place, request.tag)
    yield* upstream.store.remove(request.tag)
    return GONE
  }
  if (place === undefined) return yield* NO_MACHINE
  const { operation } = request
  if (operation.type === "move") return yield* continueMove(upstream, request, place, operation)
  return yield* use(upstream, request, place)
})

const find = Effect.fnUntraced(function*({ places, connectionTo }: Upstream, tag: string) {
  const place = yield* reachable(places, tag)
  const connection = place && connectionTo(place.host)
  const found = connection && (yield* findMachine(connection, tag))
  return found === undefined ? undefined : toMachine(place!, found)
})

const abandon = Effect.fnUntraced(function*(upstream: Upstream, tag: string, keys: string) {
  const place = yield* reachable(upstream.places, tag)
  const found = place && (yield* findMachine(upstream.connectionTo(place.host), tag))
  if (found !== undefined) yield* forget(upstream, place!, found, keys)
})

const thaw = Effect.fnUntraced(function*({ places, connectionTo }: Upstream, tag: string) {
  const place = yield* reachable(places, tag)
  const found = place && (yield* findMachine(connectionTo(place.host), tag))
  if (found === undefined) return yield* NO_MACHINE
  yield* thawLeft(connectionTo(place!.host), place!, found)
})

const resume = Effect.fnUntraced(function*({ places, connectionTo }: Upstream, tag: string) {
  const place = yield* reachable(places, tag)
  const found = place && (yield* findMachine(connectionTo(place.host), tag))
  if (found === undefined) return yield* NO_MACHINE
  yield* connectionTo(place!.host).slow(CALLS.resume, [found.domain])
})

const protectOne = Effect.fnUntraced(function*({ places, connectionTo }: Upstream, tag: string) {
  const place = yield* reachable(places, tag)
  const found = place && (yield* findMachine(connectionTo(place.host), tag))
  if (found === undefined) return yield* NO_MACHINE
  yield* protect(connectionTo(place!.host), place!, found)
})

/** Until a sample is too old to be the current one. */
const SAMPLE_MILLIS = 3 * FINEST_STEP_SECONDS * 1_000

const inspect = Effect.fnUntraced(function*({ places, connectionTo, store }: Upstream, { tag }: MachineRef) {
  const place = yield* reachable(places, tag)
  const connection = place && connectionTo(place.host)
  const found = connection && (yield* findMachine(connection, tag))
  if (connection === undefined || found === undefined) return yield* NO_MACHINE
  const [state, reason] = yield* connection.call(CALLS.state, [found.domain, 0])
  const power: Power = isOff(state) ? "off" : "on"
  const { bootedAt } = found.record
  const now = yield* Clock.currentTimeMillis
  const uptime = power === "on" && bootedAt !== null ? Math.floor((now - bootedAt) / 1_000) : 0
  const window = { stepSeconds: FINEST_STEP_SECONDS, from: now - SAMPLE_MILLIS, to: now }
  const sample = (yield* store.read(tag, window)).at(-1) ?? null
  const paused = isPausedByStorage(state, reason) ? { paused: "storage_full" as const } : {}
  return { power, ...paused, uptimeSeconds: uptime, sample }
})

/** Also while the host does not respond. */
const metrics = Effect.fnUntraced(function*({ places, store }: Upstream, { tag }: MachineRef, window: MetricsWindow) {
  return (yield* places.of(tag)) === undefined ? yield* NO_MACHINE : yield* store.read(tag, window)
})

const screen = Effect.fnUntraced(function*({ places, connectionTo, settings }: Upstream, { tag }: MachineRef) {
  const place = yield* reachable(places, tag)
  const connection = place && connectionTo(place.host)
  const found = connection && (yield* findMachine(connection, tag))
  if (connection === undefined || found === undefined) return yield* NO_MACHINE
  return yield* consoleOf(connection, found.domain, settings.LIBVIRT_CONSOLE_PASSWORD_MILLIS)
})

/** In the log. */
const subjectOf = ({ operation, tag }: DriverRequest): string => `${operation.type} of ${tag}`

/** Hosts that are listed at once. */
const HOSTS_AT_ONCE = 8

const make = (upstream: Upstream) =>
  Driver.of({
    name: "libvirt",
    capabilities: OPERATIONS,
    submit: (request) => withFaults(subjectOf(request), placed(upstream, request, accept)),
    poll: (request) => withFaults(subjectOf(request), placed(upstream, request, polled)),
    abandon: (tag, keys) => withFaults(tag, abandon(upstream, tag, keys)),
    thaw: (tag) => withFaults(`thaw of ${tag}`, thaw(upstream, tag)),
    resume: (tag) => withFaults(`resume of ${tag}`, resume(upstream, tag)),
    protect: (tag) => withFaults(`filter of ${tag}`, protectOne(upstream, tag)),
    find: (tag) =>
      withFaults(tag, find(upstream, tag)).pipe(
        Effect.mapError((fault) => fault._tag === "Rejected" ? new Unavailable({ reason: fault.reason }) : fault)
      ),
    list: (scope) =>
      Effect.flatMap(
        upstream.places.hosts,
        Effect.forEach((host) => listHost(upstream.connectionTo(host), host, scope, upstream.settings), {
          concurrency: HOSTS_AT_ONCE
        })
      ),
    inspect: (machine) => withFaults(machine.tag, inspect(upstream, machine)),
    metrics: (machine, window) => metrics(upstream, machine, window),
    console: (machine) => withFaults(machine.tag, screen(upstream, machine))
  })

interface Options {
  readonly nameservers: ReadonlyArray<string>
}

export const layer = (
  { nameservers }: Options
): Layer.Layer<Driver, never, Limits | MetricsStore | Places | HostConnections> =>
  Layer.effect(
    Driver,
    Effect.gen(function*() {
      const limits = yield* Limits
      const places = yield* Places
      const connectionTo = yield* HostConnections
      return make({
        moves: { running: new Map(), scope: yield* Effect.scope },
        places,
        connectionTo,
        storages: { hosts: places.hosts, connectionTo, lock: yield* Semaphore.make(1) },
        store: yield* MetricsStore,
        settings: { ...limits, nameservers },
        pollMillis: limits.LIBVIRT_POLL_MILLIS,
        takeoverMillis: limits.LIBVIRT_TAKEOVER_MILLIS
      })
    })
  )
