/** The checks of a host's pool for backups. Each failure names the remedy. */
import * as Effect from "effect/Effect"
import type { Host } from "../../../persistence/Hosts.ts"
import { CheckFailed, poolSpace, toGib } from "./Checks.ts"
import { CODES, LibvirtError } from "./rpc/Faults.ts"
import { PROCEDURES as CALLS } from "./rpc/Procedures.ts"
import type { HostConnection } from "./HostConnection.ts"
import { tagOfVolume } from "./MachineRecord.ts"
import { deleteVolume, findPool, findVolume, listedVolumes, orElse, refresh } from "./Volumes.ts"
import { randomUUID } from "node:crypto"
import { rawXml } from "./DomainXml.ts"

interface Connected<A> {
  readonly host: A
  readonly connection: HostConnection
}

/** A host with its connections. */
type HostAt = Connected<Host>

const BYTES_PER_MIB = 2 ** 20

/** The space in a host's pool for backups, which the daemon reads from time to time. Fails unless it is active. */
export const backupSpace = Effect.fnUntraced(
  function*({ host, connection }: Connected<Pick<Host, "name">>, pool: string) {
    const space = poolSpace(connection, { name: host.name, pool }, `/var/lib/libvirt/${pool}`)
    yield* space
    // Refused while a volume is copied.
    yield* orElse(
      connection.slow(CALLS.poolRefresh, [yield* findPool(connection, pool), 0]),
      [CODES.INTERNAL],
      Effect.void
    )
    return yield* space
  }
)

/** Files on one disk are lost together. Two file systems hardly have the same size and the same space left. */
const isOneFileSystem = Effect.fnUntraced(function*({ host, connection }: HostAt, pool: string) {
  const [disks, backups] = [yield* poolSpace(connection, host), yield* backupSpace({ host, connection }, pool)]
  return disks.capacity === backups.capacity && Math.abs(disks.available - backups.available) < BYTES_PER_MIB
})

const sharing = Effect.fnUntraced(function*(
  own: HostAt,
  pool: string,
  others: ReadonlyArray<HostAt>,
  silent: ReadonlyArray<Host>
) {
  const { name, sharedBackups } = own.host
  const names: Array<string> = []
  for (const { host, connection } of others) {
    const there = { connection, pool: host.backupPool! }
    if (yield* isSameStorage({ connection: own.connection, pool }, there)) {
      names.push(host.name)
      continue
    }
    return yield* Effect.fail(
      new CheckFailed(
        `Host ${host.name} does not see what ${name} stores in its pool "${pool}", although both have --shared-backups `
          + `${sharedBackups}. Mount the same file system on both.`
      )
    )
  }
  const untried = silent.length === 0 ? "" : `; not tried on ${silent.map(({ name }) => name).join(", ")}`
  if (names.length > 0 || untried !== "") return `shared with ${names.join(", ") || "none"}${untried}`
  const alone = "no other host sees them: if this one is lost, they are"
  return (yield* isOneFileSystem(own, pool)) ? `${alone}; on the same file system as the disks` : alone
})

/** Its space, and the hosts with which it is shared: among `others`, which an operator has declared to share it. */
export const checkBackups = Effect.fnUntraced(
  function*(own: HostAt, others: ReadonlyArray<HostAt>, silent: ReadonlyArray<Host>, reserveMib: number) {
    const { backupPool, name, pool } = own.host
    if (backupPool === null) {
      return `in the pool "${pool}", and lost with it: use another one with "hosts set ${name} --backup-pool"`
    }
    const { available, capacity } = yield* backupSpace(own, backupPool)
    if (available < reserveMib * BYTES_PER_MIB) {
      return yield* Effect.fail(
        new CheckFailed(
          `The storage pool "${backupPool}" of host ${name} has ${Math.floor(available / BYTES_PER_MIB)} MiB left, and `
            + `${reserveMib} MiB stay free, so backups fail. Free space in it, or enlarge it.`
        )
      )
    }
    return `${toGib(available)} of ${toGib(capacity)} GiB are free in "${backupPool}"; `
      + (yield* sharing(own, backupPool, others, silent))
  }
)

const BACKUP = /\.backup-(\d+)\.qcow2$/

/** Fails while the daemon copies a volume of the pool: an operator does not wait for that. */
const volumesIn = Effect.fnUntraced(function*(connection: HostConnection, name: string) {
  const pool = yield* findPool(connection, name)
  yield* connection.slow(CALLS.poolRefresh, [pool, 0])
  return yield* listedVolumes(connection, pool)
})

/** The ids of the backups in a pool. */
export const backupsIn = (connection: HostConnection, pool: string) =>
  Effect.map(volumesIn(connection, pool), (volumes) =>
    volumes.flatMap(({ name }) => {
      const id = tagOfVolume(name) === undefined ? undefined : BACKUP.exec(name)?.[1]
      return id === undefined ? [] : [Number(id)]
    }))

/** Fails if a pool that a host is to use no more has backups. Those in one that is undefined do not count. */
export const assertNoBackups = Effect.fnUntraced(function*({ host, connection }: HostAt, pool: string) {
  const found = yield* volumesIn(connection, pool).pipe(
    Effect.catch((error) =>
      error instanceof LibvirtError && error.code === CODES.NO_POOL
        ? Effect.succeed([])
        : Effect.fail(
          new CheckFailed(
            `The storage pool "${pool}" of host ${host.name} cannot be read: ${error.message} Start it, or give its `
              + `backups up with "virsh pool-undefine ${pool}".`
          )
        )
    )
  )
  const tags = new Set(found.flatMap(({ name }) => BACKUP.test(name) ? tagOfVolume(name) ?? [] : []))
  if (tags.size === 0) return
  return yield* Effect.fail(
    new CheckFailed(
      `The storage pool "${pool}" of host ${host.name} has backups of ${
        [...tags].join(", ")
      }. Move their files to the new pool first.`
    )
  )
})

interface PoolAt {
  readonly connection: HostConnection
  /** Name. */
  readonly pool: string
}

/** True for the error of a volume whose file exists already, which the daemon may not have listed. */
const EXISTS = [CODES.VOLUME_EXISTS, CODES.OPERATION_INVALID]

/**
 * Finds out whether two hosts see the same files in their pools, as on NFS that both mount. Creates a trial volume in
 * one pool, and then in the other: on the same storage, that fails because it exists.
 */
export const isSameStorage = Effect.fnUntraced(function*(one: PoolAt, other: PoolAt) {
  const name = `vps-trial-${randomUUID()}.raw`
  const xml = rawXml(name, 0)
  const trial = yield* one.connection.slow(CALLS.volumeCreate, [yield* findPool(one.connection, one.pool), xml, 0])
  return yield* Effect.gen(function*() {
    const pool = yield* findPool(other.connection, other.pool)
    // Fails for a pool that is not active.
    yield* refresh(other.connection, pool)
    if ((yield* findVolume(other.connection, pool, name)) !== undefined) return true
    const second = yield* orElse(
      other.connection.slow(CALLS.volumeCreate, [pool, xml, 0]),
      EXISTS,
      Effect.succeed(undefined)
    )
    if (second !== undefined) yield* deleteVolume(other.connection, second)
    return second === undefined
  }).pipe(Effect.ensuring(Effect.ignore(deleteVolume(one.connection, trial))))
})
