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
import { Database } from "./Database.ts"

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

const mapped = <A, B>(value: A | undefined, map: (value: A) => B): B | undefined =>
  value === undefined ? undefined : map(value)

/** Tables that hold something of a machine, all by its tag. */
const OF_MACHINE = ["machines", "ptr_records", "polls", "images", "power"]

const machines = (db: Database["Service"]) => {
  const find = db.one<Row>(MACHINE)
  const insert = db.run(
    `INSERT INTO simulated_machines (tag, hostname, os, plan, specs, node, power, boot_mode, iso, ssh_key, address,
       operation, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const save = db.run(
    `UPDATE simulated_machines SET hostname = ?, os = ?, plan = ?, specs = ?, power = ?, boot_mode = ?, iso = ?,
       ssh_key = ?, operation = ? WHERE id = ?`
  )
  const removals = OF_MACHINE.map((table) => db.run(`DELETE FROM simulated_${table} WHERE tag = ?`))
  return {
    find: (tag: string) => Effect.sync(() => mapped(find(tag), toMachine)),
    insert: (m: Omit<SimulatedMachine, "id">) =>
      Effect.sync(() => {
        const { address, bootMode, createdAt, hostname, iso, node, operation, os, plan, power, specs, sshKey, tag } = m
        insert(tag, hostname, os, plan, specs, node, power, bootMode, iso, sshKey, address, operation, createdAt)
      }),
    save: (m: SimulatedMachine) =>
      Effect.sync(() => {
        const { bootMode, hostname, id, iso, operation, os, plan, power, specs, sshKey } = m
        save(hostname, os, plan, specs, power, bootMode, iso, sshKey, operation, id)
      }),
    remove: (tag: string) =>
      Effect.sync(() => {
        for (const removal of removals) removal(tag)
      })
  }
}

const network = (db: Database["Service"]) => {
  const setPtr = db.run("INSERT OR REPLACE INTO simulated_ptr_records (ip, tag, ptr) VALUES (?, ?, ?)")
  const ptr = db.one<[string]>("SELECT ptr FROM simulated_ptr_records WHERE ip = ?")
  const next = db.one<[number]>("SELECT coalesce(max(address), -1) + 1 FROM simulated_machines")
  // Asked only once the pool has been gone through: 0, or the place after the first machine without a neighbour.
  const gap = db.one<[number | null]>(
    `SELECT min(place) FROM (
       SELECT 0 AS place UNION ALL SELECT address + 1 FROM simulated_machines
     ) WHERE place < ? AND NOT EXISTS (SELECT 1 FROM simulated_machines m WHERE m.address = place)`
  )
  return {
    setPtr: (tag: string, ip: string, value: string) => Effect.sync(() => void setPtr(ip, tag, value)),
    ptr: (ip: string) => Effect.sync(() => ptr(ip)?.[0]),
    freeAddress: (size: number) =>
      Effect.sync(() => {
        const place = next()![0]
        return place < size ? place : gap(size)![0] ?? undefined
      })
  }
}

const images = (db: Database["Service"]) => {
  const find = db.one<[string, string, number]>(
    "SELECT os, hostname, size_bytes FROM simulated_images WHERE tag = ? AND name = ?"
  )
  const add = db.run(
    "INSERT OR REPLACE INTO simulated_images (tag, name, os, hostname, size_bytes) VALUES (?, ?, ?, ?, ?)"
  )
  const remove = db.run("DELETE FROM simulated_images WHERE tag = ? AND name = ?")
  return {
    image: (tag: string, name: string) =>
      Effect.sync(() =>
        mapped(find(tag, name), ([os, hostname, sizeBytes]): SimulatedImage => ({ tag, name, os, hostname, sizeBytes }))
      ),
    addImage: (i: SimulatedImage) => Effect.sync(() => void add(i.tag, i.name, i.os, i.hostname, i.sizeBytes)),
    removeImage: (tag: string, name: string) => Effect.sync(() => void remove(tag, name))
  }
}

const history = (db: Database["Service"]) => {
  const note = db.run("INSERT OR REPLACE INTO simulated_power (tag, at, power) VALUES (?, ?, ?)")
  // The last change before the moment stays: it says how things stood at the moment.
  const forget = db.run(
    `DELETE FROM simulated_power WHERE tag = ?1
       AND at < (SELECT max(at) FROM simulated_power WHERE tag = ?1 AND at <= ?2)`
  )
  const all = db.all<[number, Power]>("SELECT at, power FROM simulated_power WHERE tag = ? ORDER BY at")
  return {
    notePower: (tag: string, { at, power }: SimulatedPower, before: number) =>
      Effect.sync(() => {
        note(tag, at, power)
        forget(tag, before)
      }),
    powerHistory: (tag: string) => Effect.sync(() => all(tag).map(([at, power]) => ({ at, power })))
  }
}

const operations = (db: Database["Service"]) => {
  const find = db.one<OperationRow>(
    "SELECT key, tag, type, subject, accepted_at, abandoned FROM simulated_operations WHERE key = ?"
  )
  const accept = db.run(
    `INSERT INTO simulated_operations (key, tag, type, subject, accepted_at, abandoned) VALUES (?, ?, ?, ?, ?, ?)`
  )
  const abandon = db.run("UPDATE simulated_operations SET abandoned = 1 WHERE key = ?")
  const forget = db.run("DELETE FROM simulated_operations WHERE accepted_at < ?")
  return {
    operation: (key: string) => Effect.sync(() => mapped(find(key), toOperation)),
    accept: (o: SimulatedOperation) =>
      Effect.sync(() => void accept(o.key, o.tag, o.type, o.subject, o.acceptedAt, Number(o.abandoned))),
    abandon: (key: string) => Effect.sync(() => void abandon(key)),
    forget: (before: number) => Effect.sync(() => void forget(before))
  }
}

const make = Effect.map(Database, (db) => {
  const polls = db.one<[number]>("SELECT polls FROM simulated_polls WHERE tag = ?")
  const countPoll = db.run(
    "INSERT INTO simulated_polls (tag, polls) VALUES (?, 1) ON CONFLICT (tag) DO UPDATE SET polls = polls + 1"
  )
  const deploy = db.one<[DeployMode, number]>("SELECT mode, value FROM simulated_deploy")
  const setDeploy = db.run("INSERT OR REPLACE INTO simulated_deploy (id, mode, value) VALUES (1, ?, ?)")
  return SimulatedMachines.of({
    ...machines(db),
    ...network(db),
    ...images(db),
    ...history(db),
    ...operations(db),
    polls: (tag) => Effect.sync(() => polls(tag)?.[0] ?? 0),
    countPoll: (tag) => Effect.sync(() => void countPoll(tag)),
    deploy: Effect.sync(() => mapped(deploy(), ([mode, value]) => ({ mode, value }))),
    setDeploy: ({ mode, value }) => Effect.sync(() => void setDeploy(mode, value))
  })
})

export const layer: Layer.Layer<SimulatedMachines, never, Database> = Layer.effect(SimulatedMachines, make)
