/** Checks at intervals that every host responds. One that does not takes no instances, and its tasks wait. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Limits } from "../../../config/Limits.ts"
import { type Host, Hosts } from "../../../persistence/Hosts.ts"
import { type Leases, repeatAlone } from "../../../persistence/Leases.ts"
import { Transaction } from "../../../persistence/Transaction.ts"
import { ConnectionLost } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import { Sessions } from "./Sessions.ts"

/** A daemon that restarts misses one check. */
const MISSED_MAX = 2
/** Hosts that are checked at once. */
const CONCURRENCY = 16

const watch = Effect.gen(function*() {
  const hosts = yield* Hosts
  const sessionOf = yield* Sessions
  const { run } = yield* Transaction
  const { HOST_CHECK_MILLIS, HOST_REPLY_MILLIS } = yield* Limits
  const missed = new Map<number, number>()

  const call = (host: Host) =>
    Effect.timeoutOrElse(sessionOf(host).call(CALLS.version, []), {
      duration: HOST_REPLY_MILLIS,
      orElse: () => Effect.fail(new ConnectionLost(`libvirt did not answer within ${HOST_REPLY_MILLIS} ms.`))
    })

  const responded = Effect.fnUntraced(function*({ id, name, unreachableSince }: Host) {
    missed.delete(id)
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

  // An operator has declared that an offline host is off.
  const all = Effect.flatMap(
    hosts.list,
    (each) =>
      Effect.forEach(each.filter(({ state }) => state !== "offline"), check, {
        concurrency: CONCURRENCY,
        discard: true
      })
  )
  yield* repeatAlone("hosts", HOST_CHECK_MILLIS, all, Effect.void)
})

export const layer: Layer.Layer<never, never, Hosts | Leases | Limits | Sessions | Transaction> = Layer.effectDiscard(
  watch
)
