/** The catalogue: plans, coupons, images, and ISOs; and all of it as a file, to import after a preview. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { execute, type InputOf, type ResultOf, type RowOf, useCommand } from "../../api/calls.ts"
import { bytes, download, money, words } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Button } from "../../components/Button.tsx"
import { Dialog } from "../../components/Dialog.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { AreaField, CheckField, Form, present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { actionsOf, type Column, List, Table } from "../../components/Table.tsx"
import { Named, When } from "../../components/Values.tsx"
import { mapQuery } from "../../api/query.ts"
import { Notice, Page } from "../../components/Page.tsx"
import { DataCenterForm, ImageForm, IsoForm, PlanForm } from "./CatalogueForms.tsx"

/** Most uses of one alias: a small file must not expand to gigabytes. */
const ALIASES_MAX = 100

/** As the command on the host writes it. The library is loaded with the first use. */
const save = async (): Promise<void> => {
  const [{ stringify }, document] = await Promise.all([import("yaml"), execute("catalogue.export")])
  download("catalogue.yaml", [stringify(document, { lineWidth: 0 })])
}

type Document = InputOf<"catalogue.import">["document"]

/** The service validates it. */
const read = async (text: string): Promise<Document> => {
  const { parse } = await import("yaml")
  const parsed: unknown = parse(text, { maxAliasCount: ALIASES_MAX })
  if (typeof parsed === "object" && parsed !== null && !Array.isArray(parsed)) return parsed as Document
  throw new Error("This is not a catalogue. It needs the lists data_centers, images, plans, and isos.")
}

/** The effect of an import on one entry. */
type Change = RowOf<"catalogue.import">

const CHANGE_COLUMNS: ReadonlyArray<Column<Change>> = [
  { key: "name", title: "Name", cell: ({ id, name, part }) => <Named note={`${words(part)} ${id}`}>{name}</Named> },
  { key: "change", title: "Change", cell: ({ change }) => change }
]

const importing = (document: Document, dryRun: boolean) => execute("catalogue.import", { document, dry_run: dryRun })

interface Preview {
  readonly document: Document
  readonly changes: ReadonlyArray<Change>
}

const Changes = ({ onDone, preview: { changes, document } }: {
  readonly preview: Preview
  readonly onDone: () => void
}) => {
  const effective = changes.filter(({ change }) => change !== "unchanged")
  const apply = async () => {
    await importing(document, false)
    onDone()
    return `${effective.length} entries are imported.`
  }
  return (
    <Form
      submit="Import"
      off={effective.length === 0 ? "Nothing would change." : undefined}
      onCancel={onDone}
      onSubmit={apply}
    >
      <p>{effective.length} of {changes.length} entries are new or different. Others are not touched.</p>
      {effective.length > 0 && (
        <Table
          label="Changes"
          columns={CHANGE_COLUMNS}
          rows={effective}
          idOf={({ id, part }) => part + id}
        />
      )}
    </Form>
  )
}

const Import = ({ onClose }: { readonly onClose: () => void }) => {
  const [text, setText] = useState("")
  const [preview, setPreview] = useState<Preview>()
  const choose = async (event: Event) => {
    const file = (event.currentTarget as HTMLInputElement).files?.[0]
    if (file !== undefined) setText(await file.text())
  }
  const compare = async (values: Values) => {
    const document = await read(values.text("document") ?? "")
    setPreview({ document, changes: await importing(document, true) })
  }
  return (
    <Dialog title="Import a catalogue" onClose={onClose} wide>
      {preview === undefined
        ? (
          <Form submit="Show the changes" onCancel={onClose} onSubmit={compare}>
            <p>Each entry is added, or replaces the one with its id. All of it is imported, or nothing.</p>
            <input type="file" aria-label="File" accept=".yaml,.yml,.json" onChange={(event) => void choose(event)} />
            <AreaField
              name="document"
              label="YAML"
              required
              value={text}
              onInput={(event) => setText((event.currentTarget as HTMLTextAreaElement).value)}
              hint="In the format of the export; or run: vps-service admin catalogue example"
            />
          </Form>
        )
        : <Changes preview={preview} onDone={onClose} />}
    </Dialog>
  )
}

export const ImportCatalogue = ({ children }: { readonly children: ComponentChildren }) => {
  const [open, setOpen] = useState(false)
  return (
    <>
      <Button aria-haspopup="dialog" onClick={() => setOpen(true)}>{children}</Button>
      {open && <Import onClose={() => setOpen(false)} />}
    </>
  )
}

const CatalogueFile = () => (
  <>
    <ImportCatalogue>Import…</ImportCatalogue>
    <ActionButton run={save}>Export</ActionButton>
  </>
)

