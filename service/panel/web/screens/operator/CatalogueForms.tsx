/** The entries of the catalogue as forms: plans, images, and ISO images. */
import type { ComponentChildren } from "preact"
import { PLAN_SPEC_ENTRIES } from "@pulumi-vps/contract/PlanSpecs"
import { ApiError } from "../../api/client.ts"
import { execute, type InputOf, type ResultOf } from "../../api/calls.ts"
import type { ButtonProps } from "../../components/Button.tsx"
import { AreaField, CheckField, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"

/** Of the button that opens it; undefined as it is in a list. */
type Opener = Partial<Pick<ButtonProps, "kind" | "off">>

interface EntryProps extends Opener {
  /** Such as "a plan". */
  readonly what: string
  /** Undefined for a new entry. */
  readonly name: string | undefined
  /** Lists of changed entries. The service compares the whole catalogue before it changes anything. */
  readonly documentOf: (values: Values) => InputOf<"catalogue.import">["document"]
  readonly children: ComponentChildren
}

/** Longest text of an entry, in characters. */
const TEXT_MAX = 255

/** The number of a new entry. */
const nextId = (ids: ReadonlyArray<number>): number => Math.max(0, ...ids) + 1

const EntryForm = ({ children, documentOf, kind, name, off, what }: EntryProps) => {
  const save = async (values: Values) => {
    await execute("catalogue.import", { document: documentOf(values), dry_run: false })
    return name === undefined ? `There is ${what} more.` : `${name} is saved.`
  }
  const isNew = name === undefined
  return (
    <FormDialog
      action={isNew ? `Add ${what}` : "Edit"}
      kind={kind ?? (isNew ? "plain" : "quiet")}
      off={off}
      {...(isNew ? { icon: "plus" as const } : {})}
      heading={isNew ? `Add ${what}` : `Edit ${name}`}
      submit="Save"
      onSubmit={save}
    >
      {children}
    </FormDialog>
  )
}

type CatalogueRecord = ResultOf<"catalogue.export">
type ImageRecord = CatalogueRecord["images"][number]
type IsoRecord = CatalogueRecord["isos"][number]

type DataCenter = CatalogueRecord["data_centers"][number]

interface DataCenterProps extends Opener {
  readonly catalogue: CatalogueRecord
  /** Undefined for a new one. */
  readonly center?: DataCenter
}

export const DataCenterForm = ({ catalogue: { data_centers: all }, center, ...opener }: DataCenterProps) => {
  const id = center?.id ?? nextId(all.map((one) => one.id))
  const documentOf = ({ required }: Values) => {
    const label = required.text("label")
    if (all.some((one) => one.id !== id && one.label === label)) {
      const message = "Another data center has this name. Choose another one."
      throw new ApiError(message, 0, { fields: [{ field: "label", message }] })
    }
    return { data_centers: [{ id, label }] }
  }
  return (
    <EntryForm {...opener} what="a data center" name={center?.label} documentOf={documentOf}>
      <TextField
        name="label"
        label="Name"
        required
        maxLength={TEXT_MAX}
        placeholder="Helsinki"
        defaultValue={center?.label}
        hint={center === undefined
          ? "As customers see it, such as its city."
          : "Images, plans and hosts follow. Programs that name it, such as imports, have to use the new name."}
      />
    </EntryForm>
  )
}

const FAMILIES: ReadonlyArray<ImageRecord["family"]> = ["linux", "bsd", "windows"]
const OFFERS = { no: "Not offered", yes: "Offered", default: "Offered, and the default" } as const

/** The name of the field that says whether a data center offers the image. */
const fieldOf = (id: number): string => `centre_${id}`

/** A new image is the default where there is none yet: plans can only be sold with one. */
const firstOffer = (label: string, { images }: CatalogueRecord): keyof typeof OFFERS =>
  images.some((one) => one.default_in.includes(label)) ? "yes" : "default"

const offerOf = (image: ImageRecord, label: string): keyof typeof OFFERS =>
  image.default_in.includes(label) ? "default" : image.data_centers.includes(label) ? "yes" : "no"

/** The images with this one in place; a data center has one default, so the others lose it. */
const imagesWith = (image: ImageRecord, all: ReadonlyArray<ImageRecord>): ReadonlyArray<ImageRecord> => [
  image,
  ...all.filter((one) => one.os_id !== image.os_id && one.default_in.some((label) => image.default_in.includes(label)))
    .map((one) => ({ ...one, default_in: one.default_in.filter((label) => !image.default_in.includes(label)) }))
]

const imageFrom = (
  { text }: Values,
  { data_centers: centres, images }: CatalogueRecord,
  before: ImageRecord | undefined
): ImageRecord => {
  const labels = (offers: ReadonlyArray<string>) =>
    centres.filter(({ id }) => offers.includes(text(fieldOf(id)) ?? "no")).map(({ label }) => label)
  return {
    icon: before?.icon ?? null,
    os_id: before?.os_id ?? nextId(images.map((one) => one.os_id)),
    slug: before?.slug ?? text("slug") ?? "",
    label: text("label") ?? "",
    version: text("version") ?? "",
    family: FAMILIES.find((one) => one === text("family")) ?? "linux",
    data_centers: labels(["yes", "default"]),
    default_in: labels(["default"])
  }
}

interface ImageProps extends Opener {
  readonly catalogue: CatalogueRecord
  /** Undefined for a new one. */
  readonly image?: ImageRecord
}

export const ImageForm = ({ catalogue, image, ...opener }: ImageProps) => (
  <EntryForm
    {...opener}
    what="an image"
    name={image?.label}
    documentOf={(values) => ({ images: imagesWith(imageFrom(values, catalogue, image), catalogue.images) })}
  >
    <div class="fields">
      <TextField name="label" label="Name" required maxLength={TEXT_MAX} defaultValue={image?.label} />
      <TextField name="version" label="Version" required maxLength={TEXT_MAX} defaultValue={image?.version} />
      <TextField
        name="slug"
        label="Slug"
        required
        disabled={image !== undefined}
        maxLength={TEXT_MAX}
        placeholder="debian-13"
        defaultValue={image?.slug}
        hint="Never changes: instances run it"
      />
      <SelectField name="family" label="Family" defaultValue={image?.family ?? "linux"}>
        {FAMILIES.map((one) => <option key={one} value={one}>{one}</option>)}
      </SelectField>
      {catalogue.data_centers.map(({ id, label }) => (
        <SelectField
          key={id}
          name={fieldOf(id)}
          label={`In ${label}`}
          defaultValue={image === undefined ? firstOffer(label, catalogue) : offerOf(image, label)}
        >
          {Object.entries(OFFERS).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
        </SelectField>
      ))}
    </div>
  </EntryForm>
)

interface IsoProps {
  readonly catalogue: CatalogueRecord
  /** Undefined for a new one. */
  readonly iso?: IsoRecord
}

export const IsoForm = ({ catalogue: { isos }, iso }: IsoProps) => {
  const id = iso?.id ?? nextId(isos.map((one) => one.id))
  const documentOf = ({ required: { number, text } }: Values) => ({
    isos: [{ id, name: text("name"), file_name: text("file_name"), size_bytes: number("size_bytes") }]
  })
  return (
    <EntryForm what="an ISO image" name={iso?.name} documentOf={documentOf}>
      <TextField name="name" label="Name" required maxLength={TEXT_MAX} defaultValue={iso?.name} />
      <TextField
        name="file_name"
        label="File"
        required
        maxLength={TEXT_MAX}
        placeholder="debian-netinst.iso"
        defaultValue={iso?.file_name}
        hint="Its name on the hosts"
      />
      <TextField
        name="size_bytes"
        label="Size in bytes"
        type="number"
        min={1}
        required
        defaultValue={iso?.size_bytes}
      />
    </EntryForm>
  )
}

type PlanRecord = CatalogueRecord["plans"][number]
type PlanEntry = NonNullable<InputOf<"catalogue.import">["document"]["plans"]>[number]

const CATEGORIES: ReadonlyArray<PlanEntry["category"]> = ["vps", "dedicated", "hosting"]

const specsFrom = ({ number, text }: Values, before: PlanRecord["specs"]) => {
  const given = PLAN_SPEC_ENTRIES.map(([name, { type }]) =>
    [name, type === "number" ? number(name) : text(name)] as const
  )
  return { ...before, ...Object.fromEntries(given.map(([name, value]) => [name, value ?? null])) }
}

const planFrom = (values: Values, before: PlanRecord | undefined, id: number): PlanEntry => {
  const { checked, required: { number, text } } = values
  return {
    id,
    slug: text("slug"),
    name: text("name"),
    description: values.text("description") ?? null,
    price: number("price"),
    currency: text("currency"),
    category: CATEGORIES.find((one) => one === text("category")) ?? "vps",
    specs: specsFrom(values, before?.specs ?? null),
    data_center: text("data_center"),
    is_active: checked("is_active"),
    out_of_stock: checked("out_of_stock"),
    auto_deploy: checked("auto_deploy")
  }
}

const Basics = ({ catalogue, plan }: Pick<PlanFormProps, "catalogue" | "plan">) => (
  <div class="fields">
    <TextField name="name" label="Name" required maxLength={TEXT_MAX} defaultValue={plan?.name} />
    <TextField
      name="slug"
      label="Slug"
      required
      maxLength={TEXT_MAX}
      defaultValue={plan?.slug}
      hint="For vps and URLs"
    />
    <TextField
      name="price"
      label="Price per month"
      type="number"
      min={0}
      step={0.01}
      required
      defaultValue={plan?.price}
      hint="Gross; for new orders. Reprice changes existing contracts."
    />
    <TextField
      name="currency"
      label="Currency"
      required
      pattern="[A-Z]{3}"
      maxLength={3}
      defaultValue={plan?.currency ?? "EUR"}
    />
    <SelectField name="category" label="Category" defaultValue={plan?.category ?? "vps"}>
      {CATEGORIES.map((one) => <option key={one} value={one}>{one}</option>)}
    </SelectField>
    <SelectField name="data_center" label="Data center" required defaultValue={plan?.data_center}>
      {catalogue.data_centers.map(({ id, label }) => <option key={id} value={label}>{label}</option>)}
    </SelectField>
  </div>
)

const specOf = (plan: PlanRecord | undefined, name: string): string | undefined => {
  const value = plan?.specs?.[name]
  return value === null || value === undefined ? undefined : String(value)
}

interface PlanFormProps extends Opener {
  readonly catalogue: CatalogueRecord
  /** Undefined for a new one. */
  readonly plan?: PlanRecord | undefined
}

export const PlanForm = ({ catalogue, plan, ...opener }: PlanFormProps) => {
  const id = plan?.id ?? nextId(catalogue.plans.map((one) => one.id))
  return (
    <EntryForm
      {...opener}
      what="a plan"
      name={plan?.name}
      documentOf={(values) => ({ plans: [planFrom(values, plan, id)] })}
    >
      <Basics catalogue={catalogue} plan={plan} />
      <div class="fields">
        {PLAN_SPEC_ENTRIES.map(([name, spec]) => (
          <TextField
            key={name}
            name={name}
            label={spec.label}
            type={spec.type === "number" ? "number" : "text"}
            defaultValue={specOf(plan, name)}
          />
        ))}
      </div>
      <AreaField name="description" label="Description" maxLength={TEXT_MAX} defaultValue={plan?.description ?? ""} />
      <CheckField name="is_active" label="On sale" defaultChecked={plan?.is_active ?? true} />
      <CheckField name="out_of_stock" label="Out of stock" defaultChecked={plan?.out_of_stock ?? false} />
      <CheckField
        name="auto_deploy"
        label="Deploy at once"
        hint="Otherwise each order waits under Tasks until you approve it."
        defaultChecked={plan?.auto_deploy ?? true}
      />
    </EntryForm>
  )
}
