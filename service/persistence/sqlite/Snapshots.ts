import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type ImageStatus, type Snapshot, Snapshots } from "../Snapshots.ts"
import { Database } from "./Database.ts"

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

const make = Effect.map(Database, (db) => {
  const insert = db.run(
    "INSERT INTO snapshots (instance_id, name, os, status, created_at) VALUES (?, ?, ?, 'creating', ?)"
  )
  const find = db.one<Row>(`SELECT ${COLUMNS} FROM snapshots WHERE instance_id = ? AND id = ?`)
  const list = db.all<Row>(`SELECT ${COLUMNS} FROM snapshots WHERE instance_id = ? ORDER BY id`)
  const used = db.one<[number]>("SELECT count(*) FROM snapshots WHERE instance_id = ? AND status <> 'failed'")
  const status = db.run("UPDATE snapshots SET status = ? WHERE id = ?")
  const made = db.run("UPDATE snapshots SET status = 'available', size_bytes = ? WHERE id = ?")
  const remove = db.run("DELETE FROM snapshots WHERE id = ?")
  const removeFailed = db.run("DELETE FROM snapshots WHERE instance_id = ? AND status = 'failed'")
  const removeAll = db.run("DELETE FROM snapshots WHERE instance_id = ?")
  return Snapshots.of({
    insert: (s) => Effect.sync(() => insert(s.instanceId, s.name, s.os, s.at).id),
    find: (instanceId, id) =>
      Effect.sync(() => {
        const row = find(instanceId, id)
        return row === undefined ? undefined : toSnapshot(row)
      }),
    list: (instanceId) => Effect.sync(() => list(instanceId).map(toSnapshot)),
    used: (instanceId) => Effect.sync(() => used(instanceId)![0]),
    setStatus: (id, value) => Effect.sync(() => void status(value, id)),
    setMade: (id, sizeBytes) => Effect.sync(() => void made(sizeBytes, id)),
    remove: (id) => Effect.sync(() => void remove(id)),
    removeFailed: (instanceId) => Effect.sync(() => void removeFailed(instanceId)),
    removeAll: (instanceId) => Effect.sync(() => void removeAll(instanceId))
  })
})

export const layer: Layer.Layer<Snapshots, never, Database> = Layer.effect(Snapshots, make)
