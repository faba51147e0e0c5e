import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Iso, Isos } from "../Isos.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

export type Row = [id: number, name: string, fileName: string, sizeBytes: number]

export const toIso = ([id, name, fileName, sizeBytes]: Row): Iso => ({ id, name, fileName, sizeBytes })

const make = Effect.map(Sql, (sql) => {
  const list = sql.all<Row>("SELECT id, name, file_name, size_bytes FROM isos ORDER BY id")
  const find = sql.one<Row>("SELECT id, name, file_name, size_bytes FROM isos WHERE id = ?")
  const add = sql.run("INSERT INTO isos (id, name, file_name, size_bytes) VALUES (?, ?, ?, ?)")
  return Isos.of({
    list: Rows.each(list(), toIso),
    find: (id) => Rows.optional(find(id), toIso),
    add: ({ fileName, id, name, sizeBytes }) => Effect.asVoid(add(id, name, fileName, sizeBytes))
  })
})

export const layer: Layer.Layer<Isos, never, Sql> = Layer.effect(Isos, make)
