/** Nightly backups, and when each instance's next one is due. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectAll, selectOne } from "./Columns.ts"
import type { Due } from "./instances/Subscriptions.ts"
import * as Rows from "./Rows.ts"
import type { ImageStatus } from "./Snapshots.ts"
import { Sql } from "./Sql.ts"

export interface Backup {
  readonly id: number
  readonly instanceId: number
  /** Slug of the image that was installed; a restore installs it again. */
  readonly os: string
  readonly status: ImageStatus
  /** Null until the backup is complete. */
  readonly sizeBytes: number | null
  readonly createdAt: number
  readonly expiresAt: number
}

export interface NewBackup extends Pick<Backup, "instanceId" | "os" | "expiresAt"> {
  readonly at: number
}

interface Records {
  /** Inserts a backup that is being created. */
  readonly insert: (backup: NewBackup) => Effect.Effect<number>
  readonly find: (instanceId: number, id: number) => Effect.Effect<Backup | undefined>
  /** By id; without discarded ones. */
  readonly list: (instanceId: number) => Effect.Effect<ReadonlyArray<Backup>>
  /** Ids of backups to delete: expired, or discarded. */
  readonly deletable: (instanceId: number, now: number) => Effect.Effect<ReadonlyArray<number>>
  readonly setStatus: (id: number, status: ImageStatus) => Effect.Effect<void>
  /** Marks a backup as available, with its size. */
  readonly setAvailable: (id: number, sizeBytes: number | null) => Effect.Effect<void>
  /** Hides the backup that is being created; the next nightly run removes what is left of it. */
  readonly discard: (instanceId: number, at: number) => Effect.Effect<void>
  readonly remove: (id: number) => Effect.Effect<void>
  readonly removeAll: (instanceId: number) => Effect.Effect<void>
}

interface Schedule {
  /** Sets when the instance's next backup is due; null when it has none. */
  readonly schedule: (instanceId: number, at: number | null) => Effect.Effect<void>
  /** True if the instance's next backup is due and not begun. */
  readonly isDue: (instanceId: number, now: number) => Effect.Effect<boolean>
  /** Active instances whose next backup is due. */
  readonly due: Due
}

export class Backups extends Context.Service<Backups, Records & Schedule>()("pulumi-vps/service/Backups") {
  static readonly layer = Layer.effect(this, Effect.map(Sql, (sql) => ({ ...records(sql), ...schedule(sql) })))
}

const BACKUP = columns<Backup>({
  id: "id",
  instanceId: "instance_id",
  os: "os",
  status: "status",
  sizeBytes: "size_bytes",
  createdAt: "created_at",
  expiresAt: "expires_at"
})

const VISIBLE = "instance_id = ? AND status <> 'discarded'"

const records = (sql: Sql["Service"]): Records => {
  const insert = sql.insert(
    "INSERT INTO backups (instance_id, os, status, created_at, expires_at) VALUES (?, ?, 'creating', ?, ?)"
  )
  const deletable = sql.all<[number]>("SELECT id FROM backups WHERE instance_id = ? AND expires_at <= ? ORDER BY id")
  const status = sql.run("UPDATE backups SET status = ? WHERE id = ?")
  const available = sql.run("UPDATE backups SET status = 'available', size_bytes = ? WHERE id = ?")
  const discard = sql.run(
    "UPDATE backups SET status = 'discarded', expires_at = ? WHERE instance_id = ? AND status = 'creating'"
  )
  const remove = sql.run("DELETE FROM backups WHERE id = ?")
  const removeAll = sql.run("DELETE FROM backups WHERE instance_id = ?")
  return {
    insert: (b) => insert(b.instanceId, b.os, b.at, b.expiresAt),
    find: selectOne(sql, BACKUP, `FROM backups WHERE ${VISIBLE} AND id = ?`),
    list: selectAll(sql, BACKUP, `FROM backups WHERE ${VISIBLE} ORDER BY id`),
    deletable: (instanceId, now) => Rows.column(deletable(instanceId, now)),
    setStatus: (id, value) => Effect.asVoid(status(value, id)),
    setAvailable: (id, sizeBytes) => Effect.asVoid(available(sizeBytes, id)),
    discard: (instanceId, at) => Effect.asVoid(discard(at, instanceId)),
    remove: (id) => Effect.asVoid(remove(id)),
    removeAll: (instanceId) => Effect.asVoid(removeAll(instanceId))
  }
}

const schedule = (sql: Sql["Service"]): Schedule => {
  const set = sql.run("UPDATE instances SET next_backup_at = ? WHERE id = ?")
  const isDue = sql.one<[number]>("SELECT id FROM instances WHERE id = ? AND next_backup_at <= ?")
  const due = sql.all<[number]>(
    `SELECT id FROM instances WHERE lifecycle = 'active' AND next_backup_at <= ?
     ORDER BY next_backup_at, id LIMIT ?`
  )
  const nextDue = sql.one<[number | null]>("SELECT min(next_backup_at) FROM instances WHERE lifecycle = 'active'")
  return {
    schedule: (instanceId, at) => Effect.asVoid(set(at, instanceId)),
    isDue: (instanceId, now) => Rows.exists(isDue(instanceId, now)),
    due: {
      next: Rows.optionalValue(nextDue()),
      ids: (now, limit) => Rows.column(due(now, limit))
    }
  }
}
