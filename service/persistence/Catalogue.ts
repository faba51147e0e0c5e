/** Data centers, plans and images: everything for sale, and everything that once was. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type LookUps, lookUps } from "./catalogue/LookUps.ts"
import { DATA_CENTER, type DataCenter, IMAGE, type Image, ORDERABLE, PLAN, type Plan } from "./catalogue/Plan.ts"
import { type Sold, soldPlans } from "./catalogue/Sold.ts"
import { type Whole, whole } from "./catalogue/Whole.ts"
import { placeholders, selectAll, selectOne } from "./Columns.ts"
import { Sql } from "./Sql.ts"
import { TableCache } from "./Caches.ts"

interface Lists {
  /** Active plans in stock that can be ordered, by id. */
  readonly forSale: Effect.Effect<ReadonlyArray<Plan>>
  readonly dataCenter: (id: number) => Effect.Effect<DataCenter | undefined>
  /** The images of a data center, by `os_id`. */
  readonly images: (dataCenterId: number) => Effect.Effect<ReadonlyArray<Image>>
}

export class Catalogue extends Context.Service<Catalogue, Lists & LookUps & Sold & Whole>()(
  "pulumi-vps/service/Catalogue"
) {
  static readonly layer = Layer.effect(
    this,
    Effect.zipWith(Sql, TableCache, (sql, cache) => ({
      ...lists(sql),
      ...lookUps(sql, cache),
      ...soldPlans(sql, cache),
      ...whole(sql)
    }))
  )
}

const lists = (sql: Sql["Service"]): Lists => {
  const forSale = selectAll(
    sql,
    PLAN,
    `FROM plans WHERE is_active = 1 AND out_of_stock = 0
       AND category IN (${placeholders(ORDERABLE.length)}) ORDER BY id`
  )
  return {
    forSale: forSale(...ORDERABLE),
    dataCenter: selectOne(sql, DATA_CENTER, "FROM data_centers WHERE id = ?"),
    images: selectAll(
      sql,
      IMAGE,
      `FROM images WHERE os_id IN (SELECT os_id FROM data_center_images WHERE data_center_id = ?) ORDER BY os_id`
    )
  }
}
