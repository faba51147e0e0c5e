/** Checks of a catalogue document beyond its schema: references, unique names, and immutable fields. */
import { specProblems } from "../../domain/MachineSize.ts"
import { ORDERABLE } from "../../persistence/catalogue/Plan.ts"
import { duplicateEntries, duplicates } from "./CatalogueParts.ts"
import type { CompleteDocument, DataCenterIds } from "./CatalogueRows.ts"

type Errors = ReadonlyArray<string>

const isSold = ({ category, is_active }: CompleteDocument["plans"][number]): boolean =>
  is_active && ORDERABLE.includes(category)

/** Unknown data centers, unreadable specs, and duplicates within the document. */
export const references = (document: CompleteDocument, centers: DataCenterIds, placesMachines: boolean): Errors => {
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
export const consistency = (current: CompleteDocument, imported: CompleteDocument, after: CompleteDocument): Errors => {
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
