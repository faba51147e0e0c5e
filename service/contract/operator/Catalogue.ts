/** The catalogue as a document, which operators import and export as YAML, and the commands for it. */
import * as Schema from "effect/Schema"
import { NullableString } from "@pulumi-vps/contract/Primitives"
import { PlanSpecs } from "@pulumi-vps/contract/Services"
import { Amount, Currency, Id, Name, pattern, Price, word } from "../Fields.ts"
import { acts, argument, flag, optional, reads, toggle } from "./Define.ts"

const optionalName = Schema.optionalKey(Schema.NullOr(Name))
const optionalFlag = Schema.optionalKey(Schema.Boolean)

const FAMILIES = ["linux", "bsd", "windows"] as const
const CATEGORIES = ["vps", "dedicated", "hosting"] as const
const BILLING_CYCLES = ["monthly"] as const

const DataCenterEntry = Schema.Struct({ id: Id, label: Name })

const ImageEntry = Schema.Struct({
  os_id: Id,
  slug: Name,
  label: Name,
  version: Name,
  family: word(FAMILIES),
  icon: optionalName,
  /** The labels of the data centers that offer it. */
  data_centers: Schema.Array(Name),
  /** The data centers where it is the default image. */
  default_in: Schema.optionalKey(Schema.Array(Name))
})
export type ImageEntry = typeof ImageEntry.Type

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
  /** Its label. */
  data_center: Name,
  /** False withdraws it from sale. Default: true. */
  is_active: optionalFlag,
  /** Default: false. */
  out_of_stock: optionalFlag,
  /** False: each deployment needs an operator's approval. Default: true. */
  auto_deploy: optionalFlag
})
export type PlanEntry = typeof PlanEntry.Type

const IsoEntry = Schema.Struct({ id: Id, name: Name, file_name: Name, size_bytes: Id })

/** Absent lists and entries are not changed. */
export const CatalogueDocument = Schema.Struct({
  data_centers: Schema.optionalKey(Schema.Array(DataCenterEntry)),
  images: Schema.optionalKey(Schema.Array(ImageEntry)),
  plans: Schema.optionalKey(Schema.Array(PlanEntry)),
  isos: Schema.optionalKey(Schema.Array(IsoEntry))
})
export type CatalogueDocument = typeof CatalogueDocument.Type

const ImageRecord = Schema.Struct({
  os_id: Schema.Int,
  slug: Schema.String,
  label: Schema.String,
  version: Schema.String,
  family: Schema.Literals(FAMILIES),
  icon: NullableString,
  data_centers: Schema.Array(Schema.String),
  default_in: Schema.Array(Schema.String)
})

const ListedPlan = Schema.Struct({
  id: Schema.Int,
  slug: Schema.String,
  name: Schema.String,
  price: Amount,
  currency: Schema.String,
  category: Schema.Literals(CATEGORIES),
  data_center: Schema.String,
  is_active: Schema.Boolean,
  out_of_stock: Schema.Boolean,
  auto_deploy: Schema.Boolean
})

const PlanRecord = Schema.Struct({
  ...ListedPlan.fields,
  description: NullableString,
  billing_cycle: Schema.Literals(BILLING_CYCLES),
  specs: Schema.NullOr(PlanSpecs)
})

const IsoRecord = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  file_name: Schema.String,
  size_bytes: Schema.Int
})

/** The whole catalogue with all fields, whose import changes nothing. */
const WholeDocument = Schema.Struct({
  data_centers: Schema.Array(Schema.Struct({ id: Schema.Int, label: Schema.String })),
  images: Schema.Array(ImageRecord),
  plans: Schema.Array(PlanRecord),
  isos: Schema.Array(IsoRecord)
})

const FORMAT =
  "The file has the lists data_centers, images, plans and isos, in the format of \"catalogue export\". Each entry is "
  + "added, or replaces the entry with the same id; others are not changed. An import is atomic."

const Digest = pattern("be a SHA-256 digest of 64 hexadecimal digits, as sha256sum prints it", /^[\da-f]{64}$/)

const Slug = pattern(
  "have letters, digits, dots, hyphens and underscores only, like debian-13 or rescue.iso",
  /^[A-Za-z\d][\w.-]{0,99}$/
)

const IMAGE_KINDS = ["disk", "iso"] as const

export const CATALOGUE_COMMANDS = {
  "catalogue.import": acts({
    text: `Update the catalogue from a YAML file. ${FORMAT}`,
    short: "Update the catalogue from a YAML file",
    examples: ["catalogue import catalogue.yaml --dry-run"],
    input: () => ({ document: CatalogueDocument, dry_run: toggle("Show the changes without writing them") }),
    unless: ({ dry_run: dryRun }) => dryRun,
    /** The effect on each entry of the document. */
    result: () =>
      Schema.Array(Schema.Struct({
        part: Schema.Literals(["data_center", "image", "plan", "iso"]),
        id: Schema.Int,
        name: Schema.String,
        change: Schema.Literals(["added", "changed", "unchanged"])
      }))
  }),
  "catalogue.export": reads({
    text: "Print the whole catalogue as YAML, in the format of \"catalogue import\"",
    result: () => WholeDocument
  }),
  "plans.list": reads({ text: "List plans by id", result: () => Schema.Array(ListedPlan) }),
  "images.list": reads({ text: "List images by id", result: () => Schema.Array(ImageRecord) }),
  "images.import": acts({
    text: "Upload an image or ISO to the hosts, once its digest is verified",
    examples: ["images import debian-12 --file debian-12.qcow2 --sha256 ..."],
    hostOnly: true,
    input: () => ({
      name: argument(Slug, "name", "Slug of an image, file name of an ISO, or rescue for the rescue system"),
      /** Absolute path, on the computer of the service. */
      file: flag(Name, "A qcow2 image, or an ISO"),
      sha256: flag(Digest, "Its digest, as sha256sum prints it"),
      kind: flag(word(IMAGE_KINDS), "iso for ISOs and the rescue system", { initial: "disk" }),
      host: optional(Name, "Only this host (default: all)")
    }),
    result: () =>
      Schema.Array(Schema.Struct({
        host: Schema.String,
        name: Schema.String,
        kind: Schema.Literals(IMAGE_KINDS),
        volume: Schema.String,
        bytes: Schema.Int
      }))
  }),
  "isos.list": reads({ text: "List ISOs by id", result: () => Schema.Array(IsoRecord) })
}
