/** Hosts of machines, what is reserved on them for instances, and the images that they have. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MachineSize } from "../domain/MachineSize.ts"
import type { HostLoad } from "../domain/Placement.ts"
import { columns, type Definition, placeholders, type Row, selectAll, selectOne, update } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { type Reservations, reservations } from "./Reservations.ts"
import { Sql } from "./Sql.ts"
import type { HostState } from "../contract/Words.ts"

export type Accelerator = "kvm" | "qemu"

export interface Host extends HostLoad {
  readonly name: string
  readonly dataCenterId: number
  readonly uri: string
  /** Folder with the certificates of a TLS connection. */
  readonly certificates: string | null
  readonly pool: string
  readonly bridge: string
  readonly accelerator: Accelerator
  /** Hosts with the same text see the same volumes in their pools; null: the pool is the host's own. */
  readonly sharedStorage: string | null
  /** The pool for backups; null: they are in the pool of the disks. */
  readonly backupPool: string | null
  /** Hosts with the same text see the same volumes in their backup pools; null: the backup pool is the host's own. */
  readonly sharedBackups: string | null
  /** Epoch milliseconds; null while it responds. */
  readonly unreachableSince: number | null
}

export type NewHost = Omit<Host, "id" | "used" | "diskLeftGib" | "unreachableSince"> & { readonly at: number }

export interface HostImage {
  readonly hostId: number
  /** Slug of an image of the catalogue, or file name of an ISO. */
  readonly slug: string
  readonly kind: "disk" | "iso"
  readonly sha256: string
  /** Its volume in the host's pool. */
  readonly volume: string
  readonly createdAt: number
}

interface Images {
  readonly images: (hostId: number) => Effect.Effect<ReadonlyArray<HostImage>>
  readonly image: (hostId: number, slug: string) => Effect.Effect<HostImage | undefined>
  /** Replaces one with the same slug. */
  readonly setImage: (image: HostImage) => Effect.Effect<void>
}

export class Hosts extends Context.Service<
  Hosts,
  Reservations & Images & {
    /** Returns its id. */
    readonly add: (host: NewHost) => Effect.Effect<number>
    /** By name. */
    readonly list: Effect.Effect<ReadonlyArray<Host>>
    readonly find: (id: number) => Effect.Effect<Host | undefined>
    readonly named: (name: string) => Effect.Effect<Host | undefined>
    readonly setState: (id: number, state: HostState) => Effect.Effect<void>
    readonly setStorage: (
      id: number,
      sharedStorage: string | null,
      backupPool: string | null,
      sharedBackups: string | null
    ) => Effect.Effect<void>
    /** The disk that may be promised to all instances on its storage together, by what its pool really has. */
    readonly setDiskLimit: (id: number, gib: number) => Effect.Effect<void>
    readonly setUnreachable: (id: number, since: number | null) => Effect.Effect<void>
    /** The active hosts of a data center that respond and have an image, or any if it is null; by id. */
    readonly active: (dataCenterId: number, image: string | null) => Effect.Effect<ReadonlyArray<Host>>
    /** Of the same hosts, a number of those on which a machine fits: the ones with most free memory, then by id. */
    readonly candidates: (
      dataCenterId: number,
      image: string | null,
      size: MachineSize,
      count: number
    ) => Effect.Effect<ReadonlyArray<HostLoad>>
  }
>()("@pulumi-vps/service/Hosts") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => ({ ...hosts(sql), ...reservations(sql), ...images(sql) }))
  )
}

const NEW_HOST: Definition<Omit<NewHost, "at">> = {
  name: "name",
  dataCenterId: "data_center_id",
  uri: "uri",
  certificates: "certificates",
  pool: "pool",
  bridge: "bridge",
  accelerator: "accelerator",
  capacity: { cpus: "cpus", memoryMib: "memory_mib", diskGib: "disk_gib" },
  state: "state",
  sharedStorage: "shared_storage",
  backupPool: "backup_pool",
  sharedBackups: "shared_backups"
}

/** Hosts with the same storage promise parts of the same space. */
const DISK_LEFT = `disk_limit_gib - CASE WHEN h.shared_storage IS NULL THEN used_disk_gib ELSE
  (SELECT CAST(sum(o.used_disk_gib) AS BIGINT) FROM hosts o WHERE o.shared_storage = h.shared_storage) END`

