/** Coupons: what is taken off the first period. */
import { money } from "../../api/format.ts"
import { CheckField, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Section } from "../../components/Page.tsx"
import { Empty, Loaded } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"
import { type CouponRecord, execute, useCommand } from "./commands.ts"

const COLUMNS: ReadonlyArray<Column<CouponRecord>> = [
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

/** Fields that are not filled in are left out. */
const present = (fields: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const Create = () => {
  const create = async ({ checked, number, text }: Values) => {
    const percent = text("kind") === "percent"
    await execute("coupons.create", {
      code: text("code"),
      ...(percent ? { percent: number("value") } : { fixed: number("value"), currency: text("currency") }),
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

export const Coupons = () => {
  const query = useCommand<ReadonlyArray<CouponRecord>>("coupons.list")
  return (
    <Section title="Coupons" actions={<Create />}>
      <Loaded query={query}>
        {(coupons) =>
          coupons.length === 0
            ? <Empty icon="catalogue" title="No coupons">A coupon takes something off the first period.</Empty>
            : <Table label="Coupons" columns={COLUMNS} rows={coupons} idOf={({ code }) => code} />}
      </Loaded>
    </Section>
  )
}
