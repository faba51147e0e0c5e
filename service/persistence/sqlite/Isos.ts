import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Iso, Isos } from "../Isos.ts"
import { Database } from "./Database.ts"

export type Row = [id: number, name: string, fileName: string, sizeBytes: number]

export const toIso = ([id, name, fileName, sizeBytes]: Row): Iso => ({ id, name, fileName, sizeBytes })

const make = Effect.map(Database, (db) => {
  const list = db.all<Row>("SELECT id, name, file_name, size_bytes FROM isos ORDER BY id")
  const find = db.one<Row>("SELECT id, name, file_name, size_bytes FROM isos WHERE id = ?")
  const add = db.run("INSERT INTO isos (id, name, file_name, size_bytes) VALUES (?, ?, ?, ?)")
  return Isos.of({
    list: Effect.sync(() => list().map(toIso)),
    find: (id) =>
      Effect.sync(() => {
        const row = find(id)
        return row === undefined ? undefined : toIso(row)
      }),
    add: ({ fileName, id, name, sizeBytes }) => Effect.sync(() => void add(id, name, fileName, sizeBytes))
  })
})

export const layer: Layer.Layer<Isos, never, Database> = Layer.effect(Isos, make)
