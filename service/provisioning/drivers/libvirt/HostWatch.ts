/**
 * Checks at intervals that every host responds. One that does not takes no instances, and its tasks wait. One that was
 * declared off should not respond: what runs there without a right to is powered off.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../../config/Limits.ts"
import { type Host, Hosts } from "../../../persistence/Hosts.ts"
import { type JobLeases, repeatAlone } from "../../../persistence/JobLeases.ts"
import { Instances } from "../../../persistence/Instances.ts"
import { idInTag } from "../../../persistence/MachineTag.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { CODES, ConnectionLost } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import { type CallFault, type HostConnection, HostConnections } from "./HostConnection.ts"
import { ownDomains, powerOff } from "./Machines.ts"
import { renewRules } from "./Protection.ts"
import { orElse } from "./Volumes.ts"

/** A daemon that restarts misses one check. */
const MISSED_MAX = 2
/** Hosts that are checked at once. */
const CONCURRENCY = 16

/** The check of a host that was declared off: it should not respond. */
const offlineCheck = (
  call: (host: Host) => Effect.Effect<unknown, CallFault>,
  connectionTo: HostConnections["Service"],
  { staleMachines }: StaleOptions
) => {
  const returned = new Set<number>()
  return (host: Host) =>
    Effect.matchEffect(call(host), {
      onSuccess: () =>
        Effect.suspend(() => {
          const isNew = !returned.has(host.id)
          returned.add(host.id)
          return endStale(connectionTo(host), host, { isNew, staleMachines })
        }),
      onFailure: () => Effect.sync(() => returned.delete(host.id))
    })
}

/**
 * Makes the rules of filters on a host again, at intervals from the start of this process on. It takes about a second
 * for each machine, so no check waits for it.
 */
const renewal = Effect.fnUntraced(function*(everyMillis: number) {
  const scope = yield* Effect.scope
  const start = yield* Clock.currentTimeMillis
  const latest = new Map<number, number>()
  return Effect.fnUntraced(function*(host: Host, connection: HostConnection) {
    const now = yield* Clock.currentTimeMillis
    if (now - (latest.get(host.id) ?? start) < everyMillis) return
    latest.set(host.id, now)
    const renewed = renewRules(connection, host).pipe(
      Effect.catch(({ message }) =>
        Effect.logWarning(`The rules of filters on host ${host.name} were not made again: ${message}`)
      )
    )
    yield* Effect.forkIn(renewed, scope)
  })
})

const watch = Effect.fnUntraced(function*(options: StaleOptions) {
  const hosts = yield* Hosts
  const connectionTo = yield* HostConnections
  const { run } = yield* Transaction
  const { HOST_CHECK_MILLIS, HOST_REPLY_MILLIS, LIBVIRT_FILTER_MILLIS } = yield* Limits
  const renew = yield* renewal(LIBVIRT_FILTER_MILLIS)
  const missed = new Map<number, number>()

  const call = (host: Host) =>
    Effect.timeoutOrElse(connectionTo(host).call(CALLS.version, []), {
      duration: HOST_REPLY_MILLIS,
      orElse: () => Effect.fail(new ConnectionLost(`libvirt did not answer within ${HOST_REPLY_MILLIS} ms.`))
    })

  const responded = Effect.fnUntraced(function*(host: Host) {
    const { id, name, unreachableSince } = host
    missed.delete(id)
    yield* Effect.ignore(disableAutostart(connectionTo(host)))
    yield* renew(host, connectionTo(host))
    if (unreachableSince === null) return
    yield* run(hosts.setUnreachable(id, null))
    yield* Effect.logInfo(`Host ${name} responds again. Its tasks continue.`)
  })

  const silent = Effect.fnUntraced(function*({ id, name, unreachableSince }: Host, reason: string) {
    const count = (missed.get(id) ?? 0) + 1
    missed.set(id, count)
    if (unreachableSince !== null || count < MISSED_MAX) return
    yield* run(hosts.setUnreachable(id, yield* Clock.currentTimeMillis))
    yield* Effect.logError(
      `Host ${name} does not respond: ${reason} Its tasks wait, and no instance is placed on it. See "When a host `
        + "dies\" in docs/real-instances.md."
    )
  })

  const check = (host: Host) =>
    Effect.matchEffect(call(host), {
      onSuccess: () => responded(host),
      onFailure: ({ message }) => silent(host, message)
    })

  const checkOffline = offlineCheck(call, connectionTo, options)
  const all = Effect.flatMap(
    hosts.list,
    Effect.forEach((host) => host.state === "offline" ? checkOffline(host) : check(host), {
      concurrency: CONCURRENCY,
      discard: true
    })
  )
  yield* repeatAlone("hosts", HOST_CHECK_MILLIS, all, Effect.void)
})

export const layer = (
  options: StaleOptions
): Layer.Layer<never, never, Hosts | Instances | JobLeases | Limits | HostConnections | Transaction> =>
  Layer.effectDiscard(watch(options))

/*
 * Stale machines are those on a host that an operator declared off, and that came back: their instances run elsewhere
 * now, with the same addresses, and perhaps on the same disk.
 */

const ACTIVE = 1
const AUTOSTART = 1024

/**
 * Keeps libvirt from starting machines by itself, which earlier versions of this driver wanted: after a restart of a
 * host, only the service knows which of them still belong to it.
 */
const disableAutostart = Effect.fnUntraced(function*(connection: HostConnection) {
  for (const { domain } of yield* ownDomains(connection, AUTOSTART)) {
    yield* orElse(connection.slow(CALLS.setAutostart, [domain, 0]), [CODES.NO_DOMAIN], Effect.void)
  }
})

/** True for a machine whose instance has its record elsewhere, or none any more. One of no instance is unknown. */
const isStale = Effect.fnUntraced(function*(tag: string, host: Host) {
  const id = idInTag(tag)
  if (id === undefined) return false
  const reservation = yield* (yield* Hosts).reservation(id)
  if (reservation?.tag === tag) return reservation.hostId !== host.id && reservation.targetId !== host.id
  return (yield* (yield* Instances).find(id))?.tag === tag
})

/** Powers the machines off that a host may not run any more; returns their tags. Their disks and definitions stay. */
const stopStale = Effect.fnUntraced(function*(connection: HostConnection, host: Host) {
  const stopped: Array<string> = []
  for (const { domain, tag } of yield* ownDomains(connection, ACTIVE)) {
    // Read just before: a command may have given the machine back.
    if (!(yield* isStale(tag, host))) continue
    yield* powerOff(connection, domain)
    stopped.push(tag)
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
const endStale = (
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
