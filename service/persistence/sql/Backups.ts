import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Backup, Backups, type NewBackup } from "../Backups.ts"
import type { ImageStatus } from "../Snapshots.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

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

const records = (sql: Sql["Service"]) => {
  const insert = sql.insert(
    "INSERT INTO backups (instance_id, os, status, created_at, expires_at) VALUES (?, ?, 'creating', ?, ?)"
  )
  const find = sql.one<Row>(`SELECT ${COLUMNS} FROM backups WHERE ${VISIBLE} AND id = ?`)
  const list = sql.all<Row>(`SELECT ${COLUMNS} FROM backups WHERE ${VISIBLE} ORDER BY id`)
  const spent = sql.all<[number]>("SELECT id FROM backups WHERE instance_id = ? AND expires_at <= ? ORDER BY id")
  const status = sql.run("UPDATE backups SET status = ? WHERE id = ?")
  const made = sql.run("UPDATE backups SET status = 'available', size_bytes = ? WHERE id = ?")
  const discard = sql.run(
    "UPDATE backups SET status = 'discarded', expires_at = ? WHERE instance_id = ? AND status = 'creating'"
  )
  const remove = sql.run("DELETE FROM backups WHERE id = ?")
  const removeAll = sql.run("DELETE FROM backups WHERE instance_id = ?")
  return {
    insert: (b: NewBackup) => insert(b.instanceId, b.os, b.at, b.expiresAt),
    find: (instanceId: number, id: number) => Rows.optional(find(instanceId, id), toBackup),
    list: (instanceId: number) => Rows.each(list(instanceId), toBackup),
    spent: (instanceId: number, now: number) => Rows.column(spent(instanceId, now)),
    setStatus: (id: number, value: ImageStatus) => Effect.asVoid(status(value, id)),
    setMade: (id: number, sizeBytes: number | null) => Effect.asVoid(made(sizeBytes, id)),
    discard: (instanceId: number, at: number) => Effect.asVoid(discard(at, instanceId)),
    remove: (id: number) => Effect.asVoid(remove(id)),
    removeAll: (instanceId: number) => Effect.asVoid(removeAll(instanceId))
  }
}

const make = Effect.map(Sql, (sql) => {
  const schedule = sql.run("UPDATE instances SET next_backup_at = ? WHERE id = ?")
  const isDue = sql.one<[number]>("SELECT id FROM instances WHERE id = ? AND next_backup_at <= ?")
  const due = sql.all<[number]>(
    `SELECT id FROM instances WHERE lifecycle = 'active' AND next_backup_at <= ?
     ORDER BY next_backup_at, id LIMIT ?`
  )
  const nextDue = sql.one<[number | null]>("SELECT min(next_backup_at) FROM instances WHERE lifecycle = 'active'")
  return Backups.of({
    ...records(sql),
    schedule: (instanceId, at) => Effect.asVoid(schedule(at, instanceId)),
    isDue: (instanceId, now) => Effect.map(isDue(instanceId, now), (row) => row !== undefined),
    due: {
      next: Rows.optionalValue(nextDue()),
      ids: (now, limit) => Rows.column(due(now, limit))
    }
  })
})

export const layer: Layer.Layer<Backups, never, Sql> = Layer.effect(Backups, make)
