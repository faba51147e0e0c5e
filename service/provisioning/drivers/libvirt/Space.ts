/**
 * The space in pools that copies in progress will need. A copy grows while it is made, so the space left in its pool
 * does not show it. The record of its machine does, for all processes of the service, until the operation has ended.
 */
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import type * as Semaphore from "effect/Semaphore"
import type { Host } from "../../../persistence/Hosts.ts"
import type { MachineRecord, Space } from "./MachineRecord.ts"
import { findMachine, ownDomains, type TaggedDomain } from "./Machines.ts"
import { CODES, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { CallFault, HostConnection } from "./HostConnection.ts"
import { findPool, listedVolumes, orElse } from "./Volumes.ts"

/** The hosts whose machines may use the same storage. */
export interface Storages {
  readonly hosts: Effect.Effect<ReadonlyArray<Host>>
  readonly connectionTo: (host: Host) => HostConnection
  /** One reservation of this process at a time: otherwise, several would find each other, and all wait. */
  readonly lock: Semaphore.Semaphore
}

/** A pool of a host. */
export interface PoolOf {
  readonly host: Host
  readonly connection: HostConnection
  readonly pool: string
}

/** Pools with the same name are the same files. */
export const storageOf = ({ host, pool }: Pick<PoolOf, "host" | "pool">): string =>
  pool === host.pool ? `disks of ${host.sharedStorage ?? host.name}` : `backups of ${host.sharedBackups ?? host.name}`

export const spaceIn = (pool: PoolOf, volume: string, bytes: number): Space => ({
  storage: storageOf(pool),
  volume,
  bytes
})

/** The space that an operation of a machine has reserved. One that has ended needs no more. */
export const openSpaces = ({ pending, restores, spaces }: MachineRecord): ReadonlyArray<Space> =>
  pending !== null || restores !== null ? spaces : []

const ALL = 0
/** Calls at once, of the five that the daemon executes for a connection. */
const CONCURRENCY = 3

const spacesOf = (connection: HostConnection, storage: string) => ({ tag }: TaggedDomain) =>
  findMachine(connection, tag).pipe(
    Effect.map((found) => {
      if (found === undefined) return []
      const { tag } = found.record
      return openSpaces(found.record).filter((each) => each.storage === storage).map((each) => ({ ...each, tag }))
    }),
    Effect.catch((error) => error instanceof LibvirtError ? Effect.succeed([]) : Effect.fail(error))
  )

/** Reads a pool again; false while the daemon copies a volume of it, which it refuses then. */
const isRead = (connection: HostConnection, pool: string) =>
  Effect.flatMap(findPool(connection, pool), (found) =>
    orElse(
      Effect.as(connection.slow(CALLS.poolRefresh, [found, 0]), true),
      [CODES.INTERNAL],
      Effect.succeed(false)
    ))

const isReachable = ({ state, unreachableSince }: Host): boolean => unreachableSince === null && state !== "offline"

type Readable = Pick<Storages, "hosts" | "connectionTo">

/** The bytes that copies of other machines will still write to a pool. */
const reservedIn = Effect.fnUntraced(function*(storages: Readable, pool: PoolOf, own: string) {
  const storage = storageOf(pool)
  const isFresh = yield* isRead(pool.connection, pool.pool)
  const spaces: Array<Space> = []
  for (const host of yield* storages.hosts) {
    const isSame = storageOf({ host, pool: host.pool }) === storage
      || (host.backupPool !== null && storageOf({ host, pool: host.backupPool }) === storage)
    // A move into the pool is recorded on the host that the machine leaves.
    if (!isReachable(host) || (!isSame && host.dataCenterId !== pool.host.dataCenterId)) continue
    const connection = storages.connectionTo(host)
    const found = yield* Effect.flatMap(
      ownDomains(connection, ALL),
      Effect.forEach(spacesOf(connection, storage), { concurrency: CONCURRENCY })
    ).pipe(
      // A move from a host that does not respond does not continue.
      Effect.catch((error) => isSame ? Effect.fail(error) : Effect.succeed([]))
    )
    spaces.push(...found.flat().filter(({ tag }) => tag !== own))
  }
  if (spaces.length === 0) return 0
  const volumes = yield* listedVolumes(pool.connection, yield* findPool(pool.connection, pool.pool))
  let reserved = 0
  for (const { bytes, volume } of spaces) {
    let written = 0
    // Without a fresh list, the space left is the one before the copy.
    for (const each of isFresh ? volumes.filter(({ name }) => name.startsWith(volume)) : []) {
      const info = pool.connection.call(CALLS.volumeInfo, [each])
      written += (yield* orElse(info, [CODES.NO_VOLUME], Effect.succeed([0, 0, 0] as const)))[2]
    }
    reserved += Math.max(0, bytes - written)
  }
  return reserved
})

export class PoolFull extends Data.TaggedError("PoolFull")<{ readonly message: string }> {}

const BYTES_PER_MIB = 2 ** 20
const toMib = (bytes: number): number => Math.ceil(bytes / BYTES_PER_MIB)

export const availableIn = Effect.fnUntraced(function*(connection: HostConnection, poolName: string) {
  const [, , , available] = yield* connection.call(CALLS.poolInfo, [yield* findPool(connection, poolName)])
  return available
})

/** Fails with what is missing unless a pool has space for a file beside the copies in progress, and keeps some. */
export const assertSpace = Effect.fnUntraced(
  function*(storages: Readable, pool: PoolOf, own: string, bytes: number, reserveMib: number) {
    const reserved = yield* reservedIn(storages, pool, own)
    const available = yield* availableIn(pool.connection, pool.pool)
    if (available >= bytes + reserved + reserveMib * BYTES_PER_MIB) return
    const copies = reserved === 0 ? "" : `, ${toMib(reserved)} MiB are reserved for copies in progress`
    const kept = reserveMib === 0 ? "" : `, and ${reserveMib} MiB stay free`
    return yield* new PoolFull({
      message: `The storage pool "${pool.pool}" has ${Math.floor(available / BYTES_PER_MIB)} MiB left, and the file `
        + `needs ${toMib(bytes)} MiB${copies}${kept}. Free space in it, or enlarge it.`
    })
  }
)

interface Wanted {
  readonly pool: PoolOf
  /** The beginning of the names of the volumes that are written. */
  readonly volume: string
  readonly bytes: number
}

/**
 * Reserves space in pools. `write` stores the reservations in the machine's record before they are checked, so that
 * another process finds them. Fails with `PoolFull`; then the caller removes them.
 */
export const reserve = <A>(
  storages: Storages,
  { tag }: MachineRecord,
  wanted: ReadonlyArray<Wanted>,
  reserveMib: number,
  write: (spaces: ReadonlyArray<Space>) => Effect.Effect<A, CallFault>
): Effect.Effect<A, CallFault | PoolFull> =>
  storages.lock.withPermits(1)(Effect.gen(function*() {
    const written = yield* write(wanted.map(({ bytes, pool, volume }) => spaceIn(pool, volume, bytes)))
    for (const { bytes, pool } of wanted) yield* assertSpace(storages, pool, tag, bytes, reserveMib)
    return written
  }))
