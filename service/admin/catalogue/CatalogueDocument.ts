/** The catalogue as a document: what operators import from YAML and export, and what the emulator is seeded with. */
import * as Schema from "effect/Schema"
import { PlanSpecs } from "#contract/Services"
import { Currency, Id, Price, text, word } from "../InputSchemas.ts"

/** Longest name of anything here, in characters. */
const NAME_MAX = 255

const Name = text(1, NAME_MAX)
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
  family: word(FAMILIES),
  icon: optionalName,
  /** Labels of the data centres that offer it. */
  data_centres: Schema.Array(Name),
  /** Those of them where it is installed when a customer names none. */
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
  billing_cycle: Schema.optionalKey(word(BILLING_CYCLES)),
  category: word(CATEGORIES),
  specs: Schema.optionalKey(Schema.NullOr(PlanSpecs)),
  /** Label. */
  data_centre: Name,
  /** False withdraws it from sale; true unless given. */
  is_active: flag,
  /** False unless given. */
  out_of_stock: flag,
  /** False: each deployment waits for an operator; true unless given. */
  auto_deploy: flag
})

const IsoEntry = Schema.Struct({ id: Id, name: Name, file_name: Name, size_bytes: Id })

/** Parts that are absent are left as they are, and so is every entry that is not named. */
export const CatalogueDocument = Schema.Struct({
  data_centres: Schema.optionalKey(Schema.Array(DataCentreEntry)),
  images: Schema.optionalKey(Schema.Array(ImageEntry)),
  plans: Schema.optionalKey(Schema.Array(PlanEntry)),
  isos: Schema.optionalKey(Schema.Array(IsoEntry))
})
export type CatalogueDocument = typeof CatalogueDocument.Type
export type ImageEntry = typeof ImageEntry.Type
export type PlanEntry = typeof PlanEntry.Type
