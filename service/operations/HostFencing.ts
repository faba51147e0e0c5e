/** Brings the instances of a host that is off up on others: with their disks, or with what a backup has of them. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { anotherHost } from "../catalogue/Capacity.ts"
import { toTimestamp } from "../domain/Timestamp.ts"
import { type Backup, Backups, type Image, Snapshots } from "../persistence/Snapshots.ts"
import { type Host, Hosts } from "../persistence/Hosts.ts"
import { Instances, type StoredInstance } from "../persistence/Instances.ts"
import type { Reservation } from "../persistence/Reservations.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { enqueueAs, preemptBackup } from "./Enqueue.ts"
import { hostnameOf } from "./InstalledSystem.ts"
import { Start, Stop } from "./Power.ts"
import { forEachOf, isShared, NO_CAPACITY } from "./Relocation.ts"

/** The backups that other hosts see. */
export interface Reach {
  /** Ids of backups, by id of the host. */
  readonly backups: ReadonlyMap<number, ReadonlySet<number>>
  /** The reasons for which backup pools could not be read. */
  readonly failures: ReadonlyArray<string>
}

/** The other host of an instance that moves: only that one may have its machine. */
const otherHost = ({ id }: Host, { hostId, targetId }: Reservation) =>
  targetId === null
    ? Effect.succeed(undefined)
    : Effect.flatMap(Hosts, ({ find }) => find(hostId === id ? targetId : hostId))

/** Continues the open task of an instance on its new host, or starts it there. A move has lost one of its hosts. */
const resume = Effect.fnUntraced(function*(instance: StoredInstance) {
  const { id, lifecycle, power } = instance
  const tasks = yield* Tasks
  const at = yield* Clock.currentTimeMillis
  yield* preemptBackup(instance, at)
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

/** Records the host, and the system on the disk. */
const recordPlace = Effect.fnUntraced(function*(instance: StoredInstance, target: Host, os: string) {
  if (instance.providerData === null) return
  const providerData = JSON.stringify({ ...JSON.parse(instance.providerData) as object, os, node: target.name })
  yield* (yield* Instances).setSystem(instance.id, { os, hostname: hostnameOf(instance), providerData })
})

const isComplete = ({ status }: Image): boolean => status === "available" || status === "restoring"

/** Records of an instance whose files are on the lost host alone. */
const lossOf = Effect.fnUntraced(function*({ id }: StoredInstance, seen: ReadonlySet<number>) {
  const snapshots = (yield* (yield* Snapshots).list(id)).filter(isComplete)
  const backups = (yield* (yield* Backups).list(id)).filter((each) => isComplete(each) && !seen.has(each.id))
  const counted = (count: number, word: string) => count === 0 ? "" : `, ${count} ${word}${count === 1 ? "" : "s"}`
  return {
    snapshots,
    backups,
    text: `all that it wrote since${counted(snapshots.length, "snapshot")}${counted(backups.length, "other backup")}`
  }
})

const MINUTE = 60_000
const MINUTES_PER_HOUR = 60

const ageOf = ({ createdAt }: Backup, now: number): string => {
  const minutes = Math.floor((now - createdAt) / MINUTE)
  const age = minutes < MINUTES_PER_HOUR ? `${minutes} min` : `${Math.floor(minutes / MINUTES_PER_HOUR)} h`
  return `backup of ${toTimestamp(createdAt)} (${age} old)`
}

const TERMINATE = "repair the host or its disks, or terminate the instance, and refund the customer"

/** The newest backup that another host sees. */
const newestBackup = Effect.fnUntraced(function*({ id }: StoredInstance, { backups }: Reach) {
  const all = (yield* (yield* Backups).list(id)).filter(isComplete)
  const seen = all.filter((backup) => [...backups.values()].some((ids) => ids.has(backup.id)))
  return seen.toSorted((one, other) => other.createdAt - one.createdAt || other.id - one.id)[0]
})

/** Brings an instance whose disk is lost up from its newest backup; only says so unless it is confirmed. */
const fromBackup = Effect.fnUntraced(
  function*(from: Host, instance: StoredInstance, reservation: Reservation, reach: Reach, isConfirmed: boolean) {
    const backup = yield* newestBackup(instance, reach)
    if (backup === undefined) {
      const reason = reach.failures.length === 0 ? "" : ` (${reach.failures.join(" ")})`
      const detail = `its disk and snapshots are on ${from.name} only, and no other host sees a backup of it${reason}: `
      return { target: null, detail: detail + TERMINATE }
    }
    const sees = ({ id }: Host) => reach.backups.get(id)?.has(backup.id) === true
    const target = yield* anotherHost(instance, reservation, from, sees)
    if (target === undefined) return { target: null, detail: `${NO_CAPACITY}, and sees its backup` }
    const at = yield* Clock.currentTimeMillis
    const name = ageOf(backup, at)
    const lost = yield* lossOf(instance, reach.backups.get(target.id)!)
    if (!isConfirmed) {
      const detail = `its disk is on ${from.name} only. With --from-backups, ${target.name} gets it from its ${name}; `
        + `lost: ${lost.text}`
      return { target: null, detail }
    }
    yield* (yield* Hosts).fence(instance.id, target.id, backup.id)
    yield* Effect.forEach(lost.snapshots, ({ id }) => Effect.flatMap(Snapshots, (each) => each.setStatus(id, "failed")))
    yield* Effect.forEach(lost.backups, ({ id }) => Effect.flatMap(Backups, (each) => each.setStatus(id, "failed")))
    yield* recordPlace(instance, target, backup.os)
    yield* (yield* Tasks).recordAudit({
      instanceId: instance.id,
      type: "backup_restore",
      status: "succeeded",
      actor: "admin",
      apiKeyId: null,
      requestId: null,
      error: null,
      at
    })
    return { target: target.name, detail: `from its ${name}: ${yield* resume(instance)}; lost: ${lost.text}` }
  }
)

/**
 * Brings the instances of a host that is off up on others. One whose disk was on that host alone needs a backup, and
 * that the operator has confirmed what is lost. A trial says the same, and changes nothing.
 */
export const fence = Effect.fnUntraced(function*(from: Host, reach: Reach, isConfirmed: boolean, isTrial: boolean) {
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
      if (from.sharedStorage === null) return yield* fromBackup(from, instance, reservation, reach, isConfirmed)
      const target = other ?? (yield* anotherHost(instance, reservation, from, (host) => isShared(from, host)))
      if (target === undefined) return { target: null, detail: `${NO_CAPACITY}, and the same storage` }
      yield* hosts.fence(instance.id, target.id, null)
      yield* recordPlace(instance, target, instance.os)
      return { target: target.name, detail: `from shared storage: ${yield* resume(instance)}` }
    }),
    isTrial
  )
})
