/**
 * The simulated upstream's own store, in the service's database so that a restart preserves the machines: machines,
 * their images and power history, and the operations that it accepted.
 */
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Rows from "./Rows.ts"
import type { BootMode, Power } from "../domain/InstanceMachine.ts"
import { columns, type Definition, flag, placeholders, selectAll, selectOne, update } from "./Columns.ts"
import { type CacheTables, TableCache } from "./Caches.ts"
import { Sql } from "./Sql.ts"
import type { DeployMode } from "../contract/Words.ts"

/** A snapshot or backup. */
export interface SimulatedImage {
  readonly tag: string
  readonly name: string
  readonly os: string
  readonly hostname: string
  readonly sizeBytes: number
}

/** A change of a machine's power; on twice in a row is a reboot. */
export interface SimulatedPower {
  readonly at: number
  readonly power: Power
}

export interface Images {
  readonly image: (tag: string, name: string) => Effect.Effect<SimulatedImage | undefined>
  /** Replaces one of the same name. */
  readonly addImage: (image: SimulatedImage) => Effect.Effect<void>
  readonly removeImage: (tag: string, name: string) => Effect.Effect<void>
}

export interface PowerHistory {
  readonly recordPower: (tag: string, change: SimulatedPower) => Effect.Effect<void>
  /** Deletes the changes of power that are irrelevant since a moment. */
  readonly deletePowerBefore: (tag: string, before: number) => Effect.Effect<void>
  /** Oldest first. */
  readonly powerHistory: (tag: string) => Effect.Effect<ReadonlyArray<SimulatedPower>>
}

const IMAGE = columns<SimulatedImage>({
  tag: "tag",
  name: "name",
  os: "os",
  hostname: "hostname",
  sizeBytes: "size_bytes"
})

const images = (sql: Sql["Service"]): Images => {
  const add = update(
    sql,
    `INSERT INTO simulated_images (${IMAGE.sql}) VALUES (${placeholders(IMAGE.names.length)})
     ON CONFLICT (tag, name)
     DO UPDATE SET os = excluded.os, hostname = excluded.hostname, size_bytes = excluded.size_bytes`
  )
  return {
    image: selectOne(sql, IMAGE, "FROM simulated_images WHERE tag = ? AND name = ?"),
    addImage: (image) => add(...IMAGE.encode(image)),
    removeImage: update(sql, "DELETE FROM simulated_images WHERE tag = ? AND name = ?")
  }
}

const CHANGE = columns<SimulatedPower>({ at: "at", power: "power" })

const powerHistory = (sql: Sql["Service"]): PowerHistory => {
  const record = update(
    sql,
    `INSERT INTO simulated_power (tag, at, power) VALUES (?, ?, ?)
     ON CONFLICT (tag, at) DO UPDATE SET power = excluded.power`
  )
  // The last change before the moment stays: it is the power at that moment.
  const deleteBefore = update(
    sql,
    `DELETE FROM simulated_power WHERE tag = ?1
       AND at < (SELECT max(at) FROM simulated_power WHERE tag = ?1 AND at <= ?2)`
  )
  return {
    recordPower: (tag, { at, power }) => record(tag, at, power),
    deletePowerBefore: deleteBefore,
    powerHistory: selectAll(sql, CHANGE, "FROM simulated_power WHERE tag = ? ORDER BY at")
  }
}

export interface SimulatedOperation {
  readonly key: string
  readonly tag: string
  readonly type: string
  /** Name of the image that it creates, changes or restores. */
  readonly subject: string | null
  readonly acceptedAt: number
  /** Another operation preempted it. */
  readonly abandoned: boolean
}

export interface Operations {
  readonly operation: (key: string) => Effect.Effect<SimulatedOperation | undefined>
  /** Deployments that are the last operation of their machine. */
  readonly deployments: Effect.Effect<ReadonlyArray<SimulatedOperation>>
  /** True if the machine was terminated, unless that was so long ago that its key has been deleted. */
  readonly isTerminated: (tag: string) => Effect.Effect<boolean>
  readonly accept: (operation: SimulatedOperation) => Effect.Effect<void>
  /** Clears the last operation of a machine, which has finished. */
  readonly release: (tag: string) => Effect.Effect<void>
  /** Marks an operation as preempted: it will never finish. */
  readonly abandon: (key: string) => Effect.Effect<void>
  /** Deletes operations that were accepted before a moment. */
  readonly deleteBefore: (at: number) => Effect.Effect<void>
}

