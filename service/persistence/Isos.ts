/** The ISO library. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { columns, selectAll, selectOne } from "./Columns.ts"
import { Sql } from "./Sql.ts"

export interface Iso {
  readonly id: number
  readonly name: string
  /** The upstream's name for it. */
  readonly fileName: string
  readonly sizeBytes: number
}

export const ISO = columns<Iso>({ id: "id", name: "name", fileName: "file_name", sizeBytes: "size_bytes" })

export class Isos extends Context.Service<Isos, {
  /** By id. */
  readonly list: Effect.Effect<ReadonlyArray<Iso>>
  readonly find: (id: number) => Effect.Effect<Iso | undefined>
}>()("@pulumi-vps/service/Isos") {
  static readonly layer = Layer.effect(
    this,
    Effect.map(Sql, (sql) => {
      const list = selectAll(sql, ISO, "FROM isos ORDER BY id")
      return {
        list: list(),
        find: selectOne(sql, ISO, "FROM isos WHERE id = ?")
      }
    })
  )
}
