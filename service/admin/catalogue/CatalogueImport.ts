/** The commands for the catalogue. An import is atomic: it applies the whole document, or nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { toAmount } from "../../domain/Money.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import type { WholeCatalogue } from "../../persistence/catalogue/Whole.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { consistency, references } from "./CatalogueChecks.ts"
import { CatalogueDocument } from "./CatalogueDocument.ts"
import { dataCentreIds, merged, toDocument, toRows } from "./CatalogueRows.ts"
import { reject } from "../CommandRejected.ts"
import type { Input } from "../InputSchemas.ts"

/** The effect of an import on one entry. */
export interface Change {
  readonly part: "data_centre" | "image" | "plan" | "iso"
  readonly id: number
  readonly name: string
  readonly change: "added" | "changed" | "unchanged"
}

type RenderedDocument = ReturnType<typeof toDocument>

/** Compares each imported entry with its previous state. */
const changesOf = (before: RenderedDocument, after: RenderedDocument, rows: WholeCatalogue): ReadonlyArray<Change> => {
  const compare =
    <A>(part: Change["part"], key: (entry: A) => number, name: (entry: A) => string) =>
    (old: ReadonlyArray<A>, now: ReadonlyArray<A>, ids: ReadonlyArray<number>): ReadonlyArray<Change> =>
      now.filter((entry) => ids.includes(key(entry))).map((entry) => {
        const previous = old.find((each) => key(each) === key(entry))
        const same = JSON.stringify(previous) === JSON.stringify(entry)
        const change = previous === undefined ? "added" : same ? "unchanged" : "changed"
        return { part, id: key(entry), name: name(entry), change }
      })
  const ids = (of: ReadonlyArray<{ readonly id: number }>) => of.map(({ id }) => id)
  return [
    ...compare<RenderedDocument["data_centres"][number]>("data_centre", ({ id }) => id, ({ label }) => label)(
      before.data_centres,
      after.data_centres,
      ids(rows.dataCentres)
    ),
    ...compare<RenderedDocument["images"][number]>("image", ({ os_id }) => os_id, ({ slug }) => slug)(
      before.images,
      after.images,
      rows.images.map(({ osId }) => osId)
    ),
    ...compare<RenderedDocument["plans"][number]>("plan", ({ id }) => id, ({ slug }) => slug)(
      before.plans,
      after.plans,
      ids(rows.plans)
    ),
    ...compare<RenderedDocument["isos"][number]>("iso", ({ id }) => id, ({ name }) => name)(
      before.isos,
      after.isos,
      ids(rows.isos)
    )
  ]
}

const rejectIfAny = (errors: ReadonlyArray<string>) =>
  errors.length === 0 ? Effect.void : Effect.fail(reject(errors.join("\n")))

/** Runs in a transaction. Fails with `CommandRejected` and all errors before anything is written. */
export const applyDocument = Effect.fnUntraced(function*(document: CatalogueDocument, dryRun = false) {
  const catalogue = yield* Catalogue
  const current = yield* catalogue.read
  const centres = dataCentreIds(document, current)
  yield* rejectIfAny(references(document, centres))
  const rows = toRows(document, centres, yield* Clock.currentTimeMillis)
  const after = merged(current, rows)
  yield* rejectIfAny(consistency(current, rows, after))
  if (!dryRun) yield* catalogue.upsert(rows)
  return changesOf(toDocument(current), toDocument(after), rows)
})

export const Import = () => Schema.Struct({ document: CatalogueDocument, dry_run: Schema.Boolean })

export const importCatalogue = Effect.fnUntraced(function*({ document, dry_run }: Input<typeof Import>) {
  return yield* (yield* Transaction).run(applyDocument(document, dry_run))
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
