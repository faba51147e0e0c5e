import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Backup, Backups, type NewBackup } from "../Backups.ts"
import type { ImageStatus } from "../Snapshots.ts"
import { Database } from "./Database.ts"

type Row = [
  id: number,
  instanceId: number,
  os: string,
  status: ImageStatus,
  sizeBytes: number | null,
  createdAt: number,
  expiresAt: number
]

const COLUMNS = "id, instance_id, os, status, size_bytes, created_at, expires_at"

const toBackup = ([id, instanceId, os, status, sizeBytes, createdAt, expiresAt]: Row): Backup => ({
  id,
  instanceId,
  os,
  status,
  sizeBytes,
  createdAt,
  expiresAt
})

const VISIBLE = "instance_id = ? AND status <> 'discarded'"

const records = (db: Database["Service"]) => {
  const insert = db.run(
    "INSERT INTO backups (instance_id, os, status, created_at, expires_at) VALUES (?, ?, 'creating', ?, ?)"
  )
  const find = db.one<Row>(`SELECT ${COLUMNS} FROM backups WHERE ${VISIBLE} AND id = ?`)
  const list = db.all<Row>(`SELECT ${COLUMNS} FROM backups WHERE ${VISIBLE} ORDER BY id`)
  const spent = db.all<[number]>("SELECT id FROM backups WHERE instance_id = ? AND expires_at <= ? ORDER BY id")
  const status = db.run("UPDATE backups SET status = ? WHERE id = ?")
  const made = db.run("UPDATE backups SET status = 'available', size_bytes = ? WHERE id = ?")
  const discard = db.run(
    "UPDATE backups SET status = 'discarded', expires_at = ? WHERE instance_id = ? AND status = 'creating'"
  )
  const remove = db.run("DELETE FROM backups WHERE id = ?")
  const removeAll = db.run("DELETE FROM backups WHERE instance_id = ?")
  return {
    insert: (b: NewBackup) => Effect.sync(() => insert(b.instanceId, b.os, b.at, b.expiresAt).id),
    find: (instanceId: number, id: number) =>
      Effect.sync(() => {
        const row = find(instanceId, id)
        return row === undefined ? undefined : toBackup(row)
      }),
    list: (instanceId: number) => Effect.sync(() => list(instanceId).map(toBackup)),
    spent: (instanceId: number, now: number) => Effect.sync(() => spent(instanceId, now).map(([id]) => id)),
    setStatus: (id: number, value: ImageStatus) => Effect.sync(() => void status(value, id)),
    setMade: (id: number, sizeBytes: number | null) => Effect.sync(() => void made(sizeBytes, id)),
    discard: (instanceId: number, at: number) => Effect.sync(() => void discard(at, instanceId)),
    remove: (id: number) => Effect.sync(() => void remove(id)),
    removeAll: (instanceId: number) => Effect.sync(() => void removeAll(instanceId))
  }
}

const make = Effect.map(Database, (db) => {
  const schedule = db.run("UPDATE instances SET next_backup_at = ? WHERE id = ?")
  const due = db.all<[number]>(
    `SELECT id FROM instances WHERE lifecycle = 'active' AND next_backup_at <= ?
     ORDER BY next_backup_at, id LIMIT ?`
  )
  const nextDue = db.one<[number | null]>("SELECT min(next_backup_at) FROM instances WHERE lifecycle = 'active'")
  return Backups.of({
    ...records(db),
    schedule: (instanceId, at) => Effect.sync(() => void schedule(at, instanceId)),
    due: {
      next: Effect.sync(() => nextDue()![0] ?? undefined),
      ids: (now, limit) => Effect.sync(() => due(now, limit).map(([id]) => id))
    }
  })
})

export const layer: Layer.Layer<Backups, never, Database> = Layer.effect(Backups, make)
