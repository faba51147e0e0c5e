/**
 * Snapshots, backups and other sizes. A snapshot is a full copy of the disk, like a backup: it survives a reinstall,
 * and does not bring back an old definition of the machine.
 */
import * as Effect from "effect/Effect"
import { type OperationOf, Unavailable } from "../../../Driver.ts"
import { type MachineSize, sizeOf } from "../../../../domain/MachineSize.ts"
import { realTimeout } from "../../../../runtime/Time.ts"
import { backupXml, diskXml } from "../DomainXml.ts"
import { diskVolume, imageVolume, isBackup, type MachineRecord } from "../MachineRecord.ts"
import { whileFrozen } from "../Freeze.ts"
import { powerOf, powerOff, powerOn, save } from "../Machines.ts"
import { CODES, LibvirtError } from "../rpc/Faults.ts"
import { PROCEDURES as CALLS } from "../rpc/Procedures.ts"
import type { Pool, Volume } from "../rpc/Types.ts"
import { deleteVolume, findPool, findVolume, folderOf, orElse, refresh } from "../Volumes.ts"
import { type Continue, done, needSpace, rejected, shutDown, waiting, type Work } from "../Work.ts"
import { availableIn } from "../Space.ts"
import { removeOldDisks } from "./Systems.ts"

interface Image {
  readonly image: string
}

const COMPLETED_AND_KEEP = 1 + 2
const JOB = { none: 0, completed: 3, failed: 4 } as const

/** A machine on its host. */
type Located = Pick<Work, "connection" | "place" | "record">

/** The pools that may have an image, beginning with the one in which it is created: a backup may be older than that. */
const poolsFor = ({ place: { host } }: Located, image: string): readonly [string, ...ReadonlyArray<string>] =>
  host.backupPool === null || !isBackup(image) ? [host.pool] : [host.backupPool, host.pool]

/** The volumes of an image: one, unless it was begun again in another pool. */
export const findImage = Effect.fnUntraced(function*(work: Located, image: string) {
  const { record, connection } = work
  const volumes: Array<Volume> = []
  for (const name of poolsFor(work, image)) {
    const pool = yield* findPool(connection, name)
    yield* refresh(connection, pool)
    const volume = yield* findVolume(connection, pool, imageVolume(record.tag, image))
    if (volume !== undefined) volumes.push(volume)
  }
  return volumes
})

/** Deletes an image, or what an earlier attempt has left of one. */
const removeImage = Effect.fnUntraced(function*(work: Work, image: string) {
  for (const volume of yield* findImage(work, image)) yield* deleteVolume(work.connection, volume)
})

/** Deletes what an earlier attempt has left of a volume. */
export const removeVolume = Effect.fnUntraced(
  function*({ connection }: Pick<Work, "connection">, pool: Pool, name: string) {
    yield* refresh(connection, pool)
    const volume = yield* findVolume(connection, pool, name)
    if (volume !== undefined) yield* deleteVolume(connection, volume)
  }
)

export const allocated = ({ connection }: Pick<Work, "connection">, volume: Volume) =>
  Effect.map(connection.call(CALLS.volumeInfo, [volume]), ([, , bytes]) => bytes)

/** A disk with all of its data, also that of the image below it. */
const copiedBytes = Effect.fnUntraced(function*(work: Work, pool: Pool, disk: Volume) {
  const image = yield* work.image(work.record.os)
  const base = image && (yield* findVolume(work.connection, pool, image.volume))
  return (yield* allocated(work, disk)) + (base === undefined ? 0 : yield* allocated(work, base))
})

/** Leaves nothing if the host could not make the copy. One that exists, or a lost answer, may be another attempt's. */
export const copy = (work: Pick<Work, "connection" | "record">, pool: Pool, source: Volume, name: string) =>
  work.connection.slow(CALLS.volumeCopy, [pool, diskXml(name, work.record.diskGib, null), source, 0]).pipe(
    Effect.tapError((error) =>
      error instanceof LibvirtError && error.code !== CODES.VOLUME_EXISTS
        ? Effect.ignore(removeVolume(work, pool, name))
        : Effect.void
    )
  )

