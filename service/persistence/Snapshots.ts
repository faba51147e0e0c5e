/** Snapshots, which customers create and delete. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectAll, selectOne } from "./Columns.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"

export type ImageStatus = "creating" | "available" | "restoring" | "failed"

export interface Snapshot {
  readonly id: number
  readonly instanceId: number
  readonly name: string
  /** Slug of the image that was installed; a restore installs it again. */
  readonly os: string
  readonly status: ImageStatus
  /** Null until the snapshot is complete. */
  readonly sizeBytes: number | null
  readonly createdAt: number
}

export interface NewSnapshot extends Pick<Snapshot, "instanceId" | "name" | "os"> {
  readonly at: number
}

export class Snapshots extends Context.Service<Snapshots, {
  /** Inserts a snapshot that is being created. */
  readonly insert: (snapshot: NewSnapshot) => Effect.Effect<number>
  readonly find: (instanceId: number, id: number) => Effect.Effect<Snapshot | undefined>
  /** By id. */
  readonly list: (instanceId: number) => Effect.Effect<ReadonlyArray<Snapshot>>
  /** The number that counts towards the quota: all but failed ones. */
  readonly used: (instanceId: number) => Effect.Effect<number>
  readonly setStatus: (id: number, status: ImageStatus) => Effect.Effect<void>
  /** Marks a snapshot as available, with its size. */
  readonly setAvailable: (id: number, sizeBytes: number | null) => Effect.Effect<void>
  readonly remove: (id: number) => Effect.Effect<void>
  readonly removeFailed: (instanceId: number) => Effect.Effect<void>
  readonly removeAll: (instanceId: number) => Effect.Effect<void>
}>()("pulumi-vps/service/Snapshots") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const insert = sql.insert(
        "INSERT INTO snapshots (instance_id, name, os, status, created_at) VALUES (?, ?, ?, 'creating', ?)"
      )
      const used = sql.one<[number]>("SELECT count(*) FROM snapshots WHERE instance_id = ? AND status <> 'failed'")
      const status = sql.run("UPDATE snapshots SET status = ? WHERE id = ?")
      const available = sql.run("UPDATE snapshots SET status = 'available', size_bytes = ? WHERE id = ?")
      const remove = sql.run("DELETE FROM snapshots WHERE id = ?")
      const removeFailed = sql.run("DELETE FROM snapshots WHERE instance_id = ? AND status = 'failed'")
      const removeAll = sql.run("DELETE FROM snapshots WHERE instance_id = ?")
      return {
        insert: (s) => insert(s.instanceId, s.name, s.os, s.at),
        find: selectOne(sql, SNAPSHOT, "FROM snapshots WHERE instance_id = ? AND id = ?"),
        list: selectAll(sql, SNAPSHOT, "FROM snapshots WHERE instance_id = ? ORDER BY id"),
        used: (instanceId) => Rows.value(used(instanceId)),
        setStatus: (id, value) => Effect.asVoid(status(value, id)),
        setAvailable: (id, sizeBytes) => Effect.asVoid(available(sizeBytes, id)),
        remove: (id) => Effect.asVoid(remove(id)),
        removeFailed: (instanceId) => Effect.asVoid(removeFailed(instanceId)),
        removeAll: (instanceId) => Effect.asVoid(removeAll(instanceId))
      }
    })
  )
}

const SNAPSHOT = columns<Snapshot>({
  id: "id",
  instanceId: "instance_id",
  name: "name",
  os: "os",
  status: "status",
  sizeBytes: "size_bytes",
  createdAt: "created_at"
})
