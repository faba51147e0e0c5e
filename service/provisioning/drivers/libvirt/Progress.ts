/** The progress of operations: each poll reads the machine's record, takes the next step, and records it. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Fiber from "effect/Fiber"
import type * as Scope from "effect/Scope"
import type { MetricsStore } from "../../../persistence/metrics/MetricsStore.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import {
  Busy,
  type DriverRequest,
  type Fault,
  type Machine,
  type Operation,
  type OperationOf,
  type OperationType,
  Rejected,
  type Status
} from "../../Driver.ts"
import { remember } from "./MachineRecord.ts"
import { type Found, save } from "./Machines.ts"
import { abandonImage, DISKS } from "./operations/Disks.ts"
import type { MachinePlace, Places } from "./MachinePlaces.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"
import { type Continue, type Outcome, waitAfter, type Work, type WorkSettings } from "./Work.ts"
import { GUEST } from "./operations/Guest.ts"
import type { Storages } from "./Space.ts"
import { POWER } from "./operations/Power.ts"
import { SYSTEMS } from "./operations/Systems.ts"

export interface Upstream {
  /** The moves that run in this process, by key. */
  readonly moves: { readonly running: Map<string, Fiber.Fiber<Status, Fault>>; readonly scope: Scope.Scope }
  readonly places: Places["Service"]
  readonly connectionTo: (host: Host) => HostConnection
  readonly store: MetricsStore["Service"]
  readonly settings: WorkSettings
  readonly storages: Storages
  readonly pollMillis: number
  readonly takeoverMillis: number
}

/** Operations that no other one may interrupt; the short ones end within one poll, or failed. */
const LONG: ReadonlySet<OperationType> = new Set<OperationType>([
  "provision",
  "reinstall",
  "resize",
  "snapshot_create",
  "snapshot_restore",
  "backup_restore"
])

export const toMachine = ({ host }: MachinePlace, { domain, record }: Found): Machine => ({
  providerId: domain.uuid,
  tag: record.tag,
  ipv4: record.ipv4,
  ipv6: record.ipv6,
  node: host.name,
  hostname: record.hostname
})

const workOn = Effect.fnUntraced(function*(upstream: Upstream, place: MachinePlace, { domain, record }: Found) {
  const { pending } = record
  if (pending === null) return yield* new Rejected({ reason: "unknown operation" })
  const { places, connectionTo, settings, storages } = upstream
  const image = (slug: string) => places.image(place.host.id, slug)
  const now = yield* Clock.currentTimeMillis
  const connection = connectionTo(place.host)
  return { connection, place, domain, record, pending, now, settings, storages, image } satisfies Work
})

/** The status of an operation that is done. */
export const finished = (place: MachinePlace, found: Found, imageBytes: number | null): Status => ({
  state: "done",
  machine: toMachine(place, found),
  imageBytes
})

/** Records that an operation has ended, so that the next one may begin. */
const end = (work: Work, { imageBytes, record }: Outcome) => {
  const ended = { ...record, pending: null, done: remember(record.done, work.pending.key) }
  return Effect.map(
    save(work.connection, ended, work.place),
    (domain) => finished(work.place, { domain, record: ended }, imageBytes)
  )
}

/** Small copies take as long. */
const SHORTEST_POLL_MILLIS = 20

/** Takes the next step. A rejected operation is over; the machine may do another. */
export const advance = Effect.fnUntraced(
  function*(upstream: Upstream, request: DriverRequest, place: MachinePlace, found: Found) {
    const work = yield* workOn(upstream, place, found)
    const outcome = yield* continueWith(work, request.operation).pipe(
      Effect.tapError((fault) =>
        fault._tag === "Rejected"
          ? Effect.ignore(save(work.connection, { ...work.record, pending: null }, place))
          : Effect.void
      )
    )
    if (outcome.isDone) return yield* end(work, outcome)
    if (outcome.record.pending?.step !== work.pending.step) yield* save(work.connection, outcome.record, place)
    const wait = waitAfter(work.now - work.pending.since, SHORTEST_POLL_MILLIS, upstream.pollMillis)
    return { state: "running", progress: outcome.progress, nextPoll: Effect.sleep(wait) } satisfies Status
  }
)

/** Ends a backup for another operation. An operation that was interrupted and not repeated gives way as well. */
export const makeIdle = Effect.fnUntraced(function*(upstream: Upstream, place: MachinePlace, found: Found) {
  const { pending } = found.record
  if (pending === null) return found.record
  const work = yield* workOn(upstream, place, found)
  if (pending.type === "backup_create") {
    yield* abandonImage(work)
    return { ...found.record, pending: null, preempted: remember(found.record.preempted, pending.key) }
  }
  // It may be on either host: an operator repeats the move first, unless the other host was declared off.
  const isMoving = pending.type === "move" && place.fenced === null
  if (isMoving || (LONG.has(pending.type) && work.now - pending.since < upstream.takeoverMillis)) {
    return yield* new Busy({ reason: `the machine is busy (${pending.type})` })
  }
  return { ...found.record, pending: null }
})

/** Their steps are looked for by the next operation: the move on both hosts, and the machine that is being built. */
const KEPT: ReadonlySet<OperationType> = new Set<OperationType>(["move", "provision"])

/** Forgets an operation that failed, and is not repeated. */
export const forget = Effect.fnUntraced(function*(upstream: Upstream, place: MachinePlace, found: Found, keys: string) {
  const { pending } = found.record
  if (pending === null || !pending.key.startsWith(keys) || KEPT.has(pending.type)) return
  if (pending.type === "backup_create") yield* abandonImage(yield* workOn(upstream, place, found))
  yield* save(upstream.connectionTo(place.host), { ...found.record, pending: null }, place)
})

/** The status of an operation that was submitted before; undefined if it was not. */
export const statusOf = Effect.fnUntraced(
  function*(upstream: Upstream, request: DriverRequest, place: MachinePlace, found: Found) {
    const { done, pending, preempted } = found.record
    if (preempted.includes(request.key)) {
      return yield* new Rejected({ reason: "the backup was preempted by another operation" })
    }
    if (done.includes(request.key)) return finished(place, found, null)
    return pending?.key === request.key ? yield* advance(upstream, request, place, found) : undefined
  }
)

/** Each supported operation with its steps. */
const STEPS = { ...SYSTEMS, ...POWER, ...DISKS, ...GUEST } satisfies {
  readonly [T in Exclude<OperationType, "terminate" | "set_rdns" | "move">]: Continue<OperationOf<T>>
}

/** Reverse DNS is not among them: no DNS server is connected. */
export const OPERATIONS: ReadonlySet<OperationType> = new Set<OperationType>([
  ...Object.keys(STEPS) as ReadonlyArray<keyof typeof STEPS>,
  "move",
  "terminate"
])

const continueWith = (work: Work, operation: Operation): Effect.Effect<Outcome, Fault | CallFault> => {
  const step = (STEPS as Readonly<Partial<Record<OperationType, Continue<never>>>>)[operation.type]
  if (step === undefined) return Effect.fail(new Rejected({ reason: `libvirt does not support ${operation.type}` }))
  return step(work, operation as never)
}
