import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Sql } from "../Sql.ts"
import { Wipe } from "../Wipe.ts"
import { tablesOf } from "./tables/Tables.ts"

const make = Effect.map(Sql, (sql) => Wipe.of({ everything: tablesOf(sql).empty }))

export const layer: Layer.Layer<Wipe, never, Sql> = Layer.effect(Wipe, make)
