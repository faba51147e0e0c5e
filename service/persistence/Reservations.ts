/** The parts of hosts that are promised to instances. */
import * as Effect from "effect/Effect"
import type { MachineSize } from "../domain/MachineSize.ts"
import { columns, flag, selectAll, selectOne } from "./Columns.ts"
import { machineTag } from "./MachineTag.ts"
import type { Sql } from "./Sql.ts"

/** The part of a host that is promised to an instance. */
export interface Reservation {
  readonly instanceId: number
  /** Of the instance's machine. */
  readonly tag: string
  readonly hostId: number
  readonly size: MachineSize
  /** The host that it moves to, on which the same is promised; null: it does not move. */
  readonly targetId: number | null
  /** It was taken from a host that failed: what that had defined is lost. */
  readonly isFenced: boolean
  /** Of one that was taken from a host: the backup that becomes its disk; null: its disk is on shared storage. */
  readonly backupId: number | null
}

export interface Reservations {
  readonly reserve: (
    reservation: Pick<Reservation, "instanceId" | "hostId" | "size"> & { readonly accountId: number }
  ) => Effect.Effect<void>
  readonly reservation: (instanceId: number) => Effect.Effect<Reservation | undefined>
  /** By instance. */
  readonly reservationsOn: (hostId: number) => Effect.Effect<ReadonlyArray<Reservation>>
  /** Of the instances that move to a host; by instance. */
  readonly reservationsToward: (hostId: number) => Effect.Effect<ReadonlyArray<Reservation>>
  /** Promises the same on another host. Does nothing for an instance that moves already. */
  readonly beginMove: (instanceId: number, targetId: number) => Effect.Effect<void>
  /** Returns what is promised on the host that the instance is not on. Does nothing if it does not move. */
  readonly endMove: (instanceId: number, isMoved: boolean) => Effect.Effect<void>
  /** From a host that failed to another one, with its disk, or with a disk from a backup. */
  readonly fence: (instanceId: number, targetId: number, backupId: number | null) => Effect.Effect<void>
  /** Does nothing for an instance without one. */
  readonly resize: (instanceId: number, size: MachineSize) => Effect.Effect<void>
  /** Does nothing for an instance without one. */
  readonly release: (instanceId: number) => Effect.Effect<void>
  /** The number of a customer's machines, by host. */
  readonly machinesOf: (accountId: number) => Effect.Effect<ReadonlyMap<number, number>>
}

const RESERVATION = columns<Reservation>({
  instanceId: "r.instance_id",
  tag: machineTag("i"),
  hostId: "r.host_id",
  size: { cpus: "r.cpus", memoryMib: "r.memory_mib", diskGib: "r.disk_gib" },
  targetId: "r.target_id",
  isFenced: flag("r.fenced"),
  backupId: "r.backup_id"
})

const RESERVATIONS = "FROM reservations r JOIN instances i ON i.id = r.instance_id"

const difference = (after: MachineSize, before: MachineSize): MachineSize => ({
  cpus: after.cpus - before.cpus,
  memoryMib: after.memoryMib - before.memoryMib,
  diskGib: after.diskGib - before.diskGib
})

const NOTHING: MachineSize = { cpus: 0, memoryMib: 0, diskGib: 0 }

/** The statements that several changes share. */
const statements = (sql: Sql["Service"]) => {
  const use = sql.run(
    `UPDATE hosts SET used_cpus = used_cpus + ?, used_memory_mib = used_memory_mib + ?,
       used_disk_gib = used_disk_gib + ? WHERE id = ?`
  )
  const setHosts = sql.run(
    "UPDATE reservations SET host_id = ?, target_id = ?, fenced = ?, backup_id = ? WHERE instance_id = ?"
  )
  const find = selectOne(sql, RESERVATION, `${RESERVATIONS} WHERE r.instance_id = ?`)
  return {
    find,
    /** Promises more of hosts. */
    add: (hosts: ReadonlyArray<number | null>, { cpus, diskGib, memoryMib }: MachineSize) =>
      Effect.forEach(hosts, (host) => host === null ? Effect.void : use(cpus, memoryMib, diskGib, host), {
        discard: true
      }),
    change: (instanceId: number, write: (before: Reservation) => Effect.Effect<unknown>) =>
      Effect.flatMap(find(instanceId), (before) => before === undefined ? Effect.void : Effect.asVoid(write(before))),
    setHosts: ({ backupId, instanceId, isFenced }: Reservation, hostId: number, targetId: number | null) =>
      setHosts(hostId, targetId, Number(isFenced), backupId, instanceId)
  }
}
type Statements = ReturnType<typeof statements>

const moves = ({ add, change, setHosts }: Statements): Pick<Reservations, "beginMove" | "endMove" | "fence"> => ({
  beginMove: (id, targetId) =>
    change(id, (before) =>
      before.targetId !== null
        ? Effect.void
        : Effect.andThen(setHosts(before, before.hostId, targetId), add([targetId], before.size))),
  endMove: (id, isMoved) =>
    change(id, (before) => {
      const { hostId, size, targetId } = before
      if (targetId === null) return Effect.void
      const [stays, left] = isMoved ? [targetId, hostId] : [hostId, targetId]
      // A machine that has moved has its disk.
      const backupId = isMoved ? null : before.backupId
      return Effect.andThen(setHosts({ ...before, backupId }, stays, null), add([left], difference(NOTHING, size)))
    }),
  fence: (id, to, backupId) =>
    change(id, (before) => {
      const { hostId, size, targetId } = before
      return Effect.all([
        setHosts({ ...before, isFenced: true, backupId }, to, null),
        add([to], size),
        add([hostId, targetId], difference(NOTHING, size))
      ])
    })
})

export const reservations = (sql: Sql["Service"]): Reservations => {
  const shared = statements(sql)
  const { add, change, find } = shared
  const insert = sql.run(
    "INSERT INTO reservations (instance_id, host_id, account_id, cpus, memory_mib, disk_gib) VALUES (?, ?, ?, ?, ?, ?)"
  )
  const resize = sql.run("UPDATE reservations SET cpus = ?, memory_mib = ?, disk_gib = ? WHERE instance_id = ?")
  const remove = sql.run("DELETE FROM reservations WHERE instance_id = ?")
  const counts = sql.all<[hostId: number, machines: number]>(
    "SELECT host_id, CAST(count(*) AS BIGINT) FROM reservations WHERE account_id = ? GROUP BY host_id"
  )
  return {
    ...moves(shared),
    reservationsOn: selectAll(sql, RESERVATION, `${RESERVATIONS} WHERE r.host_id = ? ORDER BY r.instance_id`),
    reservationsToward: selectAll(sql, RESERVATION, `${RESERVATIONS} WHERE r.target_id = ? ORDER BY r.instance_id`),
    reserve: ({ accountId, hostId, instanceId, size }) =>
      Effect.andThen(
        insert(instanceId, hostId, accountId, size.cpus, size.memoryMib, size.diskGib),
        add([hostId], size)
      ),
    reservation: find,
    resize: (id, size) =>
      change(id, (before) =>
        Effect.andThen(
          resize(size.cpus, size.memoryMib, size.diskGib, id),
          add([before.hostId, before.targetId], difference(size, before.size))
        )),
    release: (id) =>
      change(
        id,
        ({ hostId, size, targetId }) => Effect.andThen(remove(id), add([hostId, targetId], difference(NOTHING, size)))
      ),
    machinesOf: (accountId) => Effect.map(counts(accountId), (rows) => new Map(rows))
  }
}
