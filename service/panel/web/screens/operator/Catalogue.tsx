/** The catalogue: plans, coupons, images, and ISOs. */
import { bytes, money } from "../../api/format.ts"
import { TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Page, Section } from "../../components/Page.tsx"
import { Empty, Loaded, Notice } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import {
  type CatalogueRecord,
  execute,
  type ImageRecord,
  type IsoRecord,
  type PlanRecord,
  useCommand
} from "./commands.ts"
import { Coupons } from "./Coupons.tsx"
import { PlanForm } from "./PlanForm.tsx"

const Reprice = ({ plan }: { readonly plan: PlanRecord }) => {
  const reprice = async ({ number, text }: Values) => {
    const input = { id: plan.id, price: number("price"), from: text("from") }
    const { repriced } = await execute<{ readonly repriced: number }>("plans.reprice", input)
    return `${repriced} contracts get the new price, and their owners a mail.`
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
    cell: ({ category, id, name, slug }) => (
      <>
        <strong>{name}</strong>
        <span class="muted second">#{id} · {slug} · {category}</span>
      </>
    )
  },
  { key: "sale", title: "Sale", by: saleOf, cell: saleOf },
  { key: "place", title: "Data center", by: (one) => one.data_centre, cell: (one) => one.data_centre },
  { key: "deploy", title: "Deployed", cell: (one) => one.auto_deploy ? "at once" : "after approval" },
  {
    key: "price",
    title: "Price",
    numeric: true,
    by: ({ price }) => price,
    cell: ({ currency, price }) => <span class="number">{money(price, currency)}</span>
  },
  {
    key: "actions",
    title: "",
    cell: (plan) => (
      <div class="actions">
        <PlanForm catalogue={catalogue} plan={plan} />
        <Reprice plan={plan} />
      </div>
    )
  }
]

const IMAGE_COLUMNS: ReadonlyArray<Column<ImageRecord>> = [
  {
    key: "name",
    title: "Name",
    by: ({ label }) => label,
    cell: ({ label, slug, version }) => (
      <>
        <strong>{label} {version}</strong>
        <code class="second muted">{slug}</code>
      </>
    )
  },
  { key: "family", title: "Family", by: ({ family }) => family, cell: ({ family }) => family },
  { key: "places", title: "Data centers", cell: (one) => one.data_centres.join(", ") },
  { key: "default", title: "Default in", cell: (one) => one.default_in.join(", ") || "–" }
]

const ISO_COLUMNS: ReadonlyArray<Column<IsoRecord>> = [
  { key: "name", title: "Name", by: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
  { key: "file", title: "File", cell: (one) => <code>{one.file_name}</code> },
  { key: "size", title: "Size", numeric: true, by: (one) => one.size_bytes, cell: (one) => bytes(one.size_bytes) }
]

const BY_IMPORT = "Change these on the command line: catalogue export, edit the file, catalogue import."

const Parts = ({ catalogue }: { readonly catalogue: CatalogueRecord }) => {
  const { images, isos, plans } = catalogue
  return (
    <>
      <Section title="Plans" actions={<PlanForm catalogue={catalogue} />}>
        {plans.length === 0
          ? <Empty icon="catalogue" title="No plans">Add a data center and images with catalogue import first.</Empty>
          : <Table label="Plans" columns={planColumns(catalogue)} rows={plans} idOf={({ id }) => id} />}
      </Section>
      <Coupons />
      <Section title="Images" note={BY_IMPORT}>
        <Table label="Images" columns={IMAGE_COLUMNS} rows={images} idOf={(one) => one.os_id} />
      </Section>
      <Section title="ISO images" note={BY_IMPORT}>
        <Table label="ISO images" columns={ISO_COLUMNS} rows={isos} idOf={({ id }) => id} />
      </Section>
    </>
  )
}

export const Catalogue = () => {
  const query = useCommand<CatalogueRecord>("catalogue.export")
  return (
    <Page title="Catalogue">
      <Loaded query={query} lines={10}>{(catalogue) => <Parts catalogue={catalogue} />}</Loaded>
    </Page>
  )
}
