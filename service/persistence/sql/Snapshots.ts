import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ImageStatus, type Snapshot, Snapshots } from "../Snapshots.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

type Row = [
  id: number,
  instanceId: number,
  name: string,
  os: string,
  status: ImageStatus,
  sizeBytes: number | null,
  createdAt: number
]

const COLUMNS = "id, instance_id, name, os, status, size_bytes, created_at"

const toSnapshot = ([id, instanceId, name, os, status, sizeBytes, createdAt]: Row): Snapshot => ({
  id,
  instanceId,
  name,
  os,
  status,
  sizeBytes,
  createdAt
})

const make = Effect.map(Sql, (sql) => {
  const insert = sql.insert(
    "INSERT INTO snapshots (instance_id, name, os, status, created_at) VALUES (?, ?, ?, 'creating', ?)"
  )
  const find = sql.one<Row>(`SELECT ${COLUMNS} FROM snapshots WHERE instance_id = ? AND id = ?`)
  const list = sql.all<Row>(`SELECT ${COLUMNS} FROM snapshots WHERE instance_id = ? ORDER BY id`)
  const used = sql.one<[number]>("SELECT count(*) FROM snapshots WHERE instance_id = ? AND status <> 'failed'")
  const status = sql.run("UPDATE snapshots SET status = ? WHERE id = ?")
  const made = sql.run("UPDATE snapshots SET status = 'available', size_bytes = ? WHERE id = ?")
  const remove = sql.run("DELETE FROM snapshots WHERE id = ?")
  const removeFailed = sql.run("DELETE FROM snapshots WHERE instance_id = ? AND status = 'failed'")
  const removeAll = sql.run("DELETE FROM snapshots WHERE instance_id = ?")
  return Snapshots.of({
    insert: (s) => insert(s.instanceId, s.name, s.os, s.at),
    find: (instanceId, id) => Rows.optional(find(instanceId, id), toSnapshot),
    list: (instanceId) => Rows.each(list(instanceId), toSnapshot),
    used: (instanceId) => Rows.value(used(instanceId)),
    setStatus: (id, value) => Effect.asVoid(status(value, id)),
    setMade: (id, sizeBytes) => Effect.asVoid(made(sizeBytes, id)),
    remove: (id) => Effect.asVoid(remove(id)),
    removeFailed: (instanceId) => Effect.asVoid(removeFailed(instanceId)),
    removeAll: (instanceId) => Effect.asVoid(removeAll(instanceId))
  })
})

export const layer: Layer.Layer<Snapshots, never, Sql> = Layer.effect(Snapshots, make)
