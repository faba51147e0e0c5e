/** The volumes of a machine that moves to a host which does not see them: they are copied, and deleted afterwards. */
import * as Effect from "effect/Effect"
import { PassThrough } from "node:stream"
import { type DriverRequest, Rejected } from "../../../Driver.ts"
import { diskXml, rawXml } from "../DomainXml.ts"
import { type MachineRecord, moveVolume } from "../MachineRecord.ts"
import { findMachine } from "../Machines.ts"
import type { MachinePlace } from "../MachinePlaces.ts"
import type { Upstream } from "../Progress.ts"
import { PROCEDURES as CALLS } from "../rpc/Procedures.ts"
import type { Volume } from "../rpc/Types.ts"
import { isSameStorage } from "../BackupChecks.ts"
import type { HostConnection } from "../HostConnection.ts"
import { deleteVolume, ensureVolume, findPool, findVolume, refresh, volumesOf } from "../Volumes.ts"

/** A move that has begun. */
export interface Moving {
  readonly upstream: Upstream
  readonly request: DriverRequest
  /** The machine may be powered off for it. */
  readonly allowsDowntime: boolean
  readonly source: MachinePlace
  readonly target: MachinePlace
  readonly from: HostConnection
  readonly to: HostConnection
  /** The hosts see the same disks. */
  readonly isShared: boolean
  /** The hosts see the same backups. */
  readonly sharesBackups: boolean
}

/** A pool of the source whose volumes the target does not see, and the one that receives them. */
interface Pair {
  readonly pool: string
  readonly into: string
  /** The flag of an operator whose hosts do share it. */
  readonly flag: string
}

const pairOfDisks = ({ isShared, source, target }: Moving): ReadonlyArray<Pair> =>
  isShared ? [] : [{ pool: source.host.pool, into: target.host.pool, flag: "--shared-storage" }]

const pairOfBackups = ({ sharesBackups, source: { host }, target }: Moving): ReadonlyArray<Pair> =>
  sharesBackups || host.backupPool === null
    ? []
    : [{ pool: host.backupPool, into: target.host.backupPool ?? target.host.pool, flag: "--shared-backups" }]

/** Copies a volume over the connections to both hosts. */
const transfer = Effect.fnUntraced(function*({ from, to }: Moving, volume: Volume, copied: Volume) {
  const pipe = new PassThrough()
  yield* Effect.all([
    from.download(CALLS.volumeDownload, [volume, 0, 0, 0], pipe),
    to.upload(CALLS.volumeUpload, [copied, 0, 0, 0], pipe)
  ], { concurrency: 2, discard: true }).pipe(Effect.ensuring(Effect.sync(() => pipe.destroy())))
})

/** The volume to copy: a disk without the image below it, which may have another path on the target. */
const standalone = Effect.fnUntraced(function*({ from, source }: Moving, volume: Volume, record: MachineRecord) {
  if (volume.name !== record.disk) return volume
  const pool = yield* findPool(from, source.host.pool)
  const name = moveVolume(record.tag)
  const earlier = yield* findVolume(from, pool, name)
  if (earlier !== undefined) yield* deleteVolume(from, earlier)
  return yield* from.slow(CALLS.volumeCopy, [pool, diskXml(name, record.diskGib, null), volume, 0])
})

/** Fails if both hosts see the same volumes after all: those would be deleted as left from an earlier attempt. */
export const assertApart = Effect.fnUntraced(function*(moving: Moving) {
  const { from, source, target, to } = moving
  for (const { flag, into, pool } of [...pairOfDisks(moving), ...pairOfBackups(moving)]) {
    if (!(yield* isSameStorage({ connection: from, pool }, { connection: to, pool: into }))) continue
    return yield* new Rejected({
      reason: `hosts ${source.host.name} and ${target.host.name} see the same files in their pools "${pool}" and `
        + `"${into}". Say so: run "hosts set NAME ${flag} SAME-NAME" for both`
    })
  }
})

/** The space that the copies need on both hosts. A disk is copied with the image below it, once on each of them. */
export const spaceToMove = Effect.fnUntraced(function*(moving: Moving, record: MachineRecord) {
  const { from, source, target, to, upstream } = moving
  const wanted = []
  for (const { into, pool } of [...pairOfDisks(moving), ...pairOfBackups(moving)]) {
    const here = yield* findPool(from, pool)
    let bytes = 0
    for (const volume of yield* volumesOf(from, here, record.tag)) {
      const [, , allocated] = yield* from.call(CALLS.volumeInfo, [volume])
      bytes += allocated
      if (volume.name !== record.disk) continue
      const image = yield* upstream.places.image(source.host.id, record.os)
      const base = image && (yield* findVolume(from, here, image.volume))
      const below = base === undefined ? 0 : (yield* from.call(CALLS.volumeInfo, [base]))[2]
      bytes += below
      const flat = { pool: { host: source.host, connection: from, pool }, volume: moveVolume(record.tag) }
      wanted.push({ ...flat, bytes: allocated + below })
    }
    wanted.push({ pool: { host: target.host, connection: to, pool: into }, volume: `${record.tag}.`, bytes })
  }
  return wanted
})

const copyVolumes = Effect.fnUntraced(function*(moving: Moving, record: MachineRecord, pair: Pair) {
  const { from, to } = moving
  const [here, there] = [yield* findPool(from, pair.pool), yield* findPool(to, pair.into)]
  for (const volume of yield* volumesOf(from, here, record.tag)) {
    if (volume.name === moveVolume(record.tag)) continue
    // Another process may have ended the same move after this one had lost its lease.
    if ((yield* findMachine(to, record.tag)) !== undefined) return
    const earlier = yield* findVolume(to, there, volume.name)
    if (earlier !== undefined) yield* deleteVolume(to, earlier)
    const copied = yield* ensureVolume(to, there, volume.name, rawXml(volume.name, 0, volume.name.endsWith(".iso")))
    yield* transfer(moving, yield* standalone(moving, volume, record), copied)
  }
  yield* refresh(to, there)
})

export const copyDisks = (moving: Moving, record: MachineRecord) =>
  Effect.forEach(pairOfDisks(moving), (pair) => copyVolumes(moving, record, pair))

export const copyBackups = (moving: Moving, record: MachineRecord) =>
  Effect.forEach(pairOfBackups(moving), (pair) => copyVolumes(moving, record, pair))

/** Deletes what was copied from the source. */
export const deleteCopied = Effect.fnUntraced(function*(moving: Moving) {
  const { from, request } = moving
  for (const { pool } of [...pairOfDisks(moving), ...pairOfBackups(moving)]) {
    const volumes = yield* volumesOf(from, yield* findPool(from, pool), request.tag)
    for (const volume of volumes) yield* deleteVolume(from, volume)
  }
})
