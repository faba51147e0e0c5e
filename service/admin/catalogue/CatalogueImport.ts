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
  const compare = <A>(
    part: Change["part"],
    entriesOf: (document: RenderedDocument) => ReadonlyArray<A>,
    identify: (entry: A) => readonly [id: number, name: string],
    imported: ReadonlyArray<number>
  ): ReadonlyArray<Change> => {
    const previous = new Map(entriesOf(before).map((entry) => [identify(entry)[0], JSON.stringify(entry)]))
    return entriesOf(after).flatMap((entry) => {
      const [id, name] = identify(entry)
      if (!imported.includes(id)) return []
      const was = previous.get(id)
      return [{
        part,
        id,
        name,
        change: was === undefined ? "added" : was === JSON.stringify(entry) ? "unchanged" : "changed"
      }]
    })
  }
  const ids = (of: ReadonlyArray<{ readonly id: number }>) => of.map(({ id }) => id)
  return [
    ...compare("data_centre", (all) => all.data_centres, ({ id, label }) => [id, label], ids(rows.dataCentres)),
    ...compare("image", (all) => all.images, ({ os_id, slug }) => [os_id, slug], rows.images.map(({ osId }) => osId)),
    ...compare("plan", (all) => all.plans, ({ id, slug }) => [id, slug], ids(rows.plans)),
    ...compare("iso", (all) => all.isos, ({ id, name }) => [id, name], ids(rows.isos))
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