const OPERATION = columns<SimulatedOperation>({
  key: "key",
  tag: "tag",
  type: "type",
  subject: "subject",
  acceptedAt: "accepted_at",
  abandoned: flag("abandoned")
})

const operations = (sql: Sql["Service"]): Operations => {
  const deployments = selectAll(
    sql,
    columns<SimulatedOperation>(OPERATION.definition("o")),
    `FROM simulated_operations o JOIN simulated_machines m ON m.operation = o.key WHERE o.type = 'provision'
     ORDER BY m.id`
  )
  const accept = update(
    sql,
    `INSERT INTO simulated_operations (${OPERATION.sql}) VALUES (${placeholders(OPERATION.names.length)})`
  )
  const termination = selectOne(
    sql,
    OPERATION,
    "FROM simulated_operations WHERE tag = ? AND type = 'terminate' LIMIT 1"
  )
  return {
    operation: selectOne(sql, OPERATION, "FROM simulated_operations WHERE key = ?"),
    deployments: deployments(),
    isTerminated: (tag) => Effect.map(termination(tag), (found) => found !== undefined),
    release: update(sql, "UPDATE simulated_machines SET operation = '' WHERE tag = ?"),
    accept: (operation) => accept(...OPERATION.encode(operation)),
    abandon: update(sql, "UPDATE simulated_operations SET abandoned = 1 WHERE key = ?"),
    deleteBefore: update(sql, "DELETE FROM simulated_operations WHERE accepted_at < ?")
  }
}

/** The condition for a deployment to finish; also applies to those under way. */
export interface DeploySetting {
  readonly mode: DeployMode
  /** Milliseconds, or number of reads of the instance; not used by `instant`. */
  readonly value: number
}

export interface SimulatedMachine {
  /** `sim-<id>` is the provider id. */
  readonly id: number
  readonly tag: string
  readonly hostname: string
  readonly os: string
  readonly plan: string
  /** JSON text of the plan's specs. */
  readonly specs: string | null
  readonly node: string
  readonly power: Power
  /** The mode of the next boot. */
  readonly bootMode: BootMode
  /** The mode of the last boot. */
  readonly booted: BootMode
  /** File name of the ISO in the drive. */
  readonly iso: string | null
  /** The SSH key for root. */
  readonly sshKey: string | null
  readonly createdAt: number
  /** Index into the address pool, from 0; unique among existing machines. */
  readonly address: number
  /** Key of the operation that it accepted last. */
  readonly operation: string
}

interface Machines {
  readonly find: (tag: string) => Effect.Effect<SimulatedMachine | undefined>
  readonly all: Effect.Effect<ReadonlyArray<SimulatedMachine>>
  readonly insert: (machine: Omit<SimulatedMachine, "id">) => Effect.Effect<void>
  /** Stores every property that can change: all but id, tag, address and createdAt. */
  readonly save: (machine: SimulatedMachine) => Effect.Effect<void>
  /** With its PTR records, images, power history and count of polls. */
  readonly remove: (tag: string) => Effect.Effect<void>
  readonly setPtr: (tag: string, ip: string, ptr: string) => Effect.Effect<void>
  readonly ptr: (ip: string) => Effect.Effect<string | undefined>
  /** A free index below `size`, the preferred one if possible; undefined when the pool is used up. */
  readonly freeAddress: (size: number, preferred?: number) => Effect.Effect<number | undefined>
}

interface Deployments {
  /** Reads of the instance before it was deployed. */
  readonly polls: (tag: string) => Effect.Effect<number>
  readonly countPoll: (tag: string) => Effect.Effect<void>
  /** Undefined until one was set. */
  readonly deploy: Effect.Effect<DeploySetting | undefined>
  readonly setDeploy: (setting: DeploySetting) => Effect.Effect<void>
}

export class SimulatedMachines
  extends Context.Service<SimulatedMachines, Machines & Operations & Images & PowerHistory & Deployments>()(
    "@pulumi-vps/service/SimulatedMachines"
  )
{
  static readonly layer = Layer.effect(
    this,
    Effect.zipWith(Sql, TableCache, (sql, cache) => ({
      ...machines(sql),
      ...operations(sql),
      ...images(sql),
      ...powerHistory(sql),
      ...deployments(sql, cache)
    }))
  )
}

