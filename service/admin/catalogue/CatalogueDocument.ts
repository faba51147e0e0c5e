/** The catalogue as a document, which operators import and export as YAML, and which seeds the emulator. */
import * as Schema from "effect/Schema"
import { queryWord } from "#contract/Primitives"
import { PlanSpecs } from "#contract/Services"
import { Currency, Id, Name, Price } from "../InputSchemas.ts"

const optionalName = Schema.optionalKey(Schema.NullOr(Name))
const flag = Schema.optionalKey(Schema.Boolean)

const FAMILIES = ["linux", "bsd", "windows"] as const
const CATEGORIES = ["vps", "dedicated", "hosting"] as const
const BILLING_CYCLES = ["monthly"] as const

const DataCentreEntry = Schema.Struct({ id: Id, label: Name })

const ImageEntry = Schema.Struct({
  os_id: Id,
  slug: Name,
  label: Name,
  version: Name,
  family: queryWord(FAMILIES),
  icon: optionalName,
  /** The labels of the data centres that offer it. */
  data_centres: Schema.Array(Name),
  /** The data centres where it is the default image. */
  default_in: Schema.optionalKey(Schema.Array(Name))
})

const PlanEntry = Schema.Struct({
  id: Id,
  slug: Name,
  name: Name,
  description: optionalName,
  /** Gross, at the seller's home rate, per billing cycle. */
  price: Price,
  currency: Currency,
  billing_cycle: Schema.optionalKey(queryWord(BILLING_CYCLES)),
  category: queryWord(CATEGORIES),
  specs: Schema.optionalKey(Schema.NullOr(PlanSpecs)),
  /** Its label. */
  data_centre: Name,
  /** False withdraws it from sale. Default: true. */
  is_active: flag,
  /** Default: false. */
  out_of_stock: flag,
  /** False: each deployment needs an operator's approval. Default: true. */
  auto_deploy: flag
})

const IsoEntry = Schema.Struct({ id: Id, name: Name, file_name: Name, size_bytes: Id })

/** Absent lists and entries are not changed. */
export const CatalogueDocument = Schema.Struct({
  data_centres: Schema.optionalKey(Schema.Array(DataCentreEntry)),
  images: Schema.optionalKey(Schema.Array(ImageEntry)),
  plans: Schema.optionalKey(Schema.Array(PlanEntry)),
  isos: Schema.optionalKey(Schema.Array(IsoEntry))
})
export type CatalogueDocument = typeof CatalogueDocument.Type
export type ImageEntry = typeof ImageEntry.Type
export type PlanEntry = typeof PlanEntry.Type
