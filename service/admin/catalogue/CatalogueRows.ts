/** Converts a catalogue document to database rows and back. */
import { fromAmount, toAmount } from "../../domain/Money.ts"
import type { DataCentre, Image, Plan } from "../../persistence/catalogue/Plan.ts"
import type { Offer } from "../../persistence/catalogue/Plan.ts"
import type { WholeCatalogue } from "../../persistence/catalogue/Whole.ts"
import type { Iso } from "../../persistence/Isos.ts"
import type { CatalogueDocument, ImageEntry, PlanEntry } from "./CatalogueDocument.ts"

/** The ids of data centres by label: existing ones, and those of the document. */
export type DataCentreIds = ReadonlyMap<string, number>

export const dataCentreIds = ({ data_centres = [] }: CatalogueDocument, current: WholeCatalogue): DataCentreIds => {
  const renamed = new Set(data_centres.map(({ id }) => id))
  const unchanged = current.dataCentres.filter(({ id }) => !renamed.has(id))
  return new Map([...unchanged, ...data_centres].map(({ id, label }) => [label, id]))
}

const toImage = ({ family, icon = null, label, os_id, slug, version }: ImageEntry): Image => ({
  osId: os_id,
  slug,
  label,
  version,
  icon,
  family
})

const toOffers = ({ data_centres, default_in = [], os_id }: ImageEntry, centres: DataCentreIds): ReadonlyArray<Offer> =>
  data_centres.map((label) => ({
    dataCentreId: centres.get(label)!,
    osId: os_id,
    isDefault: default_in.includes(label)
  }))

const toPlan = (plan: PlanEntry, centres: DataCentreIds, createdAt: number): Plan => ({
  id: plan.id,
  name: plan.name,
  slug: plan.slug,
  description: plan.description ?? null,
  price: fromAmount(plan.price)!,
  currency: plan.currency,
  billingCycle: plan.billing_cycle ?? "monthly",
  category: plan.category,
  specs: plan.specs === undefined || plan.specs === null ? null : JSON.stringify(plan.specs),
  dataCentreId: centres.get(plan.data_centre)!,
  isActive: plan.is_active ?? true,
  outOfStock: plan.out_of_stock ?? false,
  autoDeploy: plan.auto_deploy ?? true,
  createdAt
})

/** The rows of a document with valid references. */
export const toRows = (document: CatalogueDocument, centres: DataCentreIds, at: number): WholeCatalogue => {
  const { data_centres: dataCentres = [], images = [], isos = [], plans = [] } = document
  return {
    dataCentres,
    images: images.map(toImage),
    offers: images.flatMap((image) => toOffers(image, centres)),
    plans: plans.map((plan) => toPlan(plan, centres, at)),
    isos: isos.map(({ file_name, id, name, size_bytes }): Iso => ({
      id,
      name,
      fileName: file_name,
      sizeBytes: size_bytes
    }))
  }
}

/** The current catalogue with the rows added or replaced by id. */
export const merged = (current: WholeCatalogue, rows: WholeCatalogue): WholeCatalogue => {
  const merge = <A>(before: ReadonlyArray<A>, after: ReadonlyArray<A>, key: (row: A) => number): ReadonlyArray<A> => [
    ...new Map([...before, ...after].map((row) => [key(row), row])).values()
  ]
  const replaced = new Set(rows.images.map(({ osId }) => osId))
  return {
    dataCentres: merge(current.dataCentres, rows.dataCentres, ({ id }) => id),
    images: merge(current.images, rows.images, ({ osId }) => osId),
    offers: [...current.offers.filter(({ osId }) => !replaced.has(osId)), ...rows.offers],
    plans: merge(current.plans, rows.plans, ({ id }) => id),
    isos: merge(current.isos, rows.isos, ({ id }) => id)
  }
}

type Entry<Part extends keyof CatalogueDocument> = NonNullable<CatalogueDocument[Part]>[number]

/** The whole catalogue as a document, whose import changes nothing. */
export const toDocument = ({ dataCentres, images, isos, offers, plans }: WholeCatalogue) => {
  const labels = new Map(dataCentres.map(({ id, label }: DataCentre) => [id, label]))
  const labelsOf = (of: ReadonlyArray<Offer>) =>
    of.toSorted((one, other) => one.dataCentreId - other.dataCentreId).map(({ dataCentreId }) =>
      labels.get(dataCentreId)!
    )
  return {
    data_centres: dataCentres.map(({ id, label }): Entry<"data_centres"> => ({ id, label })),
    images: images.map(({ family, icon, label, osId, slug, version }): Entry<"images"> => {
      const own = offers.filter((offer) => offer.osId === osId)
      const default_in = labelsOf(own.filter(({ isDefault }) => isDefault))
      return { os_id: osId, slug, label, version, family, icon, data_centres: labelsOf(own), default_in }
    }),
    plans: plans.map((plan): Entry<"plans"> => ({
      id: plan.id,
      slug: plan.slug,
      name: plan.name,
      description: plan.description,
      price: toAmount(plan.price),
      currency: plan.currency,
      billing_cycle: plan.billingCycle as "monthly",
      category: plan.category as Entry<"plans">["category"],
      specs: plan.specs === null ? null : JSON.parse(plan.specs),
      data_centre: labels.get(plan.dataCentreId)!,
      is_active: plan.isActive,
      out_of_stock: plan.outOfStock,
      auto_deploy: plan.autoDeploy
    })),
    isos: isos.map(({ fileName, id, name, sizeBytes }): Entry<"isos"> => ({
      id,
      name,
      file_name: fileName,
      size_bytes: sizeBytes
    }))
  } satisfies CatalogueDocument
}
