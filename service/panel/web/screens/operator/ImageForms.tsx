/** Images and ISO images as forms. */
import type { ResultOf } from "../../api/commands.ts"
import { SelectField, TextField, type Values } from "../../components/Form.tsx"
import { EntryForm, nextId, TEXT_MAX } from "./EntryForm.tsx"

type CatalogueRecord = ResultOf<"catalogue.export">
type ImageRecord = CatalogueRecord["images"][number]
type IsoRecord = CatalogueRecord["isos"][number]

const FAMILIES: ReadonlyArray<ImageRecord["family"]> = ["linux", "bsd", "windows"]
const OFFERS = { no: "Not offered", yes: "Offered", default: "Offered, and the default" } as const

/** The name of the field that says whether a data center offers the image. */
const fieldOf = (id: number): string => `centre_${id}`

const offerOf = (image: ImageRecord | undefined, label: string): keyof typeof OFFERS =>
  image?.default_in.includes(label) === true ? "default" : image?.data_centers.includes(label) === true ? "yes" : "no"

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

interface ImageProps {
  readonly catalogue: CatalogueRecord
  /** Undefined for a new one. */
  readonly image?: ImageRecord
}

export const ImageForm = ({ catalogue, image }: ImageProps) => (
  <EntryForm
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
        <SelectField key={id} name={fieldOf(id)} label={`In ${label}`} defaultValue={offerOf(image, label)}>
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
