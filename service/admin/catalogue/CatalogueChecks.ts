/** Checks of a catalogue document beyond its schema: references, unique names, and immutable fields. */
import { type SizedSpec, unreadableSpecs } from "../../domain/MachineSize.ts"
import { ORDERABLE } from "../../persistence/catalogue/Plan.ts"
import type { WholeCatalogue } from "../../persistence/catalogue/Whole.ts"
import type { CatalogueDocument } from "./CatalogueDocument.ts"
import type { DataCentreIds } from "./CatalogueRows.ts"

type Errors = ReadonlyArray<string>

const duplicates = (what: string, values: ReadonlyArray<string | number>): Errors =>
  [...new Set(values.filter((value, index) => values.indexOf(value) !== index))].map((value) =>
    `${what} ${value} is not unique.`
  )

const EXPECTED: Readonly<Record<SizedSpec, string>> = {
  vcpu: "a whole number of at least 1",
  ram: "a text like \"2 GB\"",
  storage: "a text like \"40 GB NVMe\" or \"2 x 1 TB NVMe\""
}

/** Specs from which the size of a machine cannot be read. */
const unreadable = (slug: string, specs: object | null): Errors =>
  unreadableSpecs(specs === null ? null : JSON.stringify(specs)).map((name) =>
    `plans: ${slug}: specs.${name} cannot be read. Expected ${EXPECTED[name]}.`
  )

/** Unknown data centres, and duplicates within the document. */
export const references = (document: CatalogueDocument, centres: DataCentreIds): Errors => {
  const { data_centres = [], images = [], isos = [], plans = [] } = document
  const unknown = (where: string, labels: ReadonlyArray<string>): Errors =>
    labels.filter((label) => !centres.has(label)).map((label) =>
      `${where}: unknown data centre "${label}". Available: ${[...centres.keys()].join(", ") || "none"}.`
    )
  return [
    ...duplicates("data_centres: id", data_centres.map(({ id }) => id)),
    ...duplicates("images: os_id", images.map(({ os_id }) => os_id)),
    ...duplicates("plans: id", plans.map(({ id }) => id)),
    ...duplicates("isos: id", isos.map(({ id }) => id)),
    ...images.flatMap(({ data_centres: offered, default_in = [], slug }) => [
      ...duplicates(`images: ${slug}: data_centres:`, offered),
      ...unknown(`images: ${slug}`, offered),
      ...default_in.filter((label) => !offered.includes(label)).map((label) =>
        `images: ${slug}: default_in contains "${label}", but data_centres does not.`
      )
    ]),
    ...plans.flatMap(({ data_centre, slug }) => unknown(`plans: ${slug}`, [data_centre])),
    ...plans.flatMap(({ slug, specs = null }) => unreadable(slug, specs))
  ]
}

/** Fields that orders and instances refer to: changing them would change existing purchases. */
const immutable = (current: WholeCatalogue, rows: WholeCatalogue): Errors => {
  const images = new Map(current.images.map((image) => [image.osId, image]))
  const plans = new Map(current.plans.map((plan) => [plan.id, plan]))
  return [
    ...rows.images.flatMap(({ osId, slug }) => {
      const before = images.get(osId)
      return before === undefined || before.slug === slug
        ? []
        : [`images: os_id ${osId} is ${before.slug}, which instances use. Assign a new os_id to ${slug}.`]
    }),
    ...rows.plans.flatMap(({ category, currency, dataCentreId, id, slug }) => {
      const before = plans.get(id)
      const same = before === undefined
        || (before.dataCentreId === dataCentreId && before.category === category && before.currency === currency)
      return same
        ? []
        : [`plans: ${slug}: data_centre, category and currency of plan ${id} cannot be changed. Create a new plan.`]
    })
  ]
}

/** Inconsistencies after the import: duplicate names, and missing defaults. */
export const consistency = (current: WholeCatalogue, rows: WholeCatalogue, after: WholeCatalogue): Errors => {
  const label = (dataCentreId: number) => after.dataCentres.find(({ id }) => id === dataCentreId)!.label
  const defaults = after.offers.filter(({ isDefault }) => isDefault).map(({ dataCentreId }) => dataCentreId)
  const selling = after.plans.filter(({ category, isActive }) => isActive && ORDERABLE.includes(category))
  const without = new Set(selling.map(({ dataCentreId }) => dataCentreId).filter((id) => !defaults.includes(id)))
  return [
    ...immutable(current, rows),
    ...duplicates("data_centres: label", after.dataCentres.map((each) => each.label)),
    ...duplicates("images: slug", after.images.map(({ slug }) => slug)),
    ...duplicates("plans: slug", after.plans.map(({ slug }) => slug)),
    ...duplicates("isos: name", after.isos.map(({ name }) => name)),
    ...duplicates("images: the default in", defaults.map(label)),
    ...[...without].map((id) =>
      `images: ${label(id)} has plans for sale, but no image with default_in: [${label(id)}].`
    )
  ]
}