const LOAD: Definition<HostLoad> = {
  id: "id",
  state: NEW_HOST.state,
  capacity: NEW_HOST.capacity,
  used: { cpus: "used_cpus", memoryMib: "used_memory_mib", diskGib: "used_disk_gib" },
  diskLeftGib: DISK_LEFT
}

const HOST = columns<Host>({ ...LOAD, ...NEW_HOST, unreachableSince: "unreachable_since" })
const HOST_LOAD = columns<HostLoad>(LOAD)

const INSERT = columns<Omit<NewHost, "at">>(NEW_HOST)

const ACTIVE = `FROM hosts h WHERE data_center_id = ?1 AND state = 'active' AND unreachable_since IS NULL
  AND (CAST(?2 AS TEXT) IS NULL OR EXISTS (SELECT 1 FROM host_images i
    WHERE i.host_id = h.id AND i.slug = ?2 AND i.kind = 'disk'))`

/** The expression of an index, in whose order the hosts are read until there are enough. */
const FREE_MEMORY = "memory_mib - used_memory_mib"

export const CANDIDATES = `SELECT ${HOST_LOAD.sql} ${ACTIVE} AND ${FREE_MEMORY} >= ?4 AND used_cpus + ?3 <= cpus
  AND used_disk_gib + ?5 <= disk_gib AND (disk_limit_gib IS NULL OR ${DISK_LEFT} >= ?5)
  ORDER BY ${FREE_MEMORY} DESC, id LIMIT ?6`

const hosts = (sql: Sql["Service"]) => {
  const insert = sql.insert(
    `INSERT INTO hosts (${INSERT.sql}, created_at) VALUES (${placeholders(INSERT.names.length + 1)})`
  )
  const candidates = sql.all<Row>(CANDIDATES)
  return {
    add: ({ at, ...host }: NewHost) => insert(...INSERT.encode(host), at),
    list: selectAll(sql, HOST, "FROM hosts h ORDER BY name")(),
    find: selectOne(sql, HOST, "FROM hosts h WHERE id = ?"),
    named: selectOne(sql, HOST, "FROM hosts h WHERE name = ?"),
    setState: update(sql, "UPDATE hosts SET state = ?2 WHERE id = ?1"),
    setStorage: update(
      sql,
      "UPDATE hosts SET shared_storage = ?2, backup_pool = ?3, shared_backups = ?4 WHERE id = ?1"
    ),
    setDiskLimit: update(sql, "UPDATE hosts SET disk_limit_gib = ?2 WHERE id = ?1"),
    setUnreachable: update(sql, "UPDATE hosts SET unreachable_since = ?2 WHERE id = ?1"),
    active: selectAll(sql, HOST, `${ACTIVE} ORDER BY id`),
    candidates: (
      dataCenterId: number,
      image: string | null,
      { cpus, diskGib, memoryMib }: MachineSize,
      count: number
    ) => Rows.each(candidates(dataCenterId, image, cpus, memoryMib, diskGib, count), HOST_LOAD.decode)
  }
}

const HOST_IMAGE = columns<HostImage>({
  hostId: "host_id",
  slug: "slug",
  kind: "kind",
  sha256: "sha256",
  volume: "volume",
  createdAt: "created_at"
})

const images = (sql: Sql["Service"]): Images => {
  const set = sql.run(
    `INSERT INTO host_images (${HOST_IMAGE.sql}) VALUES (${placeholders(HOST_IMAGE.names.length)})
     ON CONFLICT (host_id, slug) DO UPDATE SET kind = excluded.kind, sha256 = excluded.sha256,
       volume = excluded.volume, created_at = excluded.created_at`
  )
  return {
    images: selectAll(sql, HOST_IMAGE, "FROM host_images WHERE host_id = ? ORDER BY slug"),
    image: selectOne(sql, HOST_IMAGE, "FROM host_images WHERE host_id = ? AND slug = ?"),
    setImage: (image) => Effect.asVoid(set(...HOST_IMAGE.encode(image)))
  }
}