const diskOf = Effect.fnUntraced(function*({ record, connection }: Work, pool: Pool) {
  const disk = yield* findVolume(connection, pool, record.disk)
  return disk ?? (yield* rejected("the disk of the machine is missing on the host"))
})

const stored = Effect.fnUntraced(function*(work: Work, image: string) {
  const { record, connection } = work
  const [volume] = yield* findImage(work, image)
  if (volume === undefined) return yield* new Unavailable({ reason: "the copy is missing on the host" })
  const [, , bytes] = yield* connection.call(CALLS.volumeInfo, [volume])
  const { hostname, os } = record
  return done({ ...record, images: { ...record.images, [image]: { os, hostname } } }, bytes)
})

const COPYING = 1

/** The next attempt begins again, with the check of the space. */
const copyFailed = Effect.fnUntraced(function*(work: Work, image: string) {
  const { place, record, connection } = work
  yield* removeImage(work, image)
  yield* save(connection, { ...record, pending: null }, place)
  return yield* new Unavailable({
    reason: `The copy of the disk failed. The storage pool "${poolsFor(work, image)[0]}" of host ${place.host.name} is `
      + "probably full: free space in it, or enlarge it."
  })
})

const BYTES_PER_MIB = 2 ** 20
/** The part of the reserve below which copies give way: machines that run fill the rest, and would be paused. */
const TIGHT_PART = 1 / 2

/** True if the pool of a copy has hardly any space left. */
const isTight = Effect.fnUntraced(function*(work: Work, image: string) {
  const { connection, settings } = work
  const [target] = poolsFor(work, image)
  const pool = yield* findPool(connection, target)
  yield* orElse(connection.slow(CALLS.poolRefresh, [pool, 0]), [CODES.INTERNAL], Effect.void)
  return (yield* availableIn(connection, target)) < settings.LIBVIRT_POOL_RESERVE_MIB * BYTES_PER_MIB * TIGHT_PART
})

/** Ends a copy for the machines that run. The next attempt waits for space. */
const giveWay = Effect.fnUntraced(function*(work: Work, image: string) {
  yield* Effect.logWarning(`The ${work.pending.type} of ${work.record.tag} is ended: its pool is nearly full.`)
  yield* orElse(work.connection.call(CALLS.abortJob, [work.domain]), [CODES.OPERATION_INVALID], Effect.void)
  return yield* copyFailed(work, image)
})

/** Copies the disk, while the machine continues to run. */
const createImage: Continue<Image> = Effect.fnUntraced(function*(work, { image }) {
  const { domain, pending, place, record, connection } = work
  const isOn = (yield* powerOf(connection, domain)) === "on"
  if (isOn && pending.step === COPYING) {
    const [job] = yield* connection.slow(CALLS.jobStats, [domain, 0])
    if (job !== JOB.none) {
      return (yield* isTight(work, image))
        ? yield* giveWay(work, image)
        : waiting(work, COPYING, 50)
    }
    const [last] = yield* connection.slow(CALLS.jobStats, [domain, COMPLETED_AND_KEEP])
    if (last === JOB.completed) return yield* stored(work, image)
    if (last === JOB.failed) return yield* copyFailed(work, image)
  }
  const pool = yield* findPool(connection, place.host.pool)
  const disk = yield* diskOf(work, pool)
  yield* removeImage(work, image)
  const [target] = poolsFor(work, image)
  const name = imageVolume(record.tag, image)
  const reserved = yield* needSpace(work, target, name, yield* copiedBytes(work, pool, disk))
  const into = yield* findPool(connection, target)
  if (!isOn) {
    yield* copy(work, into, disk, name)
    return yield* stored(work, image)
  }
  const xml = backupXml(`${yield* folderOf(connection, into)}/${name}`)
  // It copies the disk as it is now: what is written afterwards is not in the copy.
  const begun = yield* whileFrozen(reserved, connection.slow(CALLS.backupBegin, [domain, xml, null, 0]))
  return waiting({ ...work, record: begun }, COPYING)
})

