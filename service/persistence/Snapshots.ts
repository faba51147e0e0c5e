/** Snapshots, which customers create and delete. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, update } from "./Columns.ts"
import { type Image, IMAGE_COLUMNS, type ImageRecords, imageRecords } from "./images/Image.ts"
import * as Rows from "./Rows.ts"
import { Sql } from "./Sql.ts"

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
>()("pulumi-vps/service/Snapshots") {
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
