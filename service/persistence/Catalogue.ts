/**
 * Data centers, plans and images. The look-ups of every create are cached until a row of their tables changes. A change
 * of the catalogue makes a new version of a plan that was sold, and changes no order.
 */
import * as Effect from "effect/Effect"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import { type Columns, columns, type Definition, flag, placeholders, selectAll, selectOne } from "./Columns.ts"
import { Sql } from "./Sql.ts"
import { type CacheTables, TableCache } from "./Caches.ts"
import {
  DATA_CENTER,
  type DataCenter,
  IMAGE,
  type Image,
  OFFER,
  type Offer,
  ORDERABLE,
  PLAN,
  type Plan
} from "./catalogue/Plan.ts"
import { ISO, type Iso } from "./Isos.ts"

export interface LookUps {
  readonly plan: (id: number) => Effect.Effect<Plan | undefined>
  readonly image: (dataCenterId: number, slug: string) => Effect.Effect<Image | undefined>
  /** An image that a plan's data center offers; with null, its default. */
  readonly imageOf: (planId: number, slug: string | null) => Effect.Effect<Image | undefined>
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

const lookUps = (sql: Sql["Service"], cache: CacheTables): LookUps => {
  const plan = selectOne(sql, PLAN, "FROM plans WHERE id = ?")
  const image = selectOne(sql, OFFERED_IMAGE, `${OFFERED_IMAGES} WHERE d.data_center_id = ? AND i.slug = ?`)
  const ofPlan = selectOne(
    sql,
    OFFERED_IMAGE,
    `${OFFERED_IMAGES} JOIN plans p ON p.data_center_id = d.data_center_id
     WHERE p.id = ?1 AND CASE WHEN CAST(?2 AS TEXT) IS NULL THEN d.is_default = 1 ELSE i.slug = ?2 END`
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
    imageOf: (planId, slug) =>
      lookUp(({ defaults, images, plans }) => {
        const id = plans.get(planId)?.dataCenterId
        return id === undefined ? undefined : slug === null ? defaults.get(id) : images.get(`${id} ${slug}`)
      }, () => Effect.map(ofPlan(planId, slug), imageOf))
  }
}

/** The terms that are sold with a plan. The price is the order's own. */
export type SoldPlan = Omit<Plan, "price" | "isActive" | "outOfStock">

/** A plan as it was sold, by the id of that version. */
export interface Version {
  readonly soldId: number
  readonly terms: SoldPlan
}

export interface Sold {
  /** The version of a plan that was sold last. */
  readonly lastSold: (planId: number) => Effect.Effect<Version | undefined>
  /** The id of a plan as it is sold now: of the version that was sold last, as long as its terms do not change. */
  readonly sell: (plan: Plan, last: Version | undefined) => Effect.Effect<number>
  /** A plan as it was sold. */
  readonly sold: (soldId: number) => Effect.Effect<SoldPlan | undefined>
}

const TERMS: Definition<SoldPlan> = {
  id: "plan_id",
  name: "name",
  slug: "slug",
  description: "description",
  currency: "currency",
  billingCycle: "billing_cycle",
  category: "category",
  specs: "specs",
  dataCenterId: "data_center_id",
  autoDeploy: flag("auto_deploy"),
  createdAt: "created_at"
}

export const SOLD_PLAN = columns<SoldPlan>(TERMS)

const VERSION = columns<Version>({ soldId: "id", terms: TERMS })

const NAMES = Object.keys(TERMS) as ReadonlyArray<keyof SoldPlan>

/** Every create sells, and deploys what was sold, so the newest versions are cached. */
const soldPlans = (sql: Sql["Service"], cache: CacheTables): Sold => {
  const all = selectAll(sql, VERSION, "FROM sold_plans WHERE id IN (SELECT max(id) FROM sold_plans GROUP BY plan_id)")
  const cached = cache(
    ["sold_plans"],
    Effect.map(all(), (versions) => new Map(versions.map((version) => [version.terms.id, version])))
  )
  const sold = selectOne(sql, SOLD_PLAN, "FROM sold_plans WHERE id = ?")
  const latest = selectOne(sql, VERSION, "FROM sold_plans WHERE plan_id = ? ORDER BY id DESC LIMIT 1")
  const insert = sql.insert(`INSERT INTO sold_plans (${SOLD_PLAN.sql}) VALUES (${placeholders(NAMES.length)})`)
  return {
    lastSold: (planId) =>
      Effect.flatMap(cached, (last) => last === undefined ? latest(planId) : Effect.succeed(last.get(planId))),
    sell: (plan, last) =>
      last !== undefined && NAMES.every((name) => last.terms[name] === plan[name])
        ? Effect.succeed(last.soldId)
        : insert(...SOLD_PLAN.encode(plan)),
    sold: (soldId) =>
      Effect.flatMap(cached, (last) => {
        const found = last && [...last.values()].find((version) => version.soldId === soldId)
        return found === undefined ? sold(soldId) : Effect.succeed(found.terms)
      })
  }
}

export interface WholeCatalogue {
  readonly dataCenters: ReadonlyArray<DataCenter>
  readonly images: ReadonlyArray<Image>
  readonly offers: ReadonlyArray<Offer>
  readonly plans: ReadonlyArray<Plan>
  readonly isos: ReadonlyArray<Iso>
}

export interface Whole {
  /** Everything, by id. */
  readonly read: Effect.Effect<WholeCatalogue>
  /**
   * Adds or replaces each row by its id; the offers of each image in `images` are replaced by those in `offers`.
   * Nothing is deleted, because orders refer to it. An existing plan keeps its time of creation.
   */
  readonly upsert: (rows: WholeCatalogue) => Effect.Effect<void>
}

const reading = (sql: Sql["Service"]): Effect.Effect<WholeCatalogue> =>
  Effect.all({
    dataCenters: selectAll(sql, DATA_CENTER, "FROM data_centers ORDER BY id")(),
    images: selectAll(sql, IMAGE, "FROM images ORDER BY os_id")(),
    offers: selectAll(sql, OFFER, "FROM data_center_images ORDER BY os_id, data_center_id")(),
    plans: selectAll(sql, PLAN, "FROM plans ORDER BY id")(),
    isos: selectAll(sql, ISO, "FROM isos ORDER BY id")()
  })

/** One after another, because a transaction has one connection. */
const forEachRow = <A>(rows: ReadonlyArray<A>, write: (row: A) => Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.forEach(rows, write, { discard: true })

/** Inserts rows, or replaces all but `preserved` of an existing one. The first column is the key. */
const upserting = <A>(
  { run }: Sql["Service"],
  table: string,
  { encode, names, sql }: Columns<A>,
  preserved: ReadonlyArray<string> = []
) => {
  const changes = names.slice(1).filter((name) => !preserved.includes(name)).map((name) => `${name} = excluded.${name}`)
  const upsert = run(
    `INSERT INTO ${table} (${sql}) VALUES (${placeholders(names.length)})
     ON CONFLICT (${names[0]}) DO UPDATE SET ${changes.join(", ")}`
  )
  return (rows: ReadonlyArray<A>) => forEachRow(rows, (row) => upsert(...encode(row)))
}

const whole = (sql: Sql["Service"]): Whole => {
  const upsertDataCenters = upserting(sql, "data_centers", DATA_CENTER)
  const upsertImages = upserting(sql, "images", IMAGE)
  const upsertPlans = upserting(sql, "plans", PLAN, ["created_at"])
  const upsertIsos = upserting(sql, "isos", ISO)
  const withdraw = sql.run("DELETE FROM data_center_images WHERE os_id = ?")
  const offer = sql.run(
    `INSERT INTO data_center_images (${OFFER.sql}) VALUES (${placeholders(OFFER.names.length)})`
  )
  return {
    read: reading(sql),
    upsert: ({ dataCenters, images, isos, offers, plans }) =>
      Effect.all([
        upsertDataCenters(dataCenters),
        upsertImages(images),
        // All are withdrawn before any is offered: the default may pass from one image to another.
        forEachRow(images, ({ osId }) => withdraw(osId)),
        forEachRow(offers, (row) => offer(...OFFER.encode(row))),
        upsertPlans(plans),
        upsertIsos(isos)
      ], { discard: true })
  }
}

interface Lists {
  /** Active plans in stock that can be ordered, by id. */
  readonly forSale: Effect.Effect<ReadonlyArray<Plan>>
  readonly dataCenter: (id: number) => Effect.Effect<DataCenter | undefined>
  /** The images of a data center, by `os_id`. */
  readonly images: (dataCenterId: number) => Effect.Effect<ReadonlyArray<Image>>
}

export class Catalogue extends Context.Service<Catalogue, Lists & LookUps & Sold & Whole>()(
  "@pulumi-vps/service/Catalogue"
) {
  static readonly layer = Layer.effect(
    this,
    Effect.zipWith(Sql, TableCache, (sql, cache) => ({
      ...lists(sql, cache),
      ...lookUps(sql, cache),
      ...soldPlans(sql, cache),
      ...whole(sql)
    }))
  )
}

const lists = (sql: Sql["Service"], cache: CacheTables): Lists => {
  const dataCenter = selectOne(sql, DATA_CENTER, "FROM data_centers WHERE id = ?")
  const dataCenters = cache(["data_centers"], selectAll(sql, DATA_CENTER, "FROM data_centers")())
  const forSale = selectAll(
    sql,
    PLAN,
    `FROM plans WHERE is_active = 1 AND out_of_stock = 0
       AND category IN (${placeholders(ORDERABLE.length)}) ORDER BY id`
  )
  return {
    forSale: forSale(...ORDERABLE),
    dataCenter: (id) =>
      Effect.flatMap(
        dataCenters,
        (all) => all === undefined ? dataCenter(id) : Effect.succeed(all.find((one) => one.id === id))
      ),
    images: selectAll(
      sql,
      IMAGE,
      `FROM images WHERE os_id IN (SELECT os_id FROM data_center_images WHERE data_center_id = ?) ORDER BY os_id`
    )
  }
}
