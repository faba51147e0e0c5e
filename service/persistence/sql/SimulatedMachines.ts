import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { BootMode, Power } from "../../domain/InstanceStatus.ts"
import {
  type DeployMode,
  type SimulatedImage,
  type SimulatedMachine,
  SimulatedMachines,
  type SimulatedOperation,
  type SimulatedPower
} from "../SimulatedMachines.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

type Row = [
  id: number,
  tag: string,
  hostname: string,
  os: string,
  plan: string,
  specs: string | null,
  node: string,
  power: Power,
  bootMode: BootMode,
  iso: string | null,
  sshKey: string | null,
  address: number,
  operation: string,
  createdAt: number
]

const MACHINE = `SELECT id, tag, hostname, os, plan, specs, node, power, boot_mode, iso, ssh_key, address, operation,
  created_at FROM simulated_machines WHERE tag = ?`

const toMachine = (row: Row): SimulatedMachine => ({
  id: row[0],
  tag: row[1],
  hostname: row[2],
  os: row[3],
  plan: row[4],
  specs: row[5],
  node: row[6],
  power: row[7],
  bootMode: row[8],
  iso: row[9],
  sshKey: row[10],
  address: row[11],
  operation: row[12],
  createdAt: row[13]
})

type OperationRow = [
  key: string,
  tag: string,
  type: string,
  subject: string | null,
  acceptedAt: number,
  abandoned: number
]

const toOperation = ([key, tag, type, subject, acceptedAt, abandoned]: OperationRow): SimulatedOperation => ({
  key,
  tag,
  type,
  subject,
  acceptedAt,
  abandoned: abandoned === 1
})

/** Tables that hold something of a machine, all by its tag. */
const OF_MACHINE = ["machines", "ptr_records", "polls", "images", "power"]

