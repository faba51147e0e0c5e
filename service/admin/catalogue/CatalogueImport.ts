/** The commands for the catalogue. An import is atomic: it applies the whole document, or nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { PlacesMachines } from "../../catalogue/Capacity.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"
import type { WholeCatalogue } from "../../persistence/catalogue/Whole.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { consistency, references } from "./CatalogueChecks.ts"
import type { CatalogueDocument } from "../../contract/operator/Catalogue.ts"
import { changesOf, merged } from "./CatalogueParts.ts"
import { complete, dataCenterIds, toDocument, toRows } from "./CatalogueRows.ts"
import { reject } from "../CommandRejected.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

const rejectIfAny = (errors: ReadonlyArray<string>) =>
  errors.length === 0 ? Effect.void : Effect.fail(reject(errors.join("\n")))

/** The current catalogue, in which images and plans refer to data centers by the labels of the document. */
const currentDocument = (rows: WholeCatalogue, { data_centers = [] }: CatalogueDocument) => {
  const dataCenters = rows.dataCenters.map((each) => data_centers.find(({ id }) => id === each.id) ?? each)
  return { ...toDocument({ ...rows, dataCenters }), data_centers: rows.dataCenters }
}

/** Runs in a transaction. Fails with `CommandRejected` and all errors before anything is written. */
export const applyDocument = Effect.fnUntraced(function*(document: CatalogueDocument, dryRun = false) {
  const catalogue = yield* Catalogue
  const rows = yield* catalogue.read
  const centers = dataCenterIds(document, rows)
  const imported = complete(document, centers)
  yield* rejectIfAny(references(imported, centers, yield* PlacesMachines))
  const current = currentDocument(rows, document)
  yield* rejectIfAny(consistency(current, imported, merged(current, imported)))
  if (!dryRun) yield* catalogue.upsert(toRows(imported, centers, yield* Clock.currentTimeMillis))
  return changesOf(current, imported)
})

export const importCatalogue = Effect.fnUntraced(function*({ document, dry_run }: InputOf<"catalogue.import">) {
  return yield* (yield* Transaction).run(applyDocument(document, dry_run))
})

export const exportCatalogue = Effect.map(Effect.flatMap(Catalogue, ({ read }) => read), toDocument)

const listPlans = Effect.map(
  exportCatalogue,
  ({ plans }) =>
    plans.map(({ billing_cycle: _billing_cycle, description: _description, specs: _specs, ...plan }) => plan)
)

const listImages = Effect.map(exportCatalogue, ({ images }) => images)

const listIsos = Effect.map(exportCatalogue, ({ isos }) => isos)

export const CATALOGUE_USE_CASES = {
  "catalogue.import": importCatalogue,
  "catalogue.export": () => exportCatalogue,
  "plans.list": () => listPlans,
  "images.list": () => listImages,
  "isos.list": () => listIsos
} satisfies UseCases