const NEW_MACHINE: Definition<Omit<SimulatedMachine, "id">> = {
  tag: "tag",
  hostname: "hostname",
  os: "os",
  plan: "plan",
  specs: "specs",
  node: "node",
  power: "power",
  bootMode: "boot_mode",
  booted: "booted",
  iso: "iso",
  sshKey: "ssh_key",
  address: "address",
  operation: "operation",
  createdAt: "created_at"
}

const MACHINE = columns<SimulatedMachine>({ id: "id", ...NEW_MACHINE })

const INSERT = columns<Omit<SimulatedMachine, "id">>(NEW_MACHINE)

/** Tables with a machine's data, all by its tag. */
const OF_MACHINE = ["machines", "ptr_records", "polls", "images", "power"]

const machines = (sql: Sql["Service"]): Machines => {
  const insert = update(
    sql,
    `INSERT INTO simulated_machines (${INSERT.sql}) VALUES (${placeholders(INSERT.names.length)})`
  )
  const save = update(
    sql,
    `UPDATE simulated_machines SET hostname = ?, os = ?, plan = ?, specs = ?, power = ?, boot_mode = ?, booted = ?,
       iso = ?, ssh_key = ?, node = ?, operation = ? WHERE id = ?`
  )
  const removals = OF_MACHINE.map((table) => sql.run(`DELETE FROM simulated_${table} WHERE tag = ?`))
  const ptr = sql.one<[string]>("SELECT ptr FROM simulated_ptr_records WHERE ip = ?")
  const next = sql.one<[number]>(
    `SELECT CASE WHEN EXISTS (SELECT 1 FROM simulated_machines WHERE address = preferred)
       THEN (SELECT coalesce(max(address), -1) + 1 FROM simulated_machines) ELSE preferred END
     FROM (SELECT coalesce(CAST(? AS BIGINT), (SELECT max(address) FROM simulated_machines), 0) AS preferred) AS asked`
  )
  // Only needed once every index was used: 0, or the index after the first machine without a neighbor.
  const gap = sql.one<[number | null]>(
    `SELECT min(place) FROM (
       SELECT 0 AS place UNION ALL SELECT address + 1 FROM simulated_machines
     ) AS places WHERE place < ? AND NOT EXISTS (SELECT 1 FROM simulated_machines m WHERE m.address = place)`
  )
  return {
    find: selectOne(sql, MACHINE, "FROM simulated_machines WHERE tag = ?"),
    all: selectAll(sql, MACHINE, "FROM simulated_machines ORDER BY id")(),
    insert: (machine) => insert(...INSERT.encode(machine)),
    save: ({ bootMode, booted, hostname, id, iso, node, operation, os, plan, power, specs, sshKey }) =>
      save(hostname, os, plan, specs, power, bootMode, booted, iso, sshKey, node, operation, id),
    remove: (tag) => Effect.forEach(removals, (removal) => removal(tag), { discard: true }),
    setPtr: update(
      sql,
      `INSERT INTO simulated_ptr_records (tag, ip, ptr) VALUES (?, ?, ?)
       ON CONFLICT (ip) DO UPDATE SET tag = excluded.tag, ptr = excluded.ptr`
    ),
    ptr: (ip) => Rows.optionalValue(ptr(ip)),
    freeAddress: (size, preferred) =>
      Effect.flatMap(
        Rows.value(next(preferred ?? null)),
        (place) => place < size ? Effect.succeed(place) : Rows.optionalValue(gap(size))
      )
  }
}

const DEPLOY = columns<DeploySetting>({ mode: "mode", value: "value" })

/** The setting is read for each operation and written by hand. */
const deployments = (sql: Sql["Service"], cache: CacheTables): Deployments => {
  const polls = sql.one<[number]>("SELECT polls FROM simulated_polls WHERE tag = ?")
  const deploy = selectOne(sql, DEPLOY, "FROM simulated_deploy")
  const cached = cache(["simulated_deploy"], Effect.map(deploy(), (setting) => ({ setting })))
  const setDeploy = update(
    sql,
    `INSERT INTO simulated_deploy (id, mode, value) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, value = excluded.value`
  )
  return {
    polls: (tag) => Effect.map(polls(tag), (row) => row?.[0] ?? 0),
    countPoll: update(
      sql,
      `INSERT INTO simulated_polls (tag, polls) VALUES (?, 1)
       ON CONFLICT (tag) DO UPDATE SET polls = simulated_polls.polls + 1`
    ),
    deploy: Effect.flatMap(cached, (found) => found === undefined ? deploy() : Effect.succeed(found.setting)),
    setDeploy: ({ mode, value }) => setDeploy(mode, value)
  }
}