const COUPON_COLUMNS: ReadonlyArray<Column<RowOf<"coupons.list">>> = [
  { key: "code", title: "Name", by: ({ code }) => code, cell: ({ code }) => <code>{code}</code> },
  {
    key: "value",
    title: "Discount",
    numeric: true,
    cell: ({ currency, kind, value }) => kind === "percent" ? `${value} %` : money(value, currency ?? "EUR")
  },
  {
    key: "uses",
    title: "Used",
    numeric: true,
    by: ({ uses }) => uses,
    cell: ({ max_uses: max, uses }) => max === null ? uses : `${uses} of ${max}`
  },
  { key: "from", title: "Valid from", cell: (one) => <When at={one.valid_from} /> },
  { key: "until", title: "Valid until", cell: (one) => <When at={one.valid_until} /> },
  { key: "once", title: "Per account", cell: (one) => one.once_per_account ? "once" : "any number of times" }
]

const CreateCoupon = () => {
  const create = async ({ checked, number, required, text }: Values) => {
    const value = required.number("value")
    await execute("coupons.create", {
      code: required.text("code"),
      ...(text("kind") === "percent" ? { percent: value } : present({ fixed: value, currency: text("currency") })),
      ...present({ valid_from: text("valid_from"), valid_until: text("valid_until"), max_uses: number("max_uses") }),
      once_per_account: checked("once_per_account")
    })
    return `The coupon ${text("code")} is valid.`
  }
  return (
    <FormDialog action="Create a coupon" icon="plus" heading="Create a coupon" submit="Create" onSubmit={create}>
      <TextField name="code" label="Code" required maxLength={64} placeholder="WELCOME" />
      <div class="fields">
        <SelectField name="kind" label="Discount">
          <option value="percent">Percent</option>
          <option value="fixed">Amount</option>
        </SelectField>
        <TextField name="value" label="Value" type="number" min={0.01} step={0.01} required />
        <TextField name="currency" label="Currency of an amount" pattern="[A-Z]{3}" maxLength={3} defaultValue="EUR" />
        <TextField name="max_uses" label="Uses at most" type="number" min={1} />
        <TextField name="valid_from" label="Valid from" type="date" />
        <TextField name="valid_until" label="Valid until" type="date" />
      </div>
      <CheckField name="once_per_account" label="Once per account" defaultChecked />
    </FormDialog>
  )
}

export const Coupons = () => (
  <List
    title="Coupons"
    actions={<CreateCoupon />}
    query={useCommand("coupons.list")}
    columns={COUPON_COLUMNS}
    idOf={({ code }) => code}
    empty={{ icon: "catalogue", title: "No coupons", advice: "A coupon takes something off the first period." }}
  />
)

type CatalogueRecord = ResultOf<"catalogue.export">
type PlanRecord = CatalogueRecord["plans"][number]
type ImageRecord = CatalogueRecord["images"][number]
type IsoRecord = CatalogueRecord["isos"][number]

const Reprice = ({ plan }: { readonly plan: PlanRecord }) => {
  const reprice = async ({ checked, required: { number, text } }: Values) => {
    const input = { id: plan.id, price: number("price"), from: text("from"), replace: checked("replace") }
    const { repriced, skipped, uninformed, waiting } = await execute("plans.reprice", input)
    const left = [
      ...skipped.map(({ instance_id: id, reason }) => ` Instance ${id} keeps its price: ${reason}`),
      ...uninformed.map((id) => ` The mail server refuses the address of account ${id}, which keeps its price.`),
      ...(waiting.length === 0
        ? []
        : [` ${waiting.length} mails wait for the mail server, and are sent when it responds.`])
    ]
    return `${repriced} contracts get the new price, and their owners a mail.${left.join("")}`
  }
  return (
    <FormDialog
      action="Reprice"
      kind="quiet"
      heading={`A new price for existing contracts of ${plan.name}`}
      submit="Announce the price"
      onSubmit={reprice}
    >
      <Notice tone="info">Owners are informed now. Periods that begin on that day or later cost the new price.</Notice>
      <TextField name="price" label="Price" type="number" min={0} step={0.01} required defaultValue={plan.price} />
      <TextField name="from" label="From" type="date" required />
      <CheckField name="replace" label="Replace a price that was announced before; the mail says so" />
    </FormDialog>
  )
}

const saleOf = ({ is_active: active, out_of_stock: out }: PlanRecord): string =>
  active ? out ? "Out of stock" : "On sale" : "Not on sale"

