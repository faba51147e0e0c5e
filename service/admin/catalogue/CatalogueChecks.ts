/** What a catalogue document may say that no schema sees: references, names that are taken, what must not change. */
import { ORDERABLE } from "../../persistence/catalogue/Plan.ts"
import type { WholeCatalogue } from "../../persistence/catalogue/Whole.ts"
import type { CatalogueDocument } from "./CatalogueDocument.ts"
import type { Places } from "./CatalogueRows.ts"

type Problems = ReadonlyArray<string>

const twice = (what: string, values: ReadonlyArray<string | number>): Problems =>
  [...new Set(values.filter((value, index) => values.indexOf(value) !== index))].map((value) =>
    `${what} ${value} stands there twice.`
  )

/** Labels that name no data centre, and what each entry says twice. */
export const references = (document: CatalogueDocument, places: Places): Problems => {
  const { data_centres = [], images = [], isos = [], plans = [] } = document
  const unknown = (where: string, labels: ReadonlyArray<string>): Problems =>
    labels.filter((label) => !places.has(label)).map((label) =>
      `${where}: there is no data centre "${label}"; there are ${[...places.keys()].join(", ") || "none"}.`
    )
  return [
    ...twice("data_centres: id", data_centres.map(({ id }) => id)),
    ...twice("images: os_id", images.map(({ os_id }) => os_id)),
    ...twice("plans: id", plans.map(({ id }) => id)),
    ...twice("isos: id", isos.map(({ id }) => id)),
    ...images.flatMap(({ data_centres: offered, default_in = [], slug }) => [
      ...twice(`images: ${slug}: data_centres:`, offered),
      ...unknown(`images: ${slug}`, offered),
      ...default_in.filter((label) => !offered.includes(label)).map((label) =>
        `images: ${slug}: default_in names "${label}", which data_centres does not.`
      )
    ]),
    ...plans.flatMap(({ data_centre, slug }) => unknown(`plans: ${slug}`, [data_centre]))
  ]
}

/** Orders and instances refer to these, so another value would change what customers have bought. */
const frozen = (there: WholeCatalogue, rows: WholeCatalogue): Problems => {
  const images = new Map(there.images.map((image) => [image.osId, image]))
  const plans = new Map(there.plans.map((plan) => [plan.id, plan]))
  return [
    ...rows.images.flatMap(({ osId, slug }) => {
      const before = images.get(osId)
      return before === undefined || before.slug === slug
        ? []
        : [`images: os_id ${osId} is ${before.slug}, which instances run; give ${slug} an os_id of its own.`]
    }),
    ...rows.plans.flatMap(({ category, currency, dataCentreId, id, slug }) => {
      const before = plans.get(id)
      const same = before === undefined
        || (before.dataCentreId === dataCentreId && before.category === category && before.currency === currency)
      return same
        ? []
        : [`plans: ${slug}: data_centre, category and currency of plan ${id} stay as they are; make a plan of its own.`]
    })
  ]
}

/** What would not hold together once the rows are in: names that are taken, and defaults. */
export const consistency = (there: WholeCatalogue, rows: WholeCatalogue, after: WholeCatalogue): Problems => {
  const label = (dataCentreId: number) => after.dataCentres.find(({ id }) => id === dataCentreId)!.label
  const defaults = after.offers.filter(({ isDefault }) => isDefault).map(({ dataCentreId }) => dataCentreId)
  const selling = after.plans.filter(({ category, isActive }) => isActive && ORDERABLE.includes(category))
  const without = new Set(selling.map(({ dataCentreId }) => dataCentreId).filter((id) => !defaults.includes(id)))
  return [
    ...frozen(there, rows),
    ...twice("data_centres: label", after.dataCentres.map((each) => each.label)),
    ...twice("images: slug", after.images.map(({ slug }) => slug)),
    ...twice("plans: slug", after.plans.map(({ slug }) => slug)),
    ...twice("isos: name", after.isos.map(({ name }) => name)),
    ...twice("images: the default in", defaults.map(label)),
    ...[...without].map((id) => `images: ${label(id)} has plans for sale and no image with default_in: [${label(id)}].`)
  ]
}
