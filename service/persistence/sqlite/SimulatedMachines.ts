import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import {
  type DeployMode,
  type SimulatedMachine,
  SimulatedMachines,
  type SimulatedOperation
} from "../SimulatedMachines.ts"
import { Database } from "./Database.ts"

type Row = [
  id: number,
  tag: string,
  hostname: string,
  os: string,
  plan: string,
  node: string,
  power: "on" | "off",
  address: number,
  operation: string
]

const toMachine = ([id, tag, hostname, os, plan, node, power, address, operation]: Row): SimulatedMachine => ({
  id,
  tag,
  hostname,
  os,
  plan,
  node,
  power,
  address,
  operation
})

type OperationRow = [key: string, tag: string, type: string, acceptedAt: number]

const toOperation = ([key, tag, type, acceptedAt]: OperationRow): SimulatedOperation => ({ key, tag, type, acceptedAt })

const mapped = <A, B>(value: A | undefined, map: (value: A) => B): B | undefined =>
  value === undefined ? undefined : map(value)

const machines = (db: Database["Service"]) => {
  const find = db.one<Row>(
    "SELECT id, tag, hostname, os, plan, node, power, address, operation FROM simulated_machines WHERE tag = ?"
  )
  const insert = db.run(
    `INSERT INTO simulated_machines (tag, hostname, os, plan, node, power, address, operation)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
  )
  const save = db.run("UPDATE simulated_machines SET hostname = ?, power = ?, operation = ? WHERE id = ?")
  const remove = db.run("DELETE FROM simulated_machines WHERE tag = ?")
  const removePtrs = db.run("DELETE FROM simulated_ptr_records WHERE tag = ?")
  const removePolls = db.run("DELETE FROM simulated_polls WHERE tag = ?")
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
    find: (tag: string) => Effect.sync(() => mapped(find(tag), toMachine)),
    insert: (m: Omit<SimulatedMachine, "id">) =>
      Effect.sync(() => void insert(m.tag, m.hostname, m.os, m.plan, m.node, m.power, m.address, m.operation)),
    save: (m: SimulatedMachine) => Effect.sync(() => void save(m.hostname, m.power, m.operation, m.id)),
    setPtr: (tag: string, ip: string, value: string) => Effect.sync(() => void setPtr(ip, tag, value)),
    ptr: (ip: string) => Effect.sync(() => ptr(ip)?.[0]),
    remove: (tag: string) =>
      Effect.sync(() => {
        for (const statement of [remove, removePtrs, removePolls]) statement(tag)
      }),
    freeAddress: (size: number) =>
      Effect.sync(() => {
        const place = next()![0]
        return place < size ? place : gap(size)![0] ?? undefined
      })
  }
}

const make = Effect.map(Database, (db) => {
  const operation = db.one<OperationRow>("SELECT key, tag, type, accepted_at FROM simulated_operations WHERE key = ?")
  const accept = db.run("INSERT INTO simulated_operations (key, tag, type, accepted_at) VALUES (?, ?, ?, ?)")
  const forget = db.run("DELETE FROM simulated_operations WHERE accepted_at < ?")
  const polls = db.one<[number]>("SELECT polls FROM simulated_polls WHERE tag = ?")
  const countPoll = db.run(
    "INSERT INTO simulated_polls (tag, polls) VALUES (?, 1) ON CONFLICT (tag) DO UPDATE SET polls = polls + 1"
  )
  const deploy = db.one<[DeployMode, number]>("SELECT mode, value FROM simulated_deploy")
  const setDeploy = db.run("INSERT OR REPLACE INTO simulated_deploy (id, mode, value) VALUES (1, ?, ?)")
  return SimulatedMachines.of({
    ...machines(db),
    operation: (key) => Effect.sync(() => mapped(operation(key), toOperation)),
    accept: ({ acceptedAt, key, tag, type }) => Effect.sync(() => void accept(key, tag, type, acceptedAt)),
    forget: (before) => Effect.sync(() => void forget(before)),
    polls: (tag) => Effect.sync(() => polls(tag)?.[0] ?? 0),
    countPoll: (tag) => Effect.sync(() => void countPoll(tag)),
    deploy: Effect.sync(() => mapped(deploy(), ([mode, value]) => ({ mode, value }))),
    setDeploy: ({ mode, value }) => Effect.sync(() => void setDeploy(mode, value))
  })
})

export const layer: Layer.Layer<SimulatedMachines, never, Database> = Layer.effect(SimulatedMachines, make)
