/** The look-ups of every create, cached in memory until a row of their tables changes. */
import * as Effect from "effect/Effect"
import { columns, flag, selectAll, selectOne } from "../Columns.ts"
import type { Sql } from "../Sql.ts"
import type { CacheTables } from "../Caches.ts"
import { IMAGE, type Image, PLAN, type Plan } from "./Plan.ts"

export interface LookUps {
  readonly plan: (id: number) => Effect.Effect<Plan | undefined>
  readonly image: (dataCenterId: number, slug: string) => Effect.Effect<Image | undefined>
  readonly defaultImage: (dataCenterId: number) => Effect.Effect<Image | undefined>
}

interface OfferedImage {
  readonly image: Image
  readonly dataCenterId: number
  readonly isDefault: boolean
}

const OFFERED_IMAGE = columns<OfferedImage>({
  image: IMAGE.definition("i"),
  dataCenterId: "d.data_center_id",
  isDefault: flag("d.is_default")
})

const OFFERED_IMAGES = "FROM images i JOIN data_center_images d ON d.os_id = i.os_id"

/** Everything by the keys that a create has. */
const byKey = (plans: ReadonlyArray<Plan>, offered: ReadonlyArray<OfferedImage>) => ({
  plans: new Map(plans.map((plan) => [plan.id, plan])),
  images: new Map(offered.map(({ dataCenterId, image }) => [`${dataCenterId} ${image.slug}`, image])),
  defaults: new Map(
    offered.filter(({ isDefault }) => isDefault).map(({ dataCenterId, image }) => [dataCenterId, image])
  )
})

export const lookUps = (sql: Sql["Service"], cache: CacheTables): LookUps => {
  const plan = selectOne(sql, PLAN, "FROM plans WHERE id = ?")
  const image = selectOne(sql, OFFERED_IMAGE, `${OFFERED_IMAGES} WHERE d.data_center_id = ? AND i.slug = ?`)
  const defaultImage = selectOne(
    sql,
    OFFERED_IMAGE,
    `${OFFERED_IMAGES} WHERE d.data_center_id = ? AND d.is_default = 1`
  )
  const plans = selectAll(sql, PLAN, "FROM plans")
  const offered = selectAll(sql, OFFERED_IMAGE, OFFERED_IMAGES)
  const cached = cache(["plans", "images", "data_center_images"], Effect.zipWith(plans(), offered(), byKey))
  type Cached = ReturnType<typeof byKey>
  const lookUp = <A>(find: (cached: Cached) => A | undefined, read: () => Effect.Effect<A | undefined>) =>
    Effect.flatMap(cached, (all) => all === undefined ? read() : Effect.succeed(find(all)))
  const imageOf = (found: OfferedImage | undefined) => found?.image
  return {
    plan: (id) => lookUp(({ plans }) => plans.get(id), () => plan(id)),
    image: (id, slug) =>
      lookUp(({ images }) => images.get(`${id} ${slug}`), () => Effect.map(image(id, slug), imageOf)),
    defaultImage: (id) => lookUp(({ defaults }) => defaults.get(id), () => Effect.map(defaultImage(id), imageOf))
  }
}
