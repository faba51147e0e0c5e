/** All accounts: search them, or create one and invite its owner. */
import { useLocation } from "preact-iso/router"
import { execute, type InputOf, type RowOf } from "../../api/calls.ts"
import type { ButtonProps } from "../../components/Button.tsx"
import { CheckField, present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Page } from "../../components/Page.tsx"
import type { Column } from "../../components/Table.tsx"
import { Money, When } from "../../components/Values.tsx"
import { CommandList } from "./CommandList.tsx"
import { accountHref, listHref } from "./Links.ts"

export type Treatment = InputOf<"accounts.create">["vat_treatment"]

const TREATMENTS: Readonly<Record<Treatment, string>> = {
  domestic: "Domestic: VAT of the home country",
  oss: "Private in another EU country: VAT of that country",
  reverse_charge: "Business in another EU country: reverse charge",
  outside_scope: "Outside of the EU: no VAT",
  exempt: "Exempt"
}

export const TreatmentFields = ({ rate, treatment }: { readonly treatment?: string; readonly rate?: number }) => (
  <>
    <SelectField name="vat_treatment" label="VAT" defaultValue={treatment ?? "domestic"}>
      {Object.entries(TREATMENTS).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
    </SelectField>
    <TextField
      name="vat_rate"
      label="VAT rate in percent"
      type="number"
      min={0}
      max={100}
      step={0.01}
      defaultValue={rate}
      hint="If it is empty, that of the home country"
    />
  </>
)

/** Longest name of an account, in characters. */
const NAME_MAX = 64

export const AccountName = ({ name }: { readonly name?: string | null }) => (
  <TextField
    name="name"
    label="Name"
    maxLength={NAME_MAX}
    defaultValue={name ?? undefined}
    hint="If it is empty, its members see the address."
  />
)

export const CreateAccount = ({ kind = "primary" }: Pick<ButtonProps, "kind">) => {
  const { route } = useLocation()
  const create = async (values: Values) => {
    const { checked, number, required: { text } } = values
    const treatment = text("vat_treatment") as Treatment
    const another = checked("another")
    const fields = { email: text("email"), currency: text("currency"), vat_treatment: treatment, another }
    const name = values.text("name")
    const { id } = await execute("accounts.create", present({ ...fields, name, vat_rate: number("vat_rate") }))
    route(accountHref(id))
  }
  return (
    <FormDialog
      action="Create an account"
      icon="plus"
      kind={kind}
      heading="Create an account"
      submit="Create"
      onSubmit={create}
    >
      <TextField name="email" label="Email of the owner" type="email" required maxLength={254} />
      <AccountName />
      <TextField
        name="currency"
        label="Currency"
        required
        pattern="[A-Z]{3}"
        defaultValue="EUR"
        maxLength={3}
        hint="It cannot be changed later"
      />
      <TreatmentFields />
      <CheckField name="another" label="The address may have an account already" />
    </FormDialog>
  )
}

const COLUMNS: ReadonlyArray<Column<RowOf<"accounts.list">>> = [
  {
    key: "email",
    title: "Name",
    by: ({ email, name }) => name ?? email,
    cell: ({ closed_at: closed, email, id, name }) => (
      <>
        <a class="row-link" href={accountHref(id)}>{name ?? email}</a>
        <span class="muted second">{name !== null && `${email}, `}account {id}{closed !== null && ", closed"}</span>
      </>
    )
  },
  {
    key: "wallet",
    title: "Wallet",
    narrow: "first",
    numeric: true,
    by: ({ wallet }) => wallet,
    cell: ({ currency, low_balance: low, wallet }) => (
      <>
        <Money amount={wallet} currency={currency} />
        {low && <span class="bad second">too low</span>}
      </>
    )
  },
  {
    key: "due",
    title: "Due in 7 days",
    numeric: true,
    by: (one) => one.charges_due,
    cell: ({ charges_due: due, currency }) => <Money amount={due} currency={currency} />
  },
  {
    key: "failed",
    title: "Failed tasks",
    numeric: true,
    by: (one) => one.failed_tasks,
    cell: ({ failed_tasks: failed, id }) =>
      failed === 0
        ? 0
        : <a class="bad" href={listHref("tasks", { status: "failed", account: String(id) })}>{failed}</a>
  },
  { key: "instances", title: "Instances", numeric: true, by: (one) => one.instances, cell: (one) => one.instances },
  { key: "keys", title: "API keys", numeric: true, by: ({ keys }) => keys, cell: ({ keys }) => keys },
  {
    key: "created",
    title: "Created",
    numeric: true,
    by: (one) => one.created_at,
    cell: (one) => <When at={one.created_at} day />
  }
]

const NEED = {
  kind: "choice",
  name: "need",
  label: "Show",
  words: { low_balance: "Wallet too low for 7 days", failures: "Tasks failed in 7 days" },
  inputOf: (need: string) => ({ need: need as "low_balance" | "failures" })
} as const

export const Accounts = () => (
  <Page title="Accounts" actions={<CreateAccount />}>
    <CommandList
      command="accounts.list"
      cursor="after"
      label="Accounts"
      placeholder="Search by name, email or number"
      columns={COLUMNS}
      idOf={({ id }) => id}
      icon="people"
      filters={[NEED]}
      inAddress
      empty="Create the first one, then invite its owner."
    />
  </Page>
)
