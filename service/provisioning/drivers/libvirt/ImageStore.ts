/** Stores the images and ISOs of operators in a host's pool. */
import * as Effect from "effect/Effect"
import { createReadStream } from "node:fs"
import type { Host } from "../../../persistence/Hosts.ts"
import type { HostFault, ImageFile } from "../../HostAdmin.ts"
import { CheckFailed } from "./Checks.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { Pool, Volume } from "./rpc/Types.ts"
import type { HostConnection } from "./HostConnection.ts"
import { assertSpace } from "./Space.ts"
import { deleteVolume, digestOf, disksOn, findPool, findVolume, storeVolume } from "./Volumes.ts"

/** Different contents have different names, so that the disks on top of an earlier image stay as they are. */
const volumeOf = ({ kind, sha256, slug }: ImageFile): string =>
  `image-${slug}-${sha256.slice(0, 8)}.${kind === "disk" ? "qcow2" : "iso"}`

/** A volume with other content than its name says: an import was interrupted, or it was changed. */
const discard = Effect.fnUntraced(function*(connection: HostConnection, pool: Pool, volume: Volume) {
  const disks = yield* disksOn(connection, pool, volume)
  if (disks.length === 0) return yield* deleteVolume(connection, volume)
  return yield* Effect.fail(
    new CheckFailed(
      `The content of the volume ${volume.name} is not what was imported, and disks depend on it: ${
        disks.join(", ")
      }. Restore ${volume.key} from a copy of the file, or import the image under another name.`
    )
  )
})

/** Returns the volume's name. A volume that exists is never written, because disks may be on top of it. */
export const storeImage: (
  connection: HostConnection,
  host: Host,
  file: ImageFile,
  reserveMib: number
) => Effect.Effect<string, HostFault> = Effect.fnUntraced(
  function*(connection, host, file, reserveMib) {
    const name = host.pool
    const pool = yield* findPool(connection, name)
    yield* connection.slow(CALLS.poolRefresh, [pool, 0])
    const volume = volumeOf(file)
    const existing = yield* findVolume(connection, pool, volume)
    if (existing !== undefined) {
      if ((yield* digestOf(connection, existing)) === file.sha256) return volume
      yield* discard(connection, pool, existing)
    }
    const storages = { hosts: Effect.succeed([host]), connectionTo: () => connection }
    yield* assertSpace(storages, { host, connection, pool: name }, "", file.bytes, reserveMib)
    // Opened when it is first read: a stream that a host rejects must not open the file, and fail, afterwards.
    const data = async function*() {
      for await (const part of createReadStream(file.path)) yield part as Buffer
    }
    const removed = Effect.flatMap(
      findVolume(connection, pool, volume),
      (incomplete) => incomplete === undefined ? Effect.void : deleteVolume(connection, incomplete)
    )
    yield* storeVolume(connection, name, { name: volume, bytes: file.bytes, data }).pipe(
      Effect.onError(() => Effect.ignore(removed))
    )
    return volume
  }
)
