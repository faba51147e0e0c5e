/** The whole catalogue at once: its export, and its update by an import. */
import * as Effect from "effect/Effect"
import { type Columns, placeholders, selectAll } from "../Columns.ts"
import { ISO, type Iso } from "../Isos.ts"
import type { Sql } from "../Sql.ts"
import { DATA_CENTER, type DataCenter, IMAGE, type Image, OFFER, type Offer, PLAN, type Plan } from "./Plan.ts"

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

export const whole = (sql: Sql["Service"]): Whole => {
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
