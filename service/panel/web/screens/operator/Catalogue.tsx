/** The catalogue: plans, coupons, images, and ISOs. */
import { execute, type ResultOf, useCommand } from "../../api/commands.ts"
import { bytes, money } from "../../api/format.ts"
import { mapQuery } from "../../api/query.ts"
import { CheckField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { List } from "../../components/List.tsx"
import { Page } from "../../components/Page.tsx"
import { Notice } from "../../components/State.tsx"
import { actionsOf, type Column } from "../../components/Table.tsx"
import { Named } from "../../components/Values.tsx"
import { CatalogueFile } from "./CatalogueFile.tsx"
import { Coupons } from "./Coupons.tsx"
import { ImageForm, IsoForm } from "./ImageForms.tsx"
import { PlanForm } from "./PlanForm.tsx"

type CatalogueRecord = ResultOf<"catalogue.export">
type PlanRecord = CatalogueRecord["plans"][number]
type ImageRecord = CatalogueRecord["images"][number]
type IsoRecord = CatalogueRecord["isos"][number]

const Reprice = ({ plan }: { readonly plan: PlanRecord }) => {
  const reprice = async ({ checked, required: { number, text } }: Values) => {
    const input = { id: plan.id, price: number("price"), from: text("from"), replace: checked("replace") }
    const { repriced, skipped, uninformed } = await execute("plans.reprice", input)
    const left = [
      ...skipped.map(({ instance_id: id, reason }) => ` Instance ${id} keeps its price: ${reason}`),
      ...uninformed.map((id) => ` The mail to account ${id} could not be sent. Repeat the announcement.`)
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

const UPLOAD = "Real hosts also need the file: run images import on the computer of the service."

const NOTHING: CatalogueRecord = { data_centers: [], images: [], plans: [], isos: [] }

export const Catalogue = () => {
  const query = useCommand("catalogue.export")
  const catalogue = query.data ?? NOTHING
  return (
    <Page title="Catalogue" actions={<CatalogueFile />}>
      <List
        title="Plans"
        actions={<PlanForm catalogue={catalogue} />}
        query={mapQuery(query, ({ plans }) => plans)}
        lines={6}
        columns={planColumns(catalogue)}
        idOf={({ id }) => id}
        empty={{ icon: "catalogue", title: "No plans", advice: "Import a catalogue with a data center first." }}
      />
      <Coupons />
      <List
        title="Images"
        note={UPLOAD}
        actions={<ImageForm catalogue={catalogue} />}
        query={mapQuery(query, ({ images }) => images)}
        columns={imageColumns(catalogue)}
        idOf={(one) => one.os_id}
        empty={{ icon: "catalogue", title: "No images", advice: "Add the first one: plans need it." }}
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
