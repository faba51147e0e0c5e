/** The records that snapshots and backups share: images of a machine's disk, each kind in a table of its own. */
import type * as Effect from "effect/Effect"
import { type Columns, type Definition, selectAll, selectOne, update } from "../Columns.ts"
import type { Sql } from "../Sql.ts"

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

export const IMAGE_COLUMNS: Definition<Image> = {
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

export const imageRecords = <A extends Image>(
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
