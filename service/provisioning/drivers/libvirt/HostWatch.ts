/**
 * Checks at intervals that every host responds. One that does not takes no instances, and its tasks wait. One that was
 * declared off should not respond: what runs there without a right to is powered off.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../../config/Limits.ts"
import { type Host, Hosts } from "../../../persistence/Hosts.ts"
import { type Leases, repeatAlone } from "../../../persistence/Leases.ts"
import type { Instances } from "../../../persistence/Instances.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { ConnectionLost } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { CallFault } from "./HostConnection.ts"
import { HostConnections } from "./HostConnection.ts"
import { disableAutostart, endStale, type StaleOptions } from "./StaleMachines.ts"

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

const watch = Effect.fnUntraced(function*(options: StaleOptions) {
  const hosts = yield* Hosts
  const connectionTo = yield* HostConnections
  const { run } = yield* Transaction
  const { HOST_CHECK_MILLIS, HOST_REPLY_MILLIS } = yield* Limits
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
): Layer.Layer<never, never, Hosts | Instances | Leases | Limits | HostConnections | Transaction> =>
  Layer.effectDiscard(watch(options))
