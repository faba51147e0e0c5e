/** The commands for the catalogue, its checks and its rows. An import applies the whole document, or nothing. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { fromAmount, toAmount } from "../../domain/Money.ts"
import { type Offer, ORDERABLE, type Plan } from "../../persistence/catalogue/Plan.ts"
import { Catalogue, type WholeCatalogue } from "../../persistence/Catalogue.ts"
import type { CatalogueDocument } from "../../contract/operator/Catalogue.ts"
import { isDeepStrictEqual } from "node:util"
import { specProblems } from "../../domain/MachineSize.ts"
import { PlacesMachines } from "../../catalogue/Capacity.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { reject } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

type Entry<Part extends keyof CatalogueDocument> = NonNullable<CatalogueDocument[Part]>[number]
type Complete<Part extends keyof CatalogueDocument> = { readonly [Name in keyof Entry<Part>]-?: Entry<Part>[Name] }

/** Has all parts, and all fields of their entries, so that entries can be compared. */
export type CompleteDocument = { readonly [Part in keyof CatalogueDocument]-?: ReadonlyArray<Complete<Part>> }

/** The ids of data centers by label: existing ones, and those of the document. */
const dataCenterIds = ({ data_centers = [] }: CatalogueDocument, { dataCenters }: WholeCatalogue) => {
  const renamed = new Set(data_centers.map(({ id }) => id))
  const unchanged = dataCenters.filter(({ id }) => !renamed.has(id))
  return new Map([...unchanged, ...data_centers].map(({ id, label }) => [label, id]))
}

export type DataCenterIds = ReadonlyMap<string, number>

/** Adds the defaults of absent fields. */
const complete = (document: CatalogueDocument, centers: DataCenterIds): CompleteDocument => {
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
const toRows = (document: CompleteDocument, centers: DataCenterIds, createdAt: number): WholeCatalogue => ({
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
const toDocument = ({ dataCenters, images, isos, offers, plans }: WholeCatalogue): CompleteDocument => {
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

/** The parts, with the fields of an entry that have its id and its name. */
const PARTS = [
  { part: "data_center", list: "data_centers", id: "id", name: "label" },
  { part: "image", list: "images", id: "os_id", name: "slug" },
  { part: "plan", list: "plans", id: "id", name: "slug" },
  { part: "iso", list: "isos", id: "id", name: "name" }
] as const

type Part = typeof PARTS[number]

/** The effect of an import on one entry. */
export interface Change {
  readonly part: Part["part"]
  readonly id: number
  readonly name: string
  readonly change: "added" | "changed" | "unchanged"
}

const entriesOf = (document: CompleteDocument, { id, list, name }: Part) =>
  (document[list] as ReadonlyArray<object>).map((entry) => {
    const fields = entry as Readonly<Record<string, unknown>>
    return { id: fields[id] as number, name: fields[name] as string, entry }
  })

/** The current catalogue with the imported entries added or replaced by id. */
const merged = (current: CompleteDocument, imported: CompleteDocument): CompleteDocument =>
  Object.fromEntries(PARTS.map((part) => {
    const entries = [...entriesOf(current, part), ...entriesOf(imported, part)]
    return [part.list, [...new Map(entries.map(({ entry, id }) => [id, entry])).values()]]
  })) as unknown as CompleteDocument

/** Compares each imported entry with its previous state. */
const changesOf = (current: CompleteDocument, imported: CompleteDocument): ReadonlyArray<Change> =>
  PARTS.flatMap((part) => {
    const before = new Map(entriesOf(current, part).map(({ entry, id }) => [id, entry]))
    return entriesOf(imported, part).map(({ entry, id, name }): Change => {
      const was = before.get(id)
      const change = was === undefined ? "added" : isDeepStrictEqual(was, entry) ? "unchanged" : "changed"
      return { part: part.part, id, name, change }
    })
  })

const duplicates = (what: string, values: ReadonlyArray<string | number>): ReadonlyArray<string> =>
  [...new Set(values.filter((value, index) => values.indexOf(value) !== index))].map((value) =>
    `${what} ${value} is not unique.`
  )

/** Entries with the id or the name of another one of their part. */
const duplicateEntries = (document: CompleteDocument, field: "id" | "name"): ReadonlyArray<string> =>
  PARTS.flatMap((part) =>
    duplicates(`${part.list}: ${part[field]}`, entriesOf(document, part).map((entry) => entry[field]))
  )

type Errors = ReadonlyArray<string>

const isSold = ({ category, is_active }: CompleteDocument["plans"][number]): boolean =>
  is_active && ORDERABLE.includes(category)

/** Unknown data centers, unreadable specs, and duplicates within the document. */
const references = (document: CompleteDocument, centers: DataCenterIds, placesMachines: boolean): Errors => {
  const unknown = (where: string, labels: ReadonlyArray<string>): Errors =>
    labels.filter((label) => !centers.has(label)).map((label) =>
      `${where}: unknown data center "${label}". Available: ${[...centers.keys()].join(", ") || "none"}.`
    )
  return [
    ...duplicateEntries(document, "id"),
    ...document.images.flatMap(({ data_centers: offered, default_in, slug }) => [
      ...duplicates(`images: ${slug}: data_centers:`, offered),
      ...unknown(`images: ${slug}`, offered),
      ...default_in.filter((label) => !offered.includes(label)).map((label) =>
        `images: ${slug}: default_in contains "${label}", but data_centers does not.`
      )
    ]),
    ...document.plans.flatMap((plan) => {
      const { data_center, slug, specs } = plan
      const problems = specProblems(specs === null ? null : JSON.stringify(specs), placesMachines && isSold(plan))
      return [
        ...unknown(`plans: ${slug}`, [data_center]),
        ...problems.map((problem) => `plans: ${slug}: ${problem}`)
      ]
    })
  ]
}

/** Fields that orders and instances refer to: changing them would change existing purchases. */
const immutable = (current: CompleteDocument, imported: CompleteDocument): Errors => [
  ...imported.images.flatMap(({ os_id, slug }) => {
    const before = current.images.find((image) => image.os_id === os_id)
    return before === undefined || before.slug === slug
      ? []
      : [`images: os_id ${os_id} is ${before.slug}, which instances use. Assign a new os_id to ${slug}.`]
  }),
  ...imported.plans.flatMap(({ category, currency, data_center, id, slug }) => {
    const before = current.plans.find((plan) => plan.id === id)
    const same = before === undefined
      || (before.data_center === data_center && before.category === category && before.currency === currency)
    return same
      ? []
      : [`plans: ${slug}: data_center, category and currency of plan ${id} cannot be changed. Create a new plan.`]
  })
]

/** Inconsistencies after the import: duplicate names, and missing defaults. */
const consistency = (current: CompleteDocument, imported: CompleteDocument, after: CompleteDocument): Errors => {
  const defaults = after.images.flatMap(({ default_in }) => default_in)
  const selling = after.plans.filter(isSold)
  const without = new Set(selling.map(({ data_center }) => data_center).filter((label) => !defaults.includes(label)))
  return [
    ...immutable(current, imported),
    ...duplicateEntries(after, "name"),
    ...duplicates("images: the default in", defaults),
    ...[...without].map((label) => `images: ${label} has plans for sale, but no image with default_in: [${label}].`)
  ]
}

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
