import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Catalogue, type Image, type ImageFamily, ORDERABLE, type Plan } from "../Catalogue.ts"
import { Database } from "./Database.ts"

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

const IMAGE = `SELECT i.os_id, i.slug, i.label, i.version, i.icon, i.family
  FROM images i JOIN data_centre_images d ON d.os_id = i.os_id WHERE d.data_centre_id = ?`

export const toImage = ([osId, slug, label, version, icon, family]: ImageRow): Image => ({
  osId,
  slug,
  label,
  version,
  icon,
  family
})

const mapped = <Row, A>(row: Row | undefined, map: (row: Row) => A): A | undefined =>
  row === undefined ? undefined : map(row)

const make = Effect.map(Database, (db) => {
  const forSale = db.all<PlanRow>(
    `SELECT ${PLAN} FROM plans WHERE is_active = 1 AND out_of_stock = 0
       AND category IN (${ORDERABLE.map(() => "?").join(", ")}) ORDER BY id`
  )
  const plan = db.one<PlanRow>(`SELECT ${PLAN} FROM plans WHERE id = ?`)
  const dataCentre = db.one<[number, string]>("SELECT id, label FROM data_centres WHERE id = ?")
  const images = db.all<ImageRow>(`${IMAGE} ORDER BY i.os_id`)
  const image = db.one<ImageRow>(`${IMAGE} AND i.slug = ?`)
  const defaultImage = db.one<ImageRow>(`${IMAGE} AND d.is_default = 1`)
  const addDataCentre = db.run("INSERT INTO data_centres (id, label) VALUES (?, ?)")
  const addPlan = db.run(`INSERT INTO plans (${PLAN}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
  const addImage = db.run(
    "INSERT INTO images (os_id, slug, label, version, icon, family) VALUES (?, ?, ?, ?, ?, ?)"
  )
  const offer = db.run("INSERT INTO data_centre_images (data_centre_id, os_id, is_default) VALUES (?, ?, ?)")
  return Catalogue.of({
    forSale: Effect.sync(() => forSale(...ORDERABLE).map(toPlan)),
    plan: (id) => Effect.sync(() => mapped(plan(id), toPlan)),
    dataCentre: (id) => Effect.sync(() => mapped(dataCentre(id), ([key, label]) => ({ id: key, label }))),
    images: (id) => Effect.sync(() => images(id).map(toImage)),
    image: (id, slug) => Effect.sync(() => mapped(image(id, slug), toImage)),
    defaultImage: (id) => Effect.sync(() => mapped(defaultImage(id), toImage)),
    addDataCentre: ({ id, label }) => Effect.sync(() => void addDataCentre(id, label)),
    addPlan: (plan) => Effect.sync(() => void addPlan(...planValues(plan))),
    addImage: (i) => Effect.sync(() => void addImage(i.osId, i.slug, i.label, i.version, i.icon, i.family)),
    offerImage: (id, osId, isDefault) => Effect.sync(() => void offer(id, osId, Number(isDefault)))
  })
})

export const layer: Layer.Layer<Catalogue, never, Database> = Layer.effect(Catalogue, make)