/** Another operation waits for this, and may not need the pool. */
const ABANDON_MILLIS = 5_000

/** Ends a copy, and deletes what exists of it. If its pool cannot be read, the next nightly backup deletes that. */
export const abandonImage = Effect.fnUntraced(function*(work: Work) {
  const { domain, pending: { image }, connection } = work
  yield* orElse(connection.slow(CALLS.abortJob, [domain]), [CODES.OPERATION_INVALID], Effect.void)
  if (image !== null) yield* realTimeout(Effect.ignore(removeImage(work, image)), ABANDON_MILLIS, Effect.void)
})

const deleteImage: Continue<Image> = Effect.fnUntraced(function*(work, { image }) {
  yield* removeImage(work, image)
  const { [image]: _, ...images } = work.record.images
  return done({ ...work.record, images })
})

const BYTES_PER_GIB = 2 ** 30

/** Enlarges a disk. It is compared first, because libvirt would shrink one without an error. */
export const enlarge = Effect.fnUntraced(
  function*({ connection }: Pick<Work, "connection">, disk: Volume, diskGib: number) {
    const [, capacity] = yield* connection.call(CALLS.volumeInfo, [disk])
    const wanted = diskGib * BYTES_PER_GIB
    if (capacity < wanted) yield* connection.slow(CALLS.volumeResize, [disk, wanted, 0])
  }
)

const startAgain = Effect.fnUntraced(
  function*({ domain, now, pending, place, connection }: Work, record: MachineRecord) {
    const next = { ...record, bootedAt: pending.wasOn ? now : null }
    yield* save(connection, next, place)
    if (pending.wasOn) yield* powerOn(connection, domain)
    return next
  }
)

/** A copy of the image becomes the disk. It is made while the machine runs, which may have to continue without it. */
const restoreImage: Continue<Image> = Effect.fnUntraced(function*(work, { image }) {
  const { domain, pending, place, record, connection } = work
  const system = record.images[image]
  const pool = yield* findPool(connection, place.host.pool)
  const [source] = yield* findImage(work, image)
  if (system === undefined || source === undefined) return yield* rejected("the image does not exist")
  const name = diskVolume(record.tag, pending.key)
  // Otherwise an earlier attempt has got so far.
  if (record.disk !== name) {
    yield* removeVolume(work, pool, name)
    yield* needSpace(work, place.host.pool, name, yield* allocated(work, source))
    yield* enlarge(work, yield* copy(work, pool, source, name), record.diskGib)
    yield* powerOff(connection, domain)
  }
  const restored = yield* startAgain(work, { ...record, ...system, disk: name })
  yield* removeOldDisks(work, restored)
  return done(restored)
})

/** The size in the specs of the new plan; without specs, the one that is reserved. */
const wantedSize = ({ place, record }: Work, specs: string | null): MachineSize | string => {
  const size = specs === null ? place.size : sizeOf(specs)
  if (size === undefined) return "the plan's specs have no size"
  return size.diskGib < record.diskGib
    ? "A disk cannot be made smaller. Choose a plan with at least as much storage."
    : size
}

const resize: Continue<OperationOf<"resize">> = Effect.fnUntraced(function*(work, { specs }) {
  const size = wantedSize(work, specs)
  if (typeof size === "string") return yield* rejected(size)
  if (work.pending.step === 0) yield* needSpace(work, work.place.host.pool, "", 0)
  if (!(yield* shutDown(work))) return waiting(work, 1)
  const pool = yield* findPool(work.connection, work.place.host.pool)
  yield* enlarge(work, yield* diskOf(work, pool), size.diskGib)
  return done(yield* startAgain(work, { ...work.record, ...size }))
})

export const DISKS = {
  resize,
  snapshot_create: createImage,
  snapshot_restore: restoreImage,
  snapshot_delete: deleteImage,
  backup_create: createImage,
  backup_restore: restoreImage,
  backup_delete: deleteImage
}
