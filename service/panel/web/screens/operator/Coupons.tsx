/** Coupons: what is taken off the first period. */
import { execute, type RowOf, useCommand } from "../../api/commands.ts"
import { money } from "../../api/format.ts"
import { CheckField, present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { List } from "../../components/List.tsx"
import type { Column } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"

const COLUMNS: ReadonlyArray<Column<RowOf<"coupons.list">>> = [
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

const Create = () => {
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
    actions={<Create />}
    query={useCommand("coupons.list")}
    columns={COLUMNS}
    idOf={({ code }) => code}
    empty={{ icon: "catalogue", title: "No coupons", advice: "A coupon takes something off the first period." }}
  />
)