const planColumns = (catalogue: CatalogueRecord): ReadonlyArray<Column<PlanRecord>> => [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ category, id, name, slug }) => <Named note={`#${id} · ${slug} · ${category}`}>{name}</Named>
  },
  { key: "sale", title: "Sale", by: saleOf, cell: saleOf },
  { key: "place", title: "Data center", by: (one) => one.data_center, cell: (one) => one.data_center },
  { key: "deploy", title: "Deployed", cell: (one) => one.auto_deploy ? "at once" : "after approval" },
  {
    key: "price",
    title: "Price",
    numeric: true,
    by: ({ price }) => price,
    cell: ({ currency, price }) => <span class="number">{money(price, currency)}</span>
  },
  actionsOf((plan) => (
    <>
      <PlanForm catalogue={catalogue} plan={plan} />
      <Reprice plan={plan} />
    </>
  ))
]

const imageColumns = (catalogue: CatalogueRecord): ReadonlyArray<Column<ImageRecord>> => [
  {
    key: "name",
    title: "Name",
    by: ({ label }) => label,
    cell: ({ label, slug, version }) => <Named note={<code>{slug}</code>}>{label} {version}</Named>
  },
  { key: "family", title: "Family", by: ({ family }) => family, cell: ({ family }) => family },
  { key: "places", title: "Data centers", cell: (one) => one.data_centers.join(", ") || "–" },
  { key: "default", title: "Default in", cell: (one) => one.default_in.join(", ") || "–" },
  actionsOf((image) => <ImageForm catalogue={catalogue} image={image} />)
]

const isoColumns = (catalogue: CatalogueRecord): ReadonlyArray<Column<IsoRecord>> => [
  { key: "name", title: "Name", by: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
  { key: "file", title: "File", cell: (one) => <code>{one.file_name}</code> },
  { key: "size", title: "Size", numeric: true, by: (one) => one.size_bytes, cell: (one) => bytes(one.size_bytes) },
  actionsOf((iso) => <IsoForm catalogue={catalogue} iso={iso} />)
]

const centerColumns = (catalogue: CatalogueRecord): ReadonlyArray<Column<CatalogueRecord["data_centers"][number]>> => {
  const plansIn = (label: string) => catalogue.plans.filter((one) => one.data_center === label).length
  const imagesIn = (label: string) => catalogue.images.filter((one) => one.data_centers.includes(label)).length
  return [
    {
      key: "name",
      title: "Name",
      by: ({ label }) => label,
      cell: ({ id, label }) => <Named note={`#${id}`}>{label}</Named>
    },
    { key: "plans", title: "Plans", numeric: true, cell: ({ label }) => plansIn(label) },
    { key: "images", title: "Images", numeric: true, cell: ({ label }) => imagesIn(label) },
    actionsOf((center) => <DataCenterForm catalogue={catalogue} center={center} />)
  ]
}

const NO_CENTER = "Add a data center first."

const UPLOAD = "Real hosts also need the file: run images import on the computer of the service."

/** Before the response. */
export const NOTHING: CatalogueRecord = { data_centers: [], images: [], plans: [], isos: [] }

export const Catalogue = () => {
  const query = useCommand("catalogue.export")
  const catalogue = query.data ?? NOTHING
  const off = catalogue.data_centers.length === 0 ? NO_CENTER : undefined
  return (
    <Page title="Catalogue" actions={<CatalogueFile />}>
      <List
        title="Plans"
        actions={<PlanForm catalogue={catalogue} off={off} />}
        query={mapQuery(query, ({ plans }) => plans)}
        lines={6}
        columns={planColumns(catalogue)}
        idOf={({ id }) => id}
        empty={{ icon: "catalogue", title: "No plans", advice: off ?? "Add an image, and then the first plan." }}
      />
      <Coupons />
      <List
        title="Images"
        note={UPLOAD}
        actions={<ImageForm catalogue={catalogue} off={off} />}
        query={mapQuery(query, ({ images }) => images)}
        columns={imageColumns(catalogue)}
        idOf={(one) => one.os_id}
        empty={{ icon: "catalogue", title: "No images", advice: "Add the first one: plans need it." }}
      />
      <List
        title="Data centers"
        note="Images, plans and hosts belong to one."
        actions={<DataCenterForm catalogue={catalogue} />}
        query={mapQuery(query, ({ data_centers: centers }) => centers)}
        columns={centerColumns(catalogue)}
        idOf={({ id }) => id}
        empty={{ icon: "catalogue", title: "No data centers", advice: "Add the first one: all else belongs to it." }}
      />
      <List
        title="ISO images"
        note={UPLOAD}
        actions={<IsoForm catalogue={catalogue} />}
        query={mapQuery(query, ({ isos }) => isos)}
        columns={isoColumns(catalogue)}
        idOf={({ id }) => id}
        empty={{ icon: "catalogue", title: "No ISO images", advice: "Customers mount them as a virtual drive." }}
      />
    </Page>
  )
}
