import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Catalogue, type Image, type ImageFamily, ORDERABLE, type Plan } from "../Catalogue.ts"
import { Sql } from "../Sql.ts"
import * as Rows from "../Rows.ts"

export type PlanRow = [
  id: number,
  name: string,
  slug: string,
  description: string | null,
  price: number,
  currency: string,
  billingCycle: string,
  category: string,
  specs: string | null,
  dataCentreId: number,
  isActive: number,
  outOfStock: number,
  autoDeploy: number,
  createdAt: number
]

export const PLAN =
  `id, name, slug, description, price, currency, billing_cycle, category, specs, data_centre_id, is_active,
  out_of_stock, auto_deploy, created_at`

export const toPlan = (row: PlanRow): Plan => ({
  id: row[0],
  name: row[1],
  slug: row[2],
  description: row[3],
  price: row[4],
  currency: row[5],
  billingCycle: row[6],
  category: row[7],
  specs: row[8],
  dataCentreId: row[9],
  isActive: row[10] === 1,
  outOfStock: row[11] === 1,
  autoDeploy: row[12] === 1,
  createdAt: row[13]
})

/** In the order of the columns. */
export const planValues = (plan: Plan) => [
  plan.id,
  plan.name,
  plan.slug,
  plan.description,
  plan.price,
  plan.currency,
  plan.billingCycle,
  plan.category,
  plan.specs,
  plan.dataCentreId,
  Number(plan.isActive),
  Number(plan.outOfStock),
  Number(plan.autoDeploy),
  plan.createdAt
]

export type ImageRow = [
  osId: number,
  slug: string,
  label: string,
  version: string,
  icon: string | null,
  family: ImageFamily
]

type OfferRow = [...image: ImageRow, dataCentreId: number, isDefault: number]

const IMAGE = `SELECT i.os_id, i.slug, i.label, i.version, i.icon, i.family
  FROM images i JOIN data_centre_images d ON d.os_id = i.os_id WHERE d.data_centre_id = ?`

const OFFERS = `SELECT i.os_id, i.slug, i.label, i.version, i.icon, i.family, d.data_centre_id, d.is_default
  FROM images i JOIN data_centre_images d ON d.os_id = i.os_id`

export const toImage = (row: ImageRow | OfferRow): Image => ({
  osId: row[0],
  slug: row[1],
  label: row[2],
  version: row[3],
  icon: row[4],
  family: row[5]
})

/** What a create looks up, by the keys that it has. */
const byKey = (plans: ReadonlyArray<PlanRow>, offers: ReadonlyArray<OfferRow>) => {
  const all = offers.map((row) => ({ image: toImage(row), at: row[6], isDefault: row[7] === 1 }))
  return {
    plans: new Map(plans.map((row) => [row[0], toPlan(row)])),
    images: new Map(all.map(({ at, image }) => [`${at} ${image.slug}`, image])),
    defaults: new Map(all.filter(({ isDefault }) => isDefault).map(({ at, image }) => [at, image]))
  }
}

const lookUps = (sql: Sql["Service"]) => {
  const plan = sql.one<PlanRow>(`SELECT ${PLAN} FROM plans WHERE id = ?`)
  const image = sql.one<ImageRow>(`${IMAGE} AND i.slug = ?`)
  const defaultImage = sql.one<ImageRow>(`${IMAGE} AND d.is_default = 1`)
  const plans = sql.all<PlanRow>(`SELECT ${PLAN} FROM plans`)
  const offers = sql.all<OfferRow>(OFFERS)
  const kept = sql.kept(["plans", "images", "data_centre_images"], Effect.zipWith(plans(), offers(), byKey))
  type Known = ReturnType<typeof byKey>
  const ask = <A>(find: (known: Known) => A | undefined, read: () => Effect.Effect<A | undefined>) =>
    Effect.flatMap(kept, (known) => known === undefined ? read() : Effect.succeed(find(known)))
  return {
    plan: (id: number) => ask(({ plans }) => plans.get(id), () => Rows.optional(plan(id), toPlan)),
    image: (id: number, slug: string) =>
      ask(({ images }) => images.get(`${id} ${slug}`), () => Rows.optional(image(id, slug), toImage)),
    defaultImage: (id: number) =>
      ask(({ defaults }) => defaults.get(id), () => Rows.optional(defaultImage(id), toImage))
  }
}

const make = Effect.map(Sql, (sql) => {
  const forSale = sql.all<PlanRow>(
    `SELECT ${PLAN} FROM plans WHERE is_active = 1 AND out_of_stock = 0
       AND category IN (${ORDERABLE.map(() => "?").join(", ")}) ORDER BY id`
  )
  const dataCentre = sql.one<[number, string]>("SELECT id, label FROM data_centres WHERE id = ?")
  const images = sql.all<ImageRow>(`${IMAGE} ORDER BY i.os_id`)
  const addDataCentre = sql.run("INSERT INTO data_centres (id, label) VALUES (?, ?)")
  const addPlan = sql.run(`INSERT INTO plans (${PLAN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const addImage = sql.run(
    "INSERT INTO images (os_id, slug, label, version, icon, family) VALUES (?, ?, ?, ?, ?, ?)"
  )
  const offer = sql.run("INSERT INTO data_centre_images (data_centre_id, os_id, is_default) VALUES (?, ?, ?)")
  return Catalogue.of({
    forSale: Rows.each(forSale(...ORDERABLE), toPlan),
    ...lookUps(sql),
    dataCentre: (id) => Rows.optional(dataCentre(id), ([key, label]) => ({ id: key, label })),
    images: (id) => Rows.each(images(id), toImage),
    addDataCentre: ({ id, label }) => Effect.asVoid(addDataCentre(id, label)),
    addPlan: (plan) => Effect.asVoid(addPlan(...planValues(plan))),
    addImage: (i) => Effect.asVoid(addImage(i.osId, i.slug, i.label, i.version, i.icon, i.family)),
    offerImage: (id, osId, isDefault) => Effect.asVoid(offer(id, osId, Number(isDefault)))
  })
})

export const layer: Layer.Layer<Catalogue, never, Sql> = Layer.effect(Catalogue, make)
