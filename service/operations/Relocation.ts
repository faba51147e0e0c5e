/** Takes the instances of a host to others: with moves while it responds, without it when it is off. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { anotherHost } from "../catalogue/Capacity.ts"
import { BACKUP } from "../instances/Admission.ts"
import { type Host, Hosts } from "../persistence/Hosts.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import type { Reservation } from "../persistence/Reservations.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { WorkerNotifier } from "../runtime/WorkerNotifier.ts"
import { enqueueAs, preemptBackup } from "./Enqueue.ts"
import { Move } from "./Move.ts"
import { Start, Stop } from "./Power.ts"

/** The outcome for one instance. */
export interface Relocated {
  readonly instanceId: number
  /** Name of its new host; null if it stays. */
  readonly target: string | null
  /** The downtime, or the reason for which it stays. */
  readonly detail: string
}

type Relocate<E, R> = (
  instance: StoredInstance,
  reservation: Reservation
) => Effect.Effect<Omit<Relocated, "instanceId">, E, R>

/** Each instance, in a transaction of its own. */
const forEachOf = Effect.fnUntraced(function*<E, R>(listed: ReadonlyArray<Reservation>, relocate: Relocate<E, R>) {
  const { run } = yield* Transaction
  const hosts = yield* Hosts
  const one = Effect.fnUntraced(function*({ hostId, instanceId, targetId }: Reservation) {
    const instance = yield* (yield* Instances).find(instanceId)
    const reservation = yield* hosts.reservation(instanceId)
    // It was terminated, or has been moved since.
    if (instance === undefined || reservation?.hostId !== hostId || reservation.targetId !== targetId) return []
    return [{ instanceId, ...yield* relocate(instance, reservation) }]
  })
  const rows = yield* Effect.forEach(listed, (each) => run(one(each)))
  yield* (yield* WorkerNotifier).notify
  return rows.flat()
})

const isShared = (one: Host, other: Host): boolean =>
  one.sharedStorage !== null && one.sharedStorage === other.sharedStorage

const downtime = (from: Host, to: Host, { power }: StoredInstance, { size }: Reservation): string => {
  if (power === "off") return "none: it is off"
  if (!isShared(from, to)) return `a shutdown, the copy of its disk (up to ${size.diskGib} GiB), and a boot`
  const isAlike = from.pool === to.pool && from.bridge === to.bridge && from.accelerator === to.accelerator
  return isAlike ? "less than a second: it moves while it runs" : "a restart"
}

const NO_CAPACITY = "no other active host of its data centre has its image and capacity for it"

/** Queues moves of all instances to other hosts. A trial changes nothing. */
export const evacuate = Effect.fnUntraced(function*(from: Host, isTrial: boolean) {
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
      const row = { target: target.name, detail: downtime(from, target, instance, reservation) }
      if (isTrial) return row
      const at = yield* Clock.currentTimeMillis
      yield* preemptBackup(instance, at)
      yield* hosts.beginMove(instance.id, target.id)
      yield* enqueueAs("admin", instance.id, Move.task({ host: target.name }), at)
      return row
    })
  )
})

/** The other host of an instance that moves: only that one may have its machine. */
const otherHost = ({ id }: Host, { hostId, targetId }: Reservation) =>
  targetId === null
    ? Effect.succeed(undefined)
    : Effect.flatMap(Hosts, ({ find }) => find(hostId === id ? targetId : hostId))

/** Continues the open task of an instance on its new host, or starts it there. A move has lost one of its hosts. */
const resume = Effect.fnUntraced(function*({ id, lifecycle, power }: StoredInstance) {
  const tasks = yield* Tasks
  const at = yield* Clock.currentTimeMillis
  const open = yield* tasks.open(id)
  if (open !== undefined && open.type !== "move") {
    yield* tasks.runNow(open.id, at)
    return `its open task (${open.type}) continues there`
  }
  if (open !== undefined) yield* tasks.cancel(open.id, "one of its hosts was declared off", at)
  const isOn = lifecycle === "active" && power === "on"
  yield* enqueueAs("admin", id, isOn ? Start.task({}) : Stop.task({}), at)
  return `${open === undefined ? "" : "its move is cancelled, and "}${isOn ? "it is started there" : "it stays off"}`
})

/** Brings the instances of a host that is off up on others, which have their disks. */
export const fence = Effect.fnUntraced(function*(from: Host) {
  const hosts = yield* Hosts
  const listed = [...yield* hosts.reservationsOn(from.id), ...yield* hosts.reservationsToward(from.id)]
  return yield* forEachOf(
    listed,
    Effect.fnUntraced(function*(instance, reservation) {
      const other = yield* otherHost(from, reservation)
      if (other !== undefined && !isShared(from, other)) {
        const detail =
          `it was moving between ${from.name} and ${other.name}, which share no storage: repair the host, or `
          + "its disks"
        return { target: null, detail }
      }
      if (from.sharedStorage === null) {
        const detail = `its disk, snapshots and backups are on ${from.name} only: repair the host, or its disks`
        return { target: null, detail }
      }
      const target = other ?? (yield* anotherHost(instance, reservation, from, (host) => isShared(from, host)))
      if (target === undefined) return { target: null, detail: `${NO_CAPACITY}, and the same storage` }
      yield* hosts.fence(instance.id, target.id)
      return { target: target.name, detail: yield* resume(instance) }
    })
  )
})