const machines = (sql: Sql["Service"]) => {
  const find = sql.one<Row>(MACHINE)
  const insert = sql.run(
    `INSERT INTO simulated_machines (tag, hostname, os, plan, specs, node, power, boot_mode, iso, ssh_key, address,
       operation, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const save = sql.run(
    `UPDATE simulated_machines SET hostname = ?, os = ?, plan = ?, specs = ?, power = ?, boot_mode = ?, iso = ?,
       ssh_key = ?, operation = ? WHERE id = ?`
  )
  const removals = OF_MACHINE.map((table) => sql.run(`DELETE FROM simulated_${table} WHERE tag = ?`))
  return {
    find: (tag: string) => Rows.optional(find(tag), toMachine),
    insert: (m: Omit<SimulatedMachine, "id">) => {
      const { address, bootMode, createdAt, hostname, iso, node, operation, os, plan, power, specs, sshKey, tag } = m
      return Effect.asVoid(
        insert(tag, hostname, os, plan, specs, node, power, bootMode, iso, sshKey, address, operation, createdAt)
      )
    },
    save: (m: SimulatedMachine) => {
      const { bootMode, hostname, id, iso, operation, os, plan, power, specs, sshKey } = m
      return Effect.asVoid(save(hostname, os, plan, specs, power, bootMode, iso, sshKey, operation, id))
    },
    remove: (tag: string) => Effect.forEach(removals, (removal) => removal(tag), { discard: true })
  }
}

const network = (sql: Sql["Service"]) => {
  const setPtr = sql.run(
    `INSERT INTO simulated_ptr_records (ip, tag, ptr) VALUES (?, ?, ?)
     ON CONFLICT (ip) DO UPDATE SET tag = excluded.tag, ptr = excluded.ptr`
  )
  const ptr = sql.one<[string]>("SELECT ptr FROM simulated_ptr_records WHERE ip = ?")
  const next = sql.one<[number]>("SELECT coalesce(max(address), -1) + 1 FROM simulated_machines")
  // Asked only once the pool has been gone through: 0, or the place after the first machine without a neighbour.
  const gap = sql.one<[number | null]>(
    `SELECT min(place) FROM (
       SELECT 0 AS place UNION ALL SELECT address + 1 FROM simulated_machines
     ) AS places WHERE place < ? AND NOT EXISTS (SELECT 1 FROM simulated_machines m WHERE m.address = place)`
  )
  return {
    setPtr: (tag: string, ip: string, value: string) => Effect.asVoid(setPtr(ip, tag, value)),
    ptr: (ip: string) => Rows.optionalValue(ptr(ip)),
    freeAddress: (size: number) =>
      Effect.flatMap(
        Rows.value(next()),
        (place) => place < size ? Effect.succeed(place) : Rows.optionalValue(gap(size))
      )
  }
}

const images = (sql: Sql["Service"]) => {
  const find = sql.one<[string, string, number]>(
    "SELECT os, hostname, size_bytes FROM simulated_images WHERE tag = ? AND name = ?"
  )
  const add = sql.run(
    `INSERT INTO simulated_images (tag, name, os, hostname, size_bytes) VALUES (?, ?, ?, ?, ?)
     ON CONFLICT (tag, name)
     DO UPDATE SET os = excluded.os, hostname = excluded.hostname, size_bytes = excluded.size_bytes`
  )
  const remove = sql.run("DELETE FROM simulated_images WHERE tag = ? AND name = ?")
  return {
    image: (tag: string, name: string) =>
      Rows.optional(
        find(tag, name),
        ([os, hostname, sizeBytes]): SimulatedImage => ({ tag, name, os, hostname, sizeBytes })
      ),
    addImage: (i: SimulatedImage) => Effect.asVoid(add(i.tag, i.name, i.os, i.hostname, i.sizeBytes)),
    removeImage: (tag: string, name: string) => Effect.asVoid(remove(tag, name))
  }
}

const history = (sql: Sql["Service"]) => {
  const note = sql.run(
    `INSERT INTO simulated_power (tag, at, power) VALUES (?, ?, ?)
     ON CONFLICT (tag, at) DO UPDATE SET power = excluded.power`
  )
  // The last change before the moment stays: it says how things stood at the moment.
  const forget = sql.run(
    `DELETE FROM simulated_power WHERE tag = ?1
       AND at < (SELECT max(at) FROM simulated_power WHERE tag = ?1 AND at <= ?2)`
  )
  const all = sql.all<[number, Power]>("SELECT at, power FROM simulated_power WHERE tag = ? ORDER BY at")
  return {
    notePower: (tag: string, { at, power }: SimulatedPower, before: number) =>
      Effect.asVoid(Effect.andThen(note(tag, at, power), forget(tag, before))),
    powerHistory: (tag: string) => Rows.each(all(tag), ([at, power]) => ({ at, power }))
  }
}

const operations = (sql: Sql["Service"]) => {
  const find = sql.one<OperationRow>(
    "SELECT key, tag, type, subject, accepted_at, abandoned FROM simulated_operations WHERE key = ?"
  )
  const deployments = sql.all<OperationRow>(
    `SELECT o.key, o.tag, o.type, o.subject, o.accepted_at, o.abandoned
     FROM simulated_operations o JOIN simulated_machines m ON m.operation = o.key WHERE o.type = 'provision'
     ORDER BY m.id`
  )
  const release = sql.run("UPDATE simulated_machines SET operation = '' WHERE tag = ?")
  const accept = sql.run(
    `INSERT INTO simulated_operations (key, tag, type, subject, accepted_at, abandoned) VALUES (?, ?, ?, ?, ?, ?)`
  )
  const abandon = sql.run("UPDATE simulated_operations SET abandoned = 1 WHERE key = ?")
  const forget = sql.run("DELETE FROM simulated_operations WHERE accepted_at < ?")
  return {
    operation: (key: string) => Rows.optional(find(key), toOperation),
    deployments: Rows.each(deployments(), toOperation),
    release: (tag: string) => Effect.asVoid(release(tag)),
    accept: (o: SimulatedOperation) =>
      Effect.asVoid(accept(o.key, o.tag, o.type, o.subject, o.acceptedAt, Number(o.abandoned))),
    abandon: (key: string) => Effect.asVoid(abandon(key)),
    forget: (before: number) => Effect.asVoid(forget(before))
  }
}

const make = Effect.map(Sql, (sql) => {
  const polls = sql.one<[number]>("SELECT polls FROM simulated_polls WHERE tag = ?")
  const countPoll = sql.run(
    `INSERT INTO simulated_polls (tag, polls) VALUES (?, 1)
     ON CONFLICT (tag) DO UPDATE SET polls = simulated_polls.polls + 1`
  )
  const deploy = sql.one<[DeployMode, number]>("SELECT mode, value FROM simulated_deploy")
  const setDeploy = sql.run(
    `INSERT INTO simulated_deploy (id, mode, value) VALUES (1, ?, ?)
     ON CONFLICT (id) DO UPDATE SET mode = excluded.mode, value = excluded.value`
  )
  return SimulatedMachines.of({
    ...machines(sql),
    ...network(sql),
    ...images(sql),
    ...history(sql),
    ...operations(sql),
    polls: (tag) => Effect.map(polls(tag), (row) => row?.[0] ?? 0),
    countPoll: (tag) => Effect.asVoid(countPoll(tag)),
    deploy: Rows.optional(deploy(), ([mode, value]) => ({ mode, value })),
    setDeploy: ({ mode, value }) => Effect.asVoid(setDeploy(mode, value))
  })
})

export const layer: Layer.Layer<SimulatedMachines, never, Sql> = Layer.effect(SimulatedMachines, make)
