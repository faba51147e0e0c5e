/**
 * Moves a machine to another host: live where both share their storage, else off, with a copy of its volumes. Until
 * the target has everything, only the source is used; from then on, only the target. Each step can be repeated. Moves
 * in progress outlast an attempt of their task, because a copy may take hours.
 */
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Clock from "effect/Clock"
import { Busy, type DriverRequest, type Fault, type OperationOf, Rejected, type Status } from "../../Driver.ts"
import {
  asFault,
  byHandOf,
  continues,
  findMachine,
  type Found,
  powerOf,
  powerOff,
  powerOn,
  pressPowerButton,
  save,
  undefine,
  withFaults
} from "./Machines.ts"
import type { MachinePlace } from "./MachinePlaces.ts"
import { finished, makeIdle, type Upstream } from "./Progress.ts"
import type { Host } from "../../../persistence/Hosts.ts"
import { ensureFilters } from "./Filters.ts"
import { type MachineRecord, remember } from "./MachineRecord.ts"
import { CODES, ConnectionLost, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import { reserve } from "./Space.ts"
import { waitForSpace } from "./Work.ts"
import type { Domain } from "./rpc/Types.ts"
import { withScreenAt } from "./Screen.ts"
import { type CallFault, parseUri } from "./HostConnection.ts"
import { findPool, findVolume, orElse, refresh } from "./Volumes.ts"
import { assertApart, copyBackups, copyDisks, deleteCopied, type Moving, spaceToMove } from "./operations/Copies.ts"

/** A rejected move is over; the machine may do something else. */
const forget = Effect.fnUntraced(function*(upstream: Upstream, { key, tag }: DriverRequest, source: MachinePlace) {
  const connection = upstream.connectionTo(source.host)
  const here = yield* findMachine(connection, tag)
  if (here?.record.pending?.key === key) yield* save(connection, { ...here.record, pending: null }, source)
})

/** The status of a machine that is on the target already. */
const stay = Effect.fnUntraced(function*(upstream: Upstream, { tag }: DriverRequest, place: MachinePlace) {
  const connection = upstream.connectionTo(place.host)
  const here = yield* Effect.mapError(findMachine(connection, tag), asFault)
  if (here === undefined) return yield* new Rejected({ reason: "the machine does not exist" })
  return finished(place, here, null)
})

const moveTo = Effect.fnUntraced(
  function*(upstream: Upstream, request: DriverRequest, source: MachinePlace, operation: OperationOf<"move">) {
    const { allowsDowntime, host: to } = operation
    const host = (yield* upstream.places.hosts).find(({ name }) => name === to)
    if (host === undefined) return yield* new Rejected({ reason: `there is no host ${to}` })
    if (host.id === source.host.id) return yield* stay(upstream, request, source)
    if (host.unreachableSince !== null) {
      return yield* new Busy({ reason: `host ${to} does not respond`, isHostDown: true })
    }
    const isSame = (name: "sharedStorage" | "sharedBackups") =>
      source.host[name] !== null && source.host[name] === host[name]
    return yield* move({
      upstream,
      request,
      allowsDowntime,
      source,
      target: { ...source, host },
      from: upstream.connectionTo(source.host),
      to: upstream.connectionTo(host),
      isShared: isSame("sharedStorage"),
      sharesBackups: isSame("sharedBackups")
    }).pipe(
      (moved) => withFaults(`move of ${request.tag}`, moved),
      Effect.tapError((fault) =>
        fault._tag === "Rejected" ? Effect.ignore(forget(upstream, request, source)) : Effect.void
      )
    )
  }
)

/** Starts a move, or waits for the one that runs already. */
export const continueMove = Effect.fnUntraced(
  function*(upstream: Upstream, request: DriverRequest, source: MachinePlace, operation: OperationOf<"move">) {
    const { moves: { running, scope }, pollMillis } = upstream
    const move: Effect.Effect<Status, Fault> = moveTo(upstream, request, source, operation)
    const fiber = running.get(request.key) ?? (yield* Effect.forkIn(move, scope))
    running.set(request.key, fiber)
    const ended = yield* Effect.timeoutOption(Fiber.await(fiber), pollMillis)
    if (ended._tag === "None") {
      return { state: "running", progress: 50, nextPoll: Effect.sleep(pollMillis) } satisfies Status
    }
    running.delete(request.key)
    return yield* ended.value
  }
)

const LIVE = 1
const PEER_TO_PEER = 2
const TUNNELLED = 4
const PERSIST_ON_TARGET = 8
const UNDEFINE_SOURCE = 16
/** libvirt cannot know that a folder is shared; the operator has said so. */
const UNSAFE = 512
const MIGRATION = LIVE + PEER_TO_PEER + TUNNELLED + PERSIST_ON_TARGET + UNDEFINE_SOURCE + UNSAFE

/** The address under which the source's daemon reaches the target's. */
const peerUri = ({ uri }: Host): string => {
  const parsed = parseUri(uri)
  return parsed?.kind === "tls"
    ? `qemu+tls://${parsed.host}:${parsed.port}/system`
    : `qemu+unix:///system?socket=${parsed?.path ?? ""}`
}

const isAlike = (one: Host, other: Host): boolean =>
  one.pool === other.pool && one.bridge === other.bridge && one.accelerator === other.accelerator

const SECURE = 1
const MIGRATABLE = 8

/** The source's address does not exist on the target, where the console listens at the target's. */
const changesOf = Effect.fnUntraced(function*({ from, to }: Moving, domain: Domain) {
  const address = yield* to.peer
  if (address === null || address === (yield* from.peer)) return []
  const definition = yield* from.call(CALLS.description, [domain, SECURE + MIGRATABLE])
  return [{ name: "destination_xml", value: withScreenAt(definition, address) }]
})

const NO_JOB = 0
const { NO_DOMAIN, OPERATION_INVALID } = CODES

/** True while a copy or a move of a machine is in progress. */
const isInJob = ({ from }: Moving, domain: Domain) =>
  orElse(
    Effect.map(from.call(CALLS.jobStats, [domain, 0]), ([job]) => job !== NO_JOB),
    [NO_DOMAIN, OPERATION_INVALID],
    Effect.succeed(false)
  )

/** Waits for a migration that an earlier attempt has begun: the daemon continues it without the service. */
const awaitEarlier = Effect.fnUntraced(function*(moving: Moving, domain: Domain) {
  const { pollMillis, settings } = moving.upstream
  const until = (yield* Clock.currentTimeMillis) + settings.LIBVIRT_COPY_MILLIS
  while (yield* isInJob(moving, domain)) {
    if ((yield* Clock.currentTimeMillis) >= until) {
      return yield* Effect.fail(new ConnectionLost(`The move of ${domain.name} does not end.`))
    }
    yield* Effect.sleep(pollMillis)
  }
})

const migrate = Effect.fnUntraced(function*(moving: Moving, domain: Domain) {
  const { from, target, to } = moving
  if (yield* isInJob(moving, domain)) return yield* awaitEarlier(moving, domain)
  yield* ensureFilters(to)
  const changes = yield* changesOf(moving, domain)
  yield* from.slow(CALLS.migrate, [domain, peerUri(target.host), changes, Buffer.alloc(0), MIGRATION])
})

/** Ends a migration whose call has no answer: otherwise it would continue unseen. True if there was one. */
const endMigration = Effect.fnUntraced(function*(moving: Moving, domain: Domain) {
  if (!(yield* isInJob(moving, domain))) return false
  yield* Effect.logWarning(`The move of ${domain.name} has no answer, and is aborted.`)
  yield* orElse(moving.from.call(CALLS.abortJob, [domain]), [NO_DOMAIN, OPERATION_INVALID], Effect.void)
  // The last part of it may have been too quick.
  yield* awaitEarlier(moving, domain)
  return true
})

/** True if the machine runs on the target alone. */
const hasArrived = Effect.fnUntraced(function*({ from, request, to }: Moving) {
  if ((yield* findMachine(from, request.tag)) !== undefined) return false
  const there = yield* findMachine(to, request.tag)
  return there !== undefined && (yield* powerOf(to, there.domain)) === "on"
})

/** Its owner reads the reason, so libvirt's text is only in the log. */
const stays = (reason: string) =>
  new Rejected({
    reason: `the instance cannot move while it runs, and continues where it is: ${reason}. Evacuate the host again, or `
      + "with --allow-downtime to move the instance with a restart"
  })

/**
 * True if the machine runs on the target now; false if it may be powered off to move. Otherwise a machine that cannot
 * move while it runs continues to run where it is.
 */
const moveLive = Effect.fnUntraced(function*(moving: Moving, { domain }: Found) {
  const { allowsDowntime, isShared, source, target } = moving
  if (!isShared || !isAlike(source.host, target.host)) {
    return allowsDowntime ? false : yield* stays("its hosts have not the same storage, pool and bridge any more")
  }
  const failure = yield* migrate(moving, domain).pipe(
    Effect.as(undefined),
    Effect.catch(Effect.fnUntraced(function*(error: CallFault) {
      // Without a job to abort, it is not known what has become of the machine: the next attempt looks at both hosts.
      if (!(error instanceof LibvirtError) && !(yield* endMigration(moving, domain))) return yield* Effect.fail(error)
      return error
    }))
  )
  if (yield* hasArrived(moving)) return true
  yield* Effect.logWarning(`${domain.name} cannot move while it runs: ${failure?.message ?? "its move was aborted"}`)
  if (allowsDowntime) return false
  return yield* stays(
    failure instanceof LibvirtError ? `libvirt error ${failure.code}, see the log` : "it took too long"
  )
})

const turnOff = Effect.fnUntraced(function*({ from, upstream }: Moving, { domain }: Found) {
  const until = (yield* Clock.currentTimeMillis) + upstream.settings.LIBVIRT_SHUTDOWN_MILLIS
  yield* pressPowerButton(from, domain)
  while ((yield* powerOf(from, domain)) === "on" && (yield* Clock.currentTimeMillis) < until) {
    yield* Effect.sleep(upstream.pollMillis)
  }
  yield* powerOff(from, domain)
})

/** Deletes the machine from the source, once the target has it. */
const leave = Effect.fnUntraced(function*(moving: Moving) {
  const { from, request } = moving
  const here = yield* findMachine(from, request.tag)
  if (here !== undefined) yield* undefine(from, here.domain)
  yield* deleteCopied(moving)
})

const arrive = Effect.fnUntraced(function*(moving: Moving, { domain, record }: Found) {
  const { request, target, to } = moving
  if (record.pending?.wasOn === true) yield* powerOn(to, domain)
  yield* leave(moving)
  const bootedAt = record.pending?.wasOn === true ? record.bootedAt ?? (yield* Clock.currentTimeMillis) : null
  const arrived = { ...record, bootedAt, pending: null, done: remember(record.done, request.key) }
  return finished(target, { domain: yield* save(to, arrived, target), record: arrived }, null)
})

/** Fails before anything has changed if the target lacks a disc that is in the drive. */
const assertDiscs = Effect.fnUntraced(function*({ target, to }: Moving, { iso, rescue }: MachineRecord) {
  const pool = yield* findPool(to, target.host.pool)
  for (const disc of [iso, rescue]) {
    if (disc === null || (yield* findVolume(to, pool, disc)) !== undefined) continue
    return yield* new Rejected({ reason: `host ${target.host.name} has no ${disc}; run "images import" for it` })
  }
})

/** Fails before anything has changed if it has devices that an operator attached, whose data would not move with it. */
const assertOwnDevices = Effect.fnUntraced(function*({ from, isShared, source }: Moving, record: MachineRecord) {
  if (isShared || (yield* byHandOf(from, record)).devices === "") return
  return yield* new Rejected({
    reason: `${record.tag} has disks or devices on host ${source.host.name} that were attached by hand, and would not `
      + "move with it. Detach them first"
  })
})

/** Records the move in the machine, once. */
const begin = Effect.fnUntraced(function*(moving: Moving, here: Found) {
  const { from, request, source, upstream } = moving
  if (here.record.pending?.key === request.key) return here
  if ((yield* findMachine(moving.to, request.tag)) !== undefined) {
    return yield* new Rejected({ reason: `host ${moving.target.host.name} has a machine of that name` })
  }
  yield* assertDiscs(moving, here.record)
  yield* assertOwnDevices(moving, here.record)
  yield* assertApart(moving)
  const idle = yield* makeIdle(upstream, source, here)
  const wasOn = yield* continues(from, here.domain)
  const since = yield* Clock.currentTimeMillis
  const record = { ...idle, pending: { key: request.key, type: "move", since, step: 0, wasOn, image: null } as const }
  const { settings, storages } = upstream
  return yield* reserve(
    storages,
    record,
    yield* spaceToMove(moving, idle),
    settings.LIBVIRT_POOL_RESERVE_MIB,
    (spaces) =>
      Effect.map(save(from, { ...record, spaces }, source), (domain) => ({ domain, record: { ...record, spaces } }))
  ).pipe(
    Effect.catchTag("PoolFull", (full) =>
      save(from, idle, source).pipe(
        Effect.andThen(waitForSpace("move", record.tag, `${source.host.name} or ${moving.target.host.name}`)(full))
      ))
  )
})

const move = Effect.fnUntraced(function*(moving: Moving) {
  const { from, request, target, to } = moving
  const { tag } = request
  const found = yield* findMachine(from, tag)
  if (found !== undefined) {
    // On shared storage, the target does not know the volumes that others have created.
    yield* refresh(to, yield* findPool(to, target.host.pool))
    const here = yield* begin(moving, found)
    // The machine continues to run meanwhile.
    yield* copyBackups(moving, here.record)
    const isOn = (yield* powerOf(from, here.domain)) === "on"
    const isMoved = isOn && (yield* moveLive(moving, here))
    if (!isMoved) yield* turnOff(moving, here)
    if (!isMoved && (yield* findMachine(to, tag)) === undefined) {
      yield* copyDisks(moving, here.record)
      yield* save(to, here.record, target, yield* byHandOf(from, here.record))
    }
  }
  const there = yield* findMachine(to, tag)
  if (there === undefined) return yield* new Rejected({ reason: "the machine does not exist" })
  if (there.record.done.includes(request.key)) return finished(target, there, null)
  return yield* arrive(moving, there)
})
