import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CatalogueBook, type Offer, type WholeCatalogue } from "../CatalogueBook.ts"
import * as Catalogue from "./Catalogue.ts"
import { Sql } from "../Sql.ts"
import * as Isos from "./Isos.ts"
import * as Rows from "../Rows.ts"

type OfferRow = [dataCentreId: number, osId: number, isDefault: number]

const toOffer = ([dataCentreId, osId, isDefault]: OfferRow): Offer => ({
  dataCentreId,
  osId,
  isDefault: isDefault === 1
})

const reading = ({ all }: Sql["Service"]): Effect.Effect<WholeCatalogue> => {
  const dataCentres = all<[number, string]>("SELECT id, label FROM data_centres ORDER BY id")
  const images = all<Catalogue.ImageRow>("SELECT os_id, slug, label, version, icon, family FROM images ORDER BY os_id")
  const offers = all<OfferRow>(
    "SELECT data_centre_id, os_id, is_default FROM data_centre_images ORDER BY os_id, data_centre_id"
  )
  const plans = all<Catalogue.PlanRow>(`SELECT ${Catalogue.PLAN} FROM plans ORDER BY id`)
  const isos = all<Isos.Row>("SELECT id, name, file_name, size_bytes FROM isos ORDER BY id")
  return Effect.all({
    dataCentres: Rows.each(dataCentres(), ([id, label]) => ({ id, label })),
    images: Rows.each(images(), Catalogue.toImage),
    offers: Rows.each(offers(), toOffer),
    plans: Rows.each(plans(), Catalogue.toPlan),
    isos: Rows.each(isos(), Isos.toIso)
  })
}

/** A row under its columns' names is inserted, or replaces all but `kept` of the row that is there. */
const upsert = (
  { run }: Sql["Service"],
  table: string,
  key: string,
  columns: ReadonlyArray<string>,
  kept: ReadonlyArray<string> = []
) => {
  const changed = columns.filter((column) => column !== key && !kept.includes(column))
  return run(
    `INSERT INTO ${table} (${columns.join(", ")}) VALUES (${columns.map(() => "?").join(", ")})
     ON CONFLICT (${key}) DO UPDATE SET ${changed.map((column) => `${column} = excluded.${column}`).join(", ")}`
  )
}

const PLAN = Catalogue.PLAN.split(",").map((column) => column.trim())

/** One after another, because a transaction has one connection. */
const forAll = <A>(rows: ReadonlyArray<A>, write: (row: A) => Effect.Effect<unknown>): Effect.Effect<void> =>
  Effect.forEach(rows, write, { discard: true })

const puttingImages = (sql: Sql["Service"]) => {
  const put = upsert(sql, "images", "os_id", ["os_id", "slug", "label", "version", "icon", "family"])
  const withdraw = sql.run("DELETE FROM data_centre_images WHERE os_id = ?")
  const offer = sql.run("INSERT INTO data_centre_images (data_centre_id, os_id, is_default) VALUES (?, ?, ?)")
  return ({ images, offers }: WholeCatalogue): ReadonlyArray<Effect.Effect<void>> => [
    forAll(images, (i) => put(i.osId, i.slug, i.label, i.version, i.icon, i.family)),
    // All are withdrawn before any is offered: the default may pass from one to another.
    forAll(images, ({ osId }) => withdraw(osId)),
    forAll(offers, ({ dataCentreId, isDefault, osId }) => offer(dataCentreId, osId, Number(isDefault)))
  ]
}

const putting = (sql: Sql["Service"]) => {
  const dataCentre = upsert(sql, "data_centres", "id", ["id", "label"])
  const images = puttingImages(sql)
  const plan = upsert(sql, "plans", "id", PLAN, ["created_at"])
  const iso = upsert(sql, "isos", "id", ["id", "name", "file_name", "size_bytes"])
  return (rows: WholeCatalogue): Effect.Effect<void> =>
    Effect.all([
      forAll(rows.dataCentres, ({ id, label }) => dataCentre(id, label)),
      ...images(rows),
      forAll(rows.plans, (row) => plan(...Catalogue.planValues(row))),
      forAll(rows.isos, ({ fileName, id, name, sizeBytes }) => iso(id, name, fileName, sizeBytes))
    ], { discard: true })
}

const make = Effect.map(Sql, (sql) => CatalogueBook.of({ read: reading(sql), put: putting(sql) }))

export const layer: Layer.Layer<CatalogueBook, never, Sql> = Layer.effect(CatalogueBook, make)
