/** Hosts of machines, what is reserved on them for instances, and the images that they have. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { MachineSize } from "../domain/MachineSize.ts"
import type { HostLoad, HostState } from "../domain/Placement.ts"
import { columns, type Definition, placeholders, selectAll, selectOne } from "./Columns.ts"
import { Sql } from "./Sql.ts"

export type Accelerator = "kvm" | "qemu"

export interface Host extends HostLoad {
  readonly name: string
  readonly dataCentreId: number
  readonly uri: string
  /** Folder with the certificates of a TLS connection. */
  readonly certificates: string | null
  readonly pool: string
  readonly bridge: string
  readonly accelerator: Accelerator
}

export type NewHost = Omit<Host, "id" | "used"> & { readonly at: number }

/** The part of a host that is promised to an instance. */
export interface Reservation {
  readonly instanceId: number
  readonly hostId: number
  readonly size: MachineSize
}

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

interface Machines {
  readonly reserve: (reservation: Reservation & { readonly accountId: number }) => Effect.Effect<void>
  readonly reservation: (instanceId: number) => Effect.Effect<Reservation | undefined>
  /** Does nothing for an instance without one. */
  readonly resize: (instanceId: number, size: MachineSize) => Effect.Effect<void>
  /** Does nothing for an instance without one. */
  readonly release: (instanceId: number) => Effect.Effect<void>
  /** The number of a customer's machines, by host. */
  readonly machinesOf: (accountId: number) => Effect.Effect<ReadonlyMap<number, number>>
}

interface Images {
  readonly images: (hostId: number) => Effect.Effect<ReadonlyArray<HostImage>>
  readonly image: (hostId: number, slug: string) => Effect.Effect<HostImage | undefined>
  /** Replaces one with the same slug. */
  readonly setImage: (image: HostImage) => Effect.Effect<void>
}

export class Hosts extends Context.Service<
  Hosts,
  Machines & Images & {
    /** Returns its id. */
    readonly add: (host: NewHost) => Effect.Effect<number>
    /** By name. */
    readonly list: Effect.Effect<ReadonlyArray<Host>>
    readonly find: (id: number) => Effect.Effect<Host | undefined>
    readonly named: (name: string) => Effect.Effect<Host | undefined>
    readonly setState: (id: number, state: HostState) => Effect.Effect<void>
    /** The active hosts of a data center that have an image, or all of them if it is null; by id. */
    readonly active: (dataCentreId: number, image: string | null) => Effect.Effect<ReadonlyArray<Host>>
  }
>()("pulumi-vps/service/Hosts") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => ({ ...hosts(sql), ...machines(sql), ...images(sql) }))
  )
}

const NEW_HOST: Definition<Omit<Host, "id" | "used">> = {
  name: "name",
  dataCentreId: "data_centre_id",
  uri: "uri",
  certificates: "certificates",
  pool: "pool",
  bridge: "bridge",
  accelerator: "accelerator",
  capacity: { cpus: "cpus", memoryMib: "memory_mib", diskGib: "disk_gib" },
  state: "state"
}

const HOST = columns<Host>({
  id: "id",
  ...NEW_HOST,
  used: { cpus: "used_cpus", memoryMib: "used_memory_mib", diskGib: "used_disk_gib" }
})

const INSERT = columns<Omit<NewHost, "at">>(NEW_HOST)

const hosts = (sql: Sql["Service"]) => {
  const insert = sql.insert(
    `INSERT INTO hosts (${INSERT.sql}, created_at) VALUES (${placeholders(INSERT.names.length + 1)})`
  )
  const setState = sql.run("UPDATE hosts SET state = ? WHERE id = ?")
  const active = selectAll(
    sql,
    HOST,
    `FROM hosts h WHERE data_centre_id = ?1 AND state = 'active' AND (CAST(?2 AS TEXT) IS NULL OR EXISTS (
       SELECT 1 FROM host_images i WHERE i.host_id = h.id AND i.slug = ?2 AND i.kind = 'disk')) ORDER BY id`
  )
  return {
    add: ({ at, ...host }: NewHost) => insert(...INSERT.encode(host), at),
    list: selectAll(sql, HOST, "FROM hosts ORDER BY name")(),
    find: selectOne(sql, HOST, "FROM hosts WHERE id = ?"),
    named: selectOne(sql, HOST, "FROM hosts WHERE name = ?"),
    setState: (id: number, state: HostState) => Effect.asVoid(setState(state, id)),
    active: (dataCentreId: number, image: string | null) => active(dataCentreId, image)
  }
}

const RESERVATION = columns<Reservation>({
  instanceId: "instance_id",
  hostId: "host_id",
  size: { cpus: "cpus", memoryMib: "memory_mib", diskGib: "disk_gib" }
})

const difference = (after: MachineSize, before: MachineSize): MachineSize => ({
  cpus: after.cpus - before.cpus,
  memoryMib: after.memoryMib - before.memoryMib,
  diskGib: after.diskGib - before.diskGib
})

const NOTHING: MachineSize = { cpus: 0, memoryMib: 0, diskGib: 0 }

const machines = (sql: Sql["Service"]): Machines => {
  const insert = sql.run(
    "INSERT INTO reservations (instance_id, host_id, account_id, cpus, memory_mib, disk_gib) VALUES (?, ?, ?, ?, ?, ?)"
  )
  const find = selectOne(sql, RESERVATION, "FROM reservations WHERE instance_id = ?")
  const resize = sql.run("UPDATE reservations SET cpus = ?, memory_mib = ?, disk_gib = ? WHERE instance_id = ?")
  const remove = sql.run("DELETE FROM reservations WHERE instance_id = ?")
  const use = sql.run(
    `UPDATE hosts SET used_cpus = used_cpus + ?, used_memory_mib = used_memory_mib + ?,
       used_disk_gib = used_disk_gib + ? WHERE id = ?`
  )
  const counts = sql.all<[hostId: number, machines: number]>(
    "SELECT host_id, CAST(count(*) AS BIGINT) FROM reservations WHERE account_id = ? GROUP BY host_id"
  )
  const add = (hostId: number, { cpus, diskGib, memoryMib }: MachineSize) => use(cpus, memoryMib, diskGib, hostId)
  const change = (instanceId: number, write: (before: Reservation) => Effect.Effect<unknown>) =>
    Effect.flatMap(find(instanceId), (before) => before === undefined ? Effect.void : Effect.asVoid(write(before)))
  return {
    reserve: ({ accountId, hostId, instanceId, size }) =>
      Effect.asVoid(Effect.andThen(
        insert(instanceId, hostId, accountId, size.cpus, size.memoryMib, size.diskGib),
        add(hostId, size)
      )),
    reservation: find,
    resize: (id, size) =>
      change(id, (before) =>
        Effect.andThen(
          resize(size.cpus, size.memoryMib, size.diskGib, id),
          add(before.hostId, difference(size, before.size))
        )),
    release: (id) =>
      change(id, ({ hostId, size }) => Effect.andThen(remove(id), add(hostId, difference(NOTHING, size)))),
    machinesOf: (accountId) => Effect.map(counts(accountId), (rows) => new Map(rows))
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
