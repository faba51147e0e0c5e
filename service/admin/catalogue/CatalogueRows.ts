/** Converts a catalogue document to database rows and back. */
import { fromAmount, toAmount } from "../../domain/Money.ts"
import type { Offer, Plan } from "../../persistence/catalogue/Plan.ts"
import type { WholeCatalogue } from "../../persistence/catalogue/Whole.ts"
import type { CatalogueDocument } from "../../contract/operator/Catalogue.ts"

type Entry<Part extends keyof CatalogueDocument> = NonNullable<CatalogueDocument[Part]>[number]
type Complete<Part extends keyof CatalogueDocument> = { readonly [Name in keyof Entry<Part>]-?: Entry<Part>[Name] }

/** Has all parts, and all fields of their entries, so that entries can be compared. */
export type CompleteDocument = { readonly [Part in keyof CatalogueDocument]-?: ReadonlyArray<Complete<Part>> }

/** The ids of data centers by label: existing ones, and those of the document. */
export const dataCenterIds = ({ data_centers = [] }: CatalogueDocument, { dataCenters }: WholeCatalogue) => {
  const renamed = new Set(data_centers.map(({ id }) => id))
  const unchanged = dataCenters.filter(({ id }) => !renamed.has(id))
  return new Map([...unchanged, ...data_centers].map(({ id, label }) => [label, id]))
}

export type DataCenterIds = ReadonlyMap<string, number>

/** Adds the defaults of absent fields. */
export const complete = (document: CatalogueDocument, centers: DataCenterIds): CompleteDocument => {
  const { data_centers = [], images = [], isos = [], plans = [] } = document
  const byId = (labels: ReadonlyArray<string> = []) =>
    labels.toSorted((one, other) => centers.get(one)! - centers.get(other)!)
  return {
    data_centers,
    images: images.map((image) => ({
      icon: null,
      ...image,
      data_centers: byId(image.data_centers),
      default_in: byId(image.default_in)
    })),
    plans: plans.map((plan) => ({
      description: null,
      billing_cycle: "monthly",
      specs: null,
      is_active: true,
      out_of_stock: false,
      auto_deploy: true,
      ...plan
    })),
    isos
  }
}

/** The rows of a document with valid references. */
export const toRows = (document: CompleteDocument, centers: DataCenterIds, createdAt: number): WholeCatalogue => ({
  dataCenters: document.data_centers,
  images: document.images.map(({ family, icon, label, os_id: osId, slug, version }) => ({
    osId,
    slug,
    label,
    version,
    icon,
    family
  })),
  offers: document.images.flatMap(({ data_centers, default_in, os_id: osId }) =>
    data_centers.map((label) => ({ dataCenterId: centers.get(label)!, osId, isDefault: default_in.includes(label) }))
  ),
  plans: document.plans.map((plan): Plan => ({
    id: plan.id,
    name: plan.name,
    slug: plan.slug,
    description: plan.description,
    price: fromAmount(plan.price)!,
    currency: plan.currency,
    billingCycle: plan.billing_cycle,
    category: plan.category,
    specs: plan.specs === null ? null : JSON.stringify(plan.specs),
    dataCenterId: centers.get(plan.data_center)!,
    isActive: plan.is_active,
    outOfStock: plan.out_of_stock,
    autoDeploy: plan.auto_deploy,
    createdAt
  })),
  isos: document.isos.map(({ file_name: fileName, id, name, size_bytes: sizeBytes }) => ({
    id,
    name,
    fileName,
    sizeBytes
  }))
})

/** The whole catalogue as a document, whose import changes nothing. */
export const toDocument = ({ dataCenters, images, isos, offers, plans }: WholeCatalogue): CompleteDocument => {
  const labels = new Map(dataCenters.map(({ id, label }) => [id, label]))
  const labelsOf = (of: ReadonlyArray<Offer>) => of.map(({ dataCenterId }) => labels.get(dataCenterId)!)
  return {
    data_centers: dataCenters.map(({ id, label }) => ({ id, label })),
    images: images.map(({ family, icon, label, osId, slug, version }) => {
      const own = offers.filter((offer) => offer.osId === osId)
      const default_in = labelsOf(own.filter(({ isDefault }) => isDefault))
      return { os_id: osId, slug, label, version, family, icon, data_centers: labelsOf(own), default_in }
    }),
    plans: plans.map((plan) => ({
      id: plan.id,
      slug: plan.slug,
      name: plan.name,
      description: plan.description,
      price: toAmount(plan.price),
      currency: plan.currency,
      billing_cycle: plan.billingCycle as "monthly",
      category: plan.category as Entry<"plans">["category"],
      specs: plan.specs === null ? null : JSON.parse(plan.specs),
      data_center: labels.get(plan.dataCenterId)!,
      is_active: plan.isActive,
      out_of_stock: plan.outOfStock,
      auto_deploy: plan.autoDeploy
    })),
    isos: isos.map(({ fileName: file_name, id, name, sizeBytes: size_bytes }) => ({ id, name, file_name, size_bytes }))
  }
}
