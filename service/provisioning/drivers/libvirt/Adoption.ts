/**
 * Defines the machine of a host that failed on another one, which has its disk on the same storage, or a backup of it.
 * A disk from a backup is made after the definition, which says so until it is complete: a crash repeats the copy.
 */
import * as Effect from "effect/Effect"
import { Rejected } from "../../Driver.ts"
import { DISK, diskVolume, type MachineRecord, newRecord, seedVolume } from "./MachineRecord.ts"
import { findMachine, type Found, save } from "./Machines.ts"
import { allocated, copy, enlarge, findImage, removeVolume } from "./operations/Disks.ts"
import type { MachinePlace } from "./MachinePlaces.ts"
import type { Upstream } from "./Progress.ts"
import type { HostConnection } from "./HostConnection.ts"
import { findPool, volumesOn } from "./Volumes.ts"
import { reserve } from "./Space.ts"
import { waitForSpace } from "./Work.ts"

const IMAGE = /\.([^.]+)\.qcow2$/

/** The volume of the disk that the machine gets; undefined if there is none. */
const diskAmong = Effect.fnUntraced(
  function*(tag: string, names: ReadonlyArray<string>, backup: string | null) {
    const [disk, another] = names.filter((name) => DISK.test(name))
    if (backup === null && another === undefined) return disk
    const own = backup === null ? undefined : diskVolume(tag, `fence ${backup}`)
    if (own !== undefined && (disk === undefined || disk === own) && another === undefined) return own
    const reason = own === undefined
      ? `the machine has two disks: ${disk} and ${another}. Delete the older one`
      : `the host has a disk of it already: ${disk}. Delete it, or the backup would not be used`
    return yield* new Rejected({ reason })
  }
)

const adopt = Effect.fnUntraced(function*(connection: HostConnection, place: MachinePlace, tag: string) {
  const { fenced, host } = place
  if (fenced === null) return undefined
  const { backup, ...system } = fenced
  const names = (yield* volumesOn(connection, host, tag)).map(({ name }) => name)
  const disk = yield* diskAmong(tag, names, backup)
  if (disk === undefined) return undefined
  const images = names.filter((name) => !DISK.test(name)).flatMap((name) => IMAGE.exec(name)?.[1] ?? [])
  const record: MachineRecord = {
    ...newRecord(tag, place, system, disk),
    // The disk of a machine that was undefined by hand since then is newer than the backup.
    restores: names.includes(disk) ? null : backup,
    seeded: names.includes(seedVolume(tag)),
    images: Object.fromEntries(images.map((image) => [image, system]))
  }
  return { domain: yield* save(connection, record, place), record }
})

/** Copies the backup that becomes the disk, unless that is done. */
const withDisk = Effect.fnUntraced(
  function*({ connectionTo, settings, storages }: Upstream, place: MachinePlace, found: Found) {
    const { record } = found
    if (record.restores === null) return found
    const connection = connectionTo(place.host)
    const work = { connection, settings, place, record }
    const [source] = yield* findImage(work, record.restores)
    if (source === undefined) {
      return yield* new Rejected({ reason: `host ${place.host.name} does not see ${record.restores} any more` })
    }
    const pool = yield* findPool(connection, place.host.pool)
    yield* removeVolume(work, pool, record.disk)
    const bytes = yield* allocated(work, source)
    const wanted = [{ pool: { host: place.host, connection, pool: place.host.pool }, volume: record.disk, bytes }]
    yield* reserve(
      storages,
      record,
      wanted,
      settings.LIBVIRT_POOL_RESERVE_MIB,
      (spaces) => save(connection, { ...record, spaces }, place)
    ).pipe(Effect.catchTag("PoolFull", waitForSpace("restore", record.tag, place.host.name)))
    yield* enlarge(work, yield* copy(work, pool, source, record.disk), record.diskGib)
    const restored = { ...record, restores: null }
    return { domain: yield* save(connection, restored, place), record: restored }
  }
)

/** The machine of a tag on its host; undefined if it does not exist. */
export const findOrAdopt = Effect.fnUntraced(function*(upstream: Upstream, place: MachinePlace, tag: string) {
  const connection = upstream.connectionTo(place.host)
  const found = (yield* findMachine(connection, tag)) ?? (yield* adopt(connection, place, tag))
  return found === undefined ? undefined : yield* withDisk(upstream, place, found)
})
