/**
 * Moves of instances to another host, for an operator who empties one. Capacity is reserved on both hosts meanwhile.
 */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Clock from "effect/Clock"
import { type Host, Hosts } from "../persistence/Hosts.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import { hostnameOf, providerDataOf } from "./InstalledSystem.ts"
import { define } from "./Operation.ts"
import { anotherHost } from "../catalogue/Capacity.ts"
import { BACKUP } from "../instances/Admission.ts"
import type { Reservation } from "../persistence/Reservations.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import { enqueueAs, preemptBackup } from "./Enqueue.ts"

const Params = Schema.Struct({
  /** Name of the target. */
  host: Schema.String,
  allowsDowntime: Schema.Boolean
})

export const Move = define({
  type: "move",
  params: Params,
  // The operator waits for an empty host, and the machine may be off until the move has ended.
  retry: "persistent",
  execute: ({ params }) => Effect.succeed([{ type: "move", ...params }]),
  complete: Effect.fnUntraced(function*({ instance }, { machine }) {
    yield* (yield* Hosts).endMove(instance.id, true)
    if (machine === null) return
    const data = providerDataOf(instance.os, machine)
    yield* (yield* Instances).setHostname(instance.id, hostnameOf(instance), data)
  }),
  // In doubt, the machine may be on either host, so both stay reserved.
  fail: Effect.fnUntraced(function*({ instance }, _, doubt) {
    if (!doubt) yield* (yield* Hosts).endMove(instance.id, false)
  }),
  recovery: {
    lifecycles: ["active", "suspended", "expired"],
    unreconciled: { left: "the machine may be on either host: evacuate the host again", supersededBy: ["move"] }
  }
})

/** The outcome for one instance. */
export interface Relocated {
  readonly instanceId: number
  /** Name of its new host; null if it stays. */
  readonly target: string | null
  /** The downtime, or the reason for which it stays. */
  readonly detail: string
}

/** Undoes a transaction that was only tried, and carries what it would have done. */
class Tried extends Schema.TaggedError<Tried>()("Tried", { rows: Schema.Array(Schema.Unknown) }) {}

/** The result of a transaction that is undone. */
const tried = Effect.fnUntraced(function*<Row, E, R>(effect: Effect.Effect<ReadonlyArray<Row>, E, R>) {
  const { run } = yield* Transaction
  return yield* run(Effect.flatMap(effect, (rows) => Effect.fail(new Tried({ rows })))).pipe(
    Effect.catchIf((error) => error instanceof Tried, ({ rows }) => Effect.succeed(rows as ReadonlyArray<Row>))
  )
})

type Relocate<E, R> = (
  instance: StoredInstance,
  reservation: Reservation
) => Effect.Effect<Omit<Relocated, "instanceId">, E, R>

/** Each instance, in a transaction of its own. A trial undoes each, so it changes nothing. */
export const forEachOf = Effect.fnUntraced(
  function*<E, R>(listed: ReadonlyArray<Reservation>, relocate: Relocate<E, R>, isTrial = false) {
    const { run } = yield* Transaction
    const hosts = yield* Hosts
    const one = Effect.fnUntraced(function*({ hostId, instanceId, targetId }: Reservation) {
      const instance = yield* (yield* Instances).find(instanceId)
      const reservation = yield* hosts.reservation(instanceId)
      // It was terminated, or has been moved since.
      if (instance === undefined || reservation?.hostId !== hostId || reservation.targetId !== targetId) return []
      return [{ instanceId, ...yield* relocate(instance, reservation) }]
    })
    const rows = yield* Effect.forEach(listed, (each) => isTrial ? tried(one(each)) : run(one(each)))
    yield* (yield* WorkerNotifier).notify
    return rows.flat()
  }
)

export const isShared = (one: Host, other: Host): boolean =>
  one.sharedStorage !== null && one.sharedStorage === other.sharedStorage

/** True if a machine that runs moves between these hosts while it runs. */
const isLive = (from: Host, to: Host): boolean =>
  isShared(from, to) && from.pool === to.pool && from.bridge === to.bridge && from.accelerator === to.accelerator

const downtime = (from: Host, to: Host, { power }: StoredInstance, { size }: Reservation, isAllowed: boolean) => {
  if (power === "off") return "none: it is off"
  if (!isShared(from, to)) return `a shutdown, the copy of its disk (up to ${size.diskGib} GiB), and a boot`
  if (!isLive(from, to)) return "a restart"
  return `less than a second: it moves while it runs, or ${isAllowed ? "with a restart" : "stays"} if that fails`
}

export const NO_CAPACITY = "no other active host of its data center has its image and capacity for it"

/**
 * Queues moves of all instances to other hosts. A trial changes nothing. An instance that can move while it runs is
 * powered off for its move only if the operator allows that beforehand.
 */
export const evacuate = Effect.fnUntraced(function*(from: Host, isTrial: boolean, allowsDowntime: boolean) {
  return yield* forEachOf(
    yield* (yield* Hosts).reservationsOn(from.id),
    Effect.fnUntraced(function*(instance, reservation) {
      if (instance.task !== undefined && instance.task !== BACKUP) {
        return { target: null, detail: `busy (${instance.task}): evacuate again when it has ended` }
      }
      const hosts = yield* Hosts
      const { targetId } = reservation
      // A move that failed in doubt may have reached its target.
      const target = targetId === null
        ? yield* anotherHost(instance, reservation, from, () => true)
        : yield* hosts.find(targetId)
      if (target === undefined) return { target: null, detail: NO_CAPACITY }
      const row = { target: target.name, detail: downtime(from, target, instance, reservation, allowsDowntime) }
      if (isTrial) return row
      const at = yield* Clock.currentTimeMillis
      yield* preemptBackup(instance, at)
      yield* hosts.beginMove(instance.id, target.id)
      const params = { host: target.name, allowsDowntime: allowsDowntime || !isLive(from, target) }
      yield* enqueueAs("admin", instance.id, Move.task(params), at)
      return row
    })
  )
})
