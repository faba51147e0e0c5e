import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Catalogue, type Image, type ImageFamily, ORDERABLE, type Plan } from "../Catalogue.ts"
import { Database } from "./Database.ts"
import { keepUntilChanged } from "./Kept.ts"

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

const mapped = <Row, A>(row: Row | undefined, map: (row: Row) => A): A | undefined =>
  row === undefined ? undefined : map(row)

/** What a create looks up. */
const lookUps = (db: Database["Service"]) => {
  const plan = db.one<PlanRow>(`SELECT ${PLAN} FROM plans WHERE id = ?`)
  const image = db.one<ImageRow>(`${IMAGE} AND i.slug = ?`)
  const defaultImage = db.one<ImageRow>(`${IMAGE} AND d.is_default = 1`)
  const plans = db.all<PlanRow>(`SELECT ${PLAN} FROM plans`)
  const offers = db.all<OfferRow>(OFFERS)
  const kept = keepUntilChanged(db, ["plans", "images", "data_centre_images"], () => {
    const all = offers().map((row) => ({ image: toImage(row), at: row[6], isDefault: row[7] === 1 }))
    return {
      plans: new Map(plans().map((row) => [row[0], toPlan(row)])),
      images: new Map(all.map(({ at, image }) => [`${at} ${image.slug}`, image])),
      defaults: new Map(all.filter(({ isDefault }) => isDefault).map(({ at, image }) => [at, image]))
    }
  })
  return {
    plan: (id: number) =>
      Effect.sync(() => {
        const known = kept()
        return known === undefined ? mapped(plan(id), toPlan) : known.plans.get(id)
      }),
    image: (id: number, slug: string) =>
      Effect.sync(() => {
        const known = kept()
        return known === undefined ? mapped(image(id, slug), toImage) : known.images.get(`${id} ${slug}`)
      }),
    defaultImage: (id: number) =>
      Effect.sync(() => {
        const known = kept()
        return known === undefined ? mapped(defaultImage(id), toImage) : known.defaults.get(id)
      })
  }
}

const make = Effect.map(Database, (db) => {
  const forSale = db.all<PlanRow>(
    `SELECT ${PLAN} FROM plans WHERE is_active = 1 AND out_of_stock = 0
       AND category IN (${ORDERABLE.map(() => "?").join(", ")}) ORDER BY id`
  )
  const dataCentre = db.one<[number, string]>("SELECT id, label FROM data_centres WHERE id = ?")
  const images = db.all<ImageRow>(`${IMAGE} ORDER BY i.os_id`)
  const addDataCentre = db.run("INSERT INTO data_centres (id, label) VALUES (?, ?)")
  const addPlan = db.run(`INSERT INTO plans (${PLAN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const addImage = db.run(
    "INSERT INTO images (os_id, slug, label, version, icon, family) VALUES (?, ?, ?, ?, ?, ?)"
  )
  const offer = db.run("INSERT INTO data_centre_images (data_centre_id, os_id, is_default) VALUES (?, ?, ?)")
  return Catalogue.of({
    forSale: Effect.sync(() => forSale(...ORDERABLE).map(toPlan)),
    ...lookUps(db),
    dataCentre: (id) => Effect.sync(() => mapped(dataCentre(id), ([key, label]) => ({ id: key, label }))),
    images: (id) => Effect.sync(() => images(id).map(toImage)),
    addDataCentre: ({ id, label }) => Effect.sync(() => void addDataCentre(id, label)),
    addPlan: (plan) => Effect.sync(() => void addPlan(...planValues(plan))),
    addImage: (i) => Effect.sync(() => void addImage(i.osId, i.slug, i.label, i.version, i.icon, i.family)),
    offerImage: (id, osId, isDefault) => Effect.sync(() => void offer(id, osId, Number(isDefault)))
  })
})

export const layer: Layer.Layer<Catalogue, never, Database> = Layer.effect(Catalogue, make)
