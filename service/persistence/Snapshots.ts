/** Snapshots, which customers create and delete; nightly backups, and when each instance's next one is due. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Rows from "./Rows.ts"
import { type Columns, columns, type Definition, selectAll, selectOne, update } from "./Columns.ts"
import { Sql } from "./Sql.ts"
import type { Due } from "./instances/Subscriptions.ts"

export type ImageStatus = "creating" | "available" | "restoring" | "failed"

export interface Image {
  readonly id: number
  readonly instanceId: number
  /** Slug of the image that was installed; a restore installs it again. */
  readonly os: string
  readonly status: ImageStatus
  /** Null until it is complete. */
  readonly sizeBytes: number | null
  readonly createdAt: number
}

const IMAGE_COLUMNS: Definition<Image> = {
  id: "id",
  instanceId: "instance_id",
  os: "os",
  status: "status",
  sizeBytes: "size_bytes",
  createdAt: "created_at"
}

export interface ImageRecords<A extends Image = Image> {
  readonly find: (instanceId: number, id: number) => Effect.Effect<A | undefined>
  /** By id; without discarded ones. */
  readonly list: (instanceId: number) => Effect.Effect<ReadonlyArray<A>>
  readonly setStatus: (id: number, status: ImageStatus) => Effect.Effect<void>
  /** Marks it as available, with its size. */
  readonly setAvailable: (id: number, sizeBytes: number | null) => Effect.Effect<void>
  readonly remove: (id: number) => Effect.Effect<void>
  readonly removeAll: (instanceId: number) => Effect.Effect<void>
}

const imageRecords = <A extends Image>(
  sql: Sql["Service"],
  table: "snapshots" | "backups",
  columns: Columns<A>
): ImageRecords<A> => {
  const visible = `FROM ${table} WHERE instance_id = ? AND status <> 'discarded'`
  return {
    find: selectOne(sql, columns, `${visible} AND id = ?`),
    list: selectAll(sql, columns, `${visible} ORDER BY id`),
    setStatus: update(sql, `UPDATE ${table} SET status = ?2 WHERE id = ?1`),
    setAvailable: update(sql, `UPDATE ${table} SET status = 'available', size_bytes = ?2 WHERE id = ?1`),
    remove: update(sql, `DELETE FROM ${table} WHERE id = ?`),
    removeAll: update(sql, `DELETE FROM ${table} WHERE instance_id = ?`)
  }
}

export interface Snapshot extends Image {
  readonly name: string
}

export interface NewSnapshot extends Pick<Snapshot, "instanceId" | "name" | "os"> {
  readonly at: number
}

export class Snapshots extends Context.Service<
  Snapshots,
  ImageRecords<Snapshot> & {
    /** Inserts a snapshot that is being created. */
    readonly insert: (snapshot: NewSnapshot) => Effect.Effect<number>
    /** The number that counts towards the quota: all but failed ones. */
    readonly used: (instanceId: number) => Effect.Effect<number>
    readonly removeFailed: (instanceId: number) => Effect.Effect<void>
  }
>()("@pulumi-vps/service/Snapshots") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        "INSERT INTO snapshots (instance_id, name, os, status, created_at) VALUES (?, ?, ?, 'creating', ?)"
      )
      const used = sql.one<[number]>("SELECT count(*) FROM snapshots WHERE instance_id = ? AND status <> 'failed'")
      return {
        ...imageRecords(sql, "snapshots", SNAPSHOT),
        insert: (s) => insert(s.instanceId, s.name, s.os, s.at),
        used: (instanceId) => Rows.value(used(instanceId)),
        removeFailed: update(sql, "DELETE FROM snapshots WHERE instance_id = ? AND status = 'failed'")
      }
    })
  )
}

const SNAPSHOT = columns<Snapshot>({ ...IMAGE_COLUMNS, name: "name" })

export interface Backup extends Image {
  readonly expiresAt: number
}

export interface NewBackup extends Pick<Backup, "instanceId" | "os" | "expiresAt"> {
  readonly at: number
}

interface Records extends ImageRecords<Backup> {
  /** Inserts a backup that is being created. */
  readonly insert: (backup: NewBackup) => Effect.Effect<number>
  /** Ids of backups to delete: expired, or discarded. */
  readonly deletable: (instanceId: number, now: number) => Effect.Effect<ReadonlyArray<number>>
  /** Hides the backup that is being created; the next nightly run removes what is left of it. */
  readonly discard: (instanceId: number, at: number) => Effect.Effect<void>
}

interface Schedule {
  /** Sets when the instance's next backup is due; null when it has none. */
  readonly schedule: (instanceId: number, at: number | null) => Effect.Effect<void>
  /** Makes backups due now that are scheduled for later than `latest`. */
  readonly bringForward: (now: number, latest: number) => Effect.Effect<void>
  /** True if the instance's next backup is due and not begun. */
  readonly isDue: (instanceId: number, now: number) => Effect.Effect<boolean>
  /** Active instances whose next backup is due. */
  readonly due: Due
}

export class Backups extends Context.Service<Backups, Records & Schedule>()("@pulumi-vps/service/Backups") {
  static readonly layer = Layer.effect(this, Effect.map(Sql, (sql) => ({ ...records(sql), ...schedule(sql) })))
}

const BACKUP = columns<Backup>({
  ...IMAGE_COLUMNS,
  expiresAt: "expires_at"
})

const records = (sql: Sql["Service"]): Records => {
  const insert = sql.insert(
    "INSERT INTO backups (instance_id, os, status, created_at, expires_at) VALUES (?, ?, 'creating', ?, ?)"
  )
  const deletable = sql.all<[number]>("SELECT id FROM backups WHERE instance_id = ? AND expires_at <= ? ORDER BY id")
  return {
    ...imageRecords(sql, "backups", BACKUP),
    insert: (b) => insert(b.instanceId, b.os, b.at, b.expiresAt),
    deletable: (instanceId, now) => Rows.column(deletable(instanceId, now)),
    discard: update(
      sql,
      "UPDATE backups SET status = 'discarded', expires_at = ?2 WHERE instance_id = ?1 AND status = 'creating'"
    )
  }
}

export const NEXT_BACKUP = "SELECT min(next_backup_at) FROM instances WHERE lifecycle = 'active'"

const schedule = (sql: Sql["Service"]): Schedule => {
  const isDue = sql.one<[number]>("SELECT id FROM instances WHERE id = ? AND next_backup_at <= ?")
  const due = sql.all<[number]>(
    `SELECT id FROM instances WHERE lifecycle = 'active' AND next_backup_at <= ?
     ORDER BY next_backup_at, id LIMIT ?`
  )
  return {
    schedule: update(sql, "UPDATE instances SET next_backup_at = ?2 WHERE id = ?1"),
    bringForward: update(sql, "UPDATE instances SET next_backup_at = ?1 WHERE next_backup_at > ?2"),
    isDue: (instanceId, now) => Rows.exists(isDue(instanceId, now)),
    due: { ids: (now, limit) => Rows.column(due(now, limit)) }
  }
}
