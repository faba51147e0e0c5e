/** Volumes in a host's pool. Each function can be repeated. */
import * as Effect from "effect/Effect"
import { createHash } from "node:crypto"
import { Writable } from "node:stream"
import type { Host } from "../../../persistence/Hosts.ts"
import { realSleep } from "../../../runtime/Time.ts"
import { rawXml } from "./DomainXml.ts"
import { escape, tagOfVolume, unescape } from "./MachineRecord.ts"
import { CODES, type LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Pool, Volume } from "./rpc/Types.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"

/** Treats some of libvirt's errors as a result. */
export const orElse = <A, B>(
  call: Effect.Effect<A, CallFault>,
  codes: ReadonlyArray<number>,
  instead: Effect.Effect<B, CallFault>
): Effect.Effect<A | B, CallFault> =>
  call.pipe(
    Effect.catch((error): Effect.Effect<B, CallFault> =>
      codes.includes((error as LibvirtError).code) ? instead : Effect.fail(error)
    )
  )

const nothing = Effect.succeed(undefined)

export const findPool = (connection: HostConnection, pool: string): Effect.Effect<Pool, CallFault> =>
  connection.call(CALLS.poolLookup, [pool])

export const findVolume = (
  connection: HostConnection,
  pool: Pool,
  name: string
): Effect.Effect<Volume | undefined, CallFault> =>
  orElse(connection.call(CALLS.volumeLookup, [pool, name]), [CODES.NO_VOLUME], nothing)

/** Creates a volume unless it exists. */
export const ensureVolume = (connection: HostConnection, pool: Pool, name: string, xml: string) =>
  orElse(
    connection.slow(CALLS.volumeCreate, [pool, xml, 0]),
    [CODES.VOLUME_EXISTS],
    connection.call(CALLS.volumeLookup, [pool, name])
  )

export const deleteVolume = (connection: HostConnection, volume: Volume) =>
  orElse(connection.slow(CALLS.volumeDelete, [volume, 0]), [CODES.NO_VOLUME], nothing)

/** Between two attempts, of which there are as many as fit in the time that a copy may take. */
const REFRESH_MILLIS = 250
const REFRESHES_MAX = 2_400

/**
 * Reads the files of a pool again. The daemon refuses that while it copies a volume of any machine in the pool. This
 * waits for the copy: otherwise the operations of all other machines would fail meanwhile.
 */
export const refresh = (
  connection: HostConnection,
  pool: Pool,
  left = REFRESHES_MAX
): Effect.Effect<void, CallFault> => {
  const read = connection.slow(CALLS.poolRefresh, [pool, 0])
  const again = Effect.andThen(realSleep(REFRESH_MILLIS), Effect.suspend(() => refresh(connection, pool, left - 1)))
  return left === 0 ? read : orElse(read, [CODES.INTERNAL], again)
}

const ALL = 1

/** The volumes as of the last refresh. */
export const listedVolumes = (connection: HostConnection, pool: Pool) =>
  Effect.map(connection.call(CALLS.volumeList, [pool, ALL, 0]), ([volumes]) => volumes)

/** The volumes that were made for a machine, also those that another process has created. */
export const volumesOf = Effect.fnUntraced(function*(connection: HostConnection, pool: Pool, tag: string) {
  yield* refresh(connection, pool)
  return (yield* listedVolumes(connection, pool)).filter(({ name }) => tagOfVolume(name) === tag)
})

/** All volumes on a host that were made for a machine, in each of its pools. */
export const volumesOn = Effect.fnUntraced(function*(connection: HostConnection, host: Host, tag: string) {
  const volumes: Array<Volume> = []
  for (const name of host.backupPool === null ? [host.pool] : [host.pool, host.backupPool]) {
    volumes.push(...yield* volumesOf(connection, yield* findPool(connection, name), tag))
  }
  return volumes
})

const FOLDER = /<target>\s*<path>([^<]*)<\/path>/

/** The folder of a pool, on the host. */
export const folderOf = (connection: HostConnection, pool: Pool): Effect.Effect<string, CallFault> =>
  Effect.map(connection.call(CALLS.poolXml, [pool, 0]), (xml) => unescape(FOLDER.exec(xml)?.[1] ?? ""))

export interface Upload {
  readonly name: string
  readonly bytes: number
  readonly data: () => AsyncIterable<Buffer> | Iterable<Buffer>
  /** Keeps it from other users of the host. */
  readonly secret?: boolean
}

/** Stores data in a volume. One of an earlier attempt is replaced, because it may be incomplete. */
export const storeVolume = Effect.fnUntraced(
  function*(connection: HostConnection, poolName: string, { bytes, data, name, secret = false }: Upload) {
    const pool = yield* findPool(connection, poolName)
    const volume = yield* ensureVolume(connection, pool, name, rawXml(name, bytes, secret))
    yield* connection.upload(CALLS.volumeUpload, [volume, 0, bytes, 0], data())
    // The daemon reads the format from the content.
    yield* refresh(connection, pool)
    return volume
  }
)

/** The SHA-256 digest of a volume's content. */
export const digestOf = Effect.fnUntraced(function*(connection: HostConnection, volume: Volume) {
  const digest = createHash("sha256")
  const write = (part: Buffer, _: string, next: () => void) => {
    digest.update(part)
    next()
  }
  yield* connection.download(CALLS.volumeDownload, [volume, 0, 0, 0], new Writable({ write }))
  return digest.digest("hex")
})

/** The names of the disks on top of a volume. */
export const disksOn = Effect.fnUntraced(function*(connection: HostConnection, pool: Pool, base: Volume) {
  const path = `<path>${escape(base.key)}</path>`
  const gone = Effect.succeed("")
  const names: Array<string> = []
  yield* refresh(connection, pool)
  for (const volume of yield* listedVolumes(connection, pool)) {
    const xml = yield* orElse(connection.call(CALLS.volumeXml, [volume, 0]), [CODES.NO_VOLUME], gone)
    if (volume.key !== base.key && xml.includes(path)) names.push(volume.name)
  }
  return names
})
