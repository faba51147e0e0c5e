/** The catalogue, as operators bring it up to date: from one document, all of it or nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toAmount } from "../../domain/Money.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import type { WholeCatalogue } from "../../persistence/catalogue/Whole.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { consistency, references } from "./CatalogueChecks.ts"
import type { CatalogueDocument } from "./CatalogueDocument.ts"
import { merged, placesOf, toDocument, toRows } from "./CatalogueRows.ts"
import { CommandRejected } from "../InputSchemas.ts"

/** What an import does to one entry. */
export interface Change {
  readonly part: "data_centre" | "image" | "plan" | "iso"
  readonly id: number
  readonly name: string
  readonly change: "added" | "changed" | "unchanged"
}

type Shown = ReturnType<typeof toDocument>

/** Each entry of the rows, beside what was there. */
const changesOf = (before: Shown, after: Shown, rows: WholeCatalogue): ReadonlyArray<Change> => {
  const compare =
    <A>(part: Change["part"], key: (entry: A) => number, name: (entry: A) => string) =>
    (old: ReadonlyArray<A>, now: ReadonlyArray<A>, ids: ReadonlyArray<number>): ReadonlyArray<Change> =>
      now.filter((entry) => ids.includes(key(entry))).map((entry) => {
        const was = old.find((each) => key(each) === key(entry))
        const same = JSON.stringify(was) === JSON.stringify(entry)
        const change = was === undefined ? "added" : same ? "unchanged" : "changed"
        return { part, id: key(entry), name: name(entry), change }
      })
  const ids = (of: ReadonlyArray<{ readonly id: number }>) => of.map(({ id }) => id)
  return [
    ...compare<Shown["data_centres"][number]>("data_centre", ({ id }) => id, ({ label }) => label)(
      before.data_centres,
      after.data_centres,
      ids(rows.dataCentres)
    ),
    ...compare<Shown["images"][number]>("image", ({ os_id }) => os_id, ({ slug }) => slug)(
      before.images,
      after.images,
      rows.images.map(({ osId }) => osId)
    ),
    ...compare<Shown["plans"][number]>("plan", ({ id }) => id, ({ slug }) => slug)(
      before.plans,
      after.plans,
      ids(rows.plans)
    ),
    ...compare<Shown["isos"][number]>("iso", ({ id }) => id, ({ name }) => name)(
      before.isos,
      after.isos,
      ids(rows.isos)
    )
  ]
}

const refuse = (problems: ReadonlyArray<string>) =>
  problems.length === 0 ? Effect.void : Effect.fail(new CommandRejected({ message: problems.join("\n") }))

/** Runs in a transaction. Fails with `Refused` and all that is wrong; then nothing is written. */
export const bring = Effect.fnUntraced(function*(document: CatalogueDocument, dryRun = false) {
  const book = yield* Catalogue
  const there = yield* book.read
  const places = placesOf(document, there)
  yield* refuse(references(document, places))
  const rows = toRows(document, places, yield* Clock.currentTimeMillis)
  const after = merged(there, rows)
  yield* refuse(consistency(there, rows, after))
  if (!dryRun) yield* book.upsert(rows)
  return changesOf(toDocument(there), toDocument(after), rows)
})

export interface Import {
  readonly document: CatalogueDocument
  readonly dry_run: boolean
}

export const importCatalogue = Effect.fnUntraced(function*({ document, dry_run }: Import) {
  return yield* (yield* Transaction).run(bring(document, dry_run))
})

const whole = Effect.flatMap(Catalogue, ({ read }) => read)

export const exportCatalogue = Effect.map(whole, toDocument)

export const listPlans = Effect.map(whole, ({ dataCentres, plans }) =>
  plans.map((plan) => ({
    id: plan.id,
    slug: plan.slug,
    name: plan.name,
    price: toAmount(plan.price),
    currency: plan.currency,
    category: plan.category,
    data_centre: dataCentres.find(({ id }) => id === plan.dataCentreId)!.label,
    is_active: plan.isActive,
    out_of_stock: plan.outOfStock,
    auto_deploy: plan.autoDeploy
  })))

export const listImages = Effect.map(exportCatalogue, ({ images }) => images)

export const listIsos = Effect.map(exportCatalogue, ({ isos }) => isos)
