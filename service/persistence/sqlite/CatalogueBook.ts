import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CatalogueBook, type Offer, type WholeCatalogue } from "../CatalogueBook.ts"
import * as Catalogue from "./Catalogue.ts"
import { Database } from "./Database.ts"
import * as Isos from "./Isos.ts"

type OfferRow = [dataCentreId: number, osId: number, isDefault: number]

const toOffer = ([dataCentreId, osId, isDefault]: OfferRow): Offer => ({
  dataCentreId,
  osId,
  isDefault: isDefault === 1
})

const read = (db: Database["Service"]): WholeCatalogue => ({
  dataCentres: db.all<[number, string]>("SELECT id, label FROM data_centres ORDER BY id")().map(([id, label]) => ({
    id,
    label
  })),
  images: db.all<Catalogue.ImageRow>("SELECT os_id, slug, label, version, icon, family FROM images ORDER BY os_id")()
    .map(Catalogue.toImage),
  offers: db.all<OfferRow>(
    "SELECT data_centre_id, os_id, is_default FROM data_centre_images ORDER BY os_id, data_centre_id"
  )().map(toOffer),
  plans: db.all<Catalogue.PlanRow>(`SELECT ${Catalogue.PLAN} FROM plans ORDER BY id`)().map(Catalogue.toPlan),
  isos: db.all<Isos.Row>("SELECT id, name, file_name, size_bytes FROM isos ORDER BY id")().map(Isos.toIso)
})

/** A row under its columns' names is inserted, or replaces all but `kept` of the row that is there. */
const upsert = (
  { run }: Database["Service"],
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

const putPlans = (db: Database["Service"], plans: WholeCatalogue["plans"]) => {
  const put = upsert(db, "plans", "id", PLAN, ["created_at"])
  for (const plan of plans) put(...Catalogue.planValues(plan))
}

const putImages = (db: Database["Service"], { images, offers }: WholeCatalogue) => {
  const put = upsert(db, "images", "os_id", ["os_id", "slug", "label", "version", "icon", "family"])
  const withdraw = db.run("DELETE FROM data_centre_images WHERE os_id = ?")
  const offer = db.run("INSERT INTO data_centre_images (data_centre_id, os_id, is_default) VALUES (?, ?, ?)")
  for (const { family, icon, label, osId, slug, version } of images) put(osId, slug, label, version, icon, family)
  // All are withdrawn before any is offered: the default may pass from one to another.
  for (const { osId } of images) withdraw(osId)
  for (const { dataCentreId, isDefault, osId } of offers) offer(dataCentreId, osId, Number(isDefault))
}

const put = (db: Database["Service"], rows: WholeCatalogue): void => {
  const dataCentre = upsert(db, "data_centres", "id", ["id", "label"])
  for (const { id, label } of rows.dataCentres) dataCentre(id, label)
  putImages(db, rows)
  putPlans(db, rows.plans)
  const iso = upsert(db, "isos", "id", ["id", "name", "file_name", "size_bytes"])
  for (const { fileName, id, name, sizeBytes } of rows.isos) iso(id, name, fileName, sizeBytes)
}

/** Statements are prepared when they are used, which is seldom. */
const make = Effect.map(Database, (db) =>
  CatalogueBook.of({
    read: Effect.sync(() => read(db)),
    put: (rows) => Effect.sync(() => put(db, rows))
  }))

export const layer: Layer.Layer<CatalogueBook, never, Database> = Layer.effect(CatalogueBook, make)
