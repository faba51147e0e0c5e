/** One account: its data, wallet, people, API keys, limits, and instances. */
import { useRoute } from "preact-iso/router"
import { act, execute, type ResultOf, type RowOf, ROWS, useCommand } from "../../api/commands.ts"
import { money } from "../../api/format.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { LinkButton } from "../../components/Button.tsx"
import { TextField, type Values } from "../../components/Form.tsx"
import { Confirm, FormDialog } from "../../components/Dialog.tsx"
import { List } from "../../components/List.tsx"
import { Facts, Page, Section } from "../../components/Page.tsx"
import { Empty, Loaded, Loading, Notice } from "../../components/State.tsx"
import { actionsOf, type Column } from "../../components/Table.tsx"
import { Named, Status, When } from "../../components/Values.tsx"
import { AccountMoney } from "./AccountMoney.tsx"
import { AccountPeople } from "./AccountPeople.tsx"
import { type Treatment, TreatmentFields } from "./Accounts.tsx"
import { InstanceList } from "./AllInstances.tsx"
import { Reason } from "./Reason.tsx"

interface AccountProps {
  readonly account: ResultOf<"accounts.show">
}

const Edit = ({ account: { email, id, vat_rate, vat_treatment } }: AccountProps) => {
  const save = async ({ number, required }: Values) => {
    await execute("accounts.edit", {
      id,
      email: required.text("email"),
      vat_treatment: required.text("vat_treatment") as Treatment,
      vat_rate: number("vat_rate") ?? vat_rate
    })
    return "The account is saved."
  }
  return (
    <FormDialog action="Edit" heading="Edit the account" submit="Save" onSubmit={save}>
      <TextField name="email" label="Email of the owner" type="email" required maxLength={254} defaultValue={email} />
      <TreatmentFields treatment={vat_treatment} rate={vat_rate} />
    </FormDialog>
  )
}

const Limits = ({ id }: { readonly id: number }) => {
  const query = useCommand("accounts.limits", { id })
  const save = async ({ number }: Values) => {
    await execute("accounts.limits", {
      id,
      creates_per_minute: number("creates_per_minute") ?? null,
      creates_per_hour: number("creates_per_hour") ?? null
    })
    return "The limits are saved."
  }
  const change = (limits: ResultOf<"accounts.limits">) => (
    <FormDialog action="Change" heading="Limits of the account" submit="Save" onSubmit={save}>
      {(["creates_per_minute", "creates_per_hour"] as const).map((name) => (
        <TextField
          key={name}
          name={name}
          label={name === "creates_per_minute" ? "Orders per minute" : "Orders per hour"}
          type="number"
          min={1}
          hint="If it is empty, the service's limit"
          defaultValue={limits.set_for_account.includes(name) ? limits[name] : undefined}
        />
      ))}
    </FormDialog>
  )
  return (
    <Section title="Limits" actions={query.data !== undefined && change(query.data)}>
      <Loaded query={query} lines={2}>
        {(limits) => (
          <Facts
            rows={[["Orders per minute", limits.creates_per_minute], ["Orders per hour", limits.creates_per_hour]]}
          />
        )}
      </Loaded>
    </Section>
  )
}

const KEY_COLUMNS: ReadonlyArray<Column<RowOf<"keys.list">>> = [
  { key: "name", title: "Name", cell: ({ key, name }) => <Named note={<code>{key}</code>}>{name}</Named> },
  { key: "state", title: "State", cell: ({ state }) => <Status value={state} /> },
  { key: "maker", title: "Made by", cell: (one) => one.made_by ?? <span class="muted">the host</span> },
  { key: "scopes", title: "Scopes", cell: ({ scopes }) => <code>{scopes.join(", ")}</code> },
  { key: "used", title: "Last used", cell: (one) => <When at={one.last_used_at} /> },
  actionsOf(({ id, name, state }) =>
    state !== "active" ? null : (
      <Confirm
        action="Revoke"
        kind="quiet"
        question={`Revoke the key ${name}?`}
        run={act("keys.revoke", { id }, `The key ${name} is revoked.`)}
      >
        <p>Programs of the customer that use it fail at once.</p>
      </Confirm>
    )
  )
]

const Keys = ({ id }: { readonly id: number }) => (
  <List
    title="API keys"
    note="Customers make them in their panel."
    query={useCommand("keys.list", { account_id: id, limit: ROWS })}
    columns={KEY_COLUMNS}
    idOf={(one) => one.id}
    empty={{ icon: "key", title: "No API keys", advice: "The customer has not made one yet." }}
  />
)

const Instances = ({ id }: { readonly id: number }) => (
  <>
    <h2 class="group">Instances</h2>
    <InstanceList input={{ account_id: id }} />
  </>
)

const Closing = ({ account: { closed_at: closed, email, id } }: AccountProps) => {
  if (closed !== null) {
    return <ActionButton run={act("accounts.reopen", { id }, "The account is open again.")}>Reopen</ActionButton>
  }
  const close = async ({ required }: Values) => {
    await execute("accounts.close", { id, reason: required.text("reason") })
    return "The account is closed."
  }
  return (
    <FormDialog action="Close" kind="danger" heading={`Close the account of ${email}?`} name={email} onSubmit={close}>
      <p>Its people cannot sign in to it, its keys stop working, and nothing can be bought. The books stay.</p>
      <Reason hint="Only operators see it, in the audit log." />
    </FormDialog>
  )
}

const LIST = { href: "/panel/operator/accounts", name: "Accounts" }

const Shown = ({ account }: AccountProps) => {
  const { closed_at: closed, created_at, currency, email, id, vat_rate, vat_treatment, wallet } = account
  const actions = (
    <>
      <Edit account={account} />
      <Closing account={account} />
    </>
  )
  return (
    <Page title={email} parent={LIST} actions={actions}>
      {closed !== null && (
        <Notice tone="warn" title="This account is closed">
          Since <When at={closed} />.
        </Notice>
      )}
      <div class="grid">
        <Section title="Details">
          <Facts
            rows={[
              ["Number", id],
              ["Wallet", money(wallet, currency)],
              ["VAT", `${vat_treatment.replace("_", " ")}, ${vat_rate} %`],
              ["Created", <When key="created" at={created_at} />]
            ]}
          />
        </Section>
        <Limits id={id} />
      </div>
      <AccountMoney account={account} />
      <AccountPeople accountId={id} />
      <Keys id={id} />
      <Instances id={id} />
    </Page>
  )
}

export const Account = () => {
  const { id = "" } = useRoute().params
  const { data, error } = useCommand("accounts.show", { id: Number(id) })
  if (data !== undefined) return <Shown key={data.id} account={data} />
  if (error === undefined) return <Loading lines={8} />
  return (
    <Page title="Account not found" parent={LIST}>
      <Empty icon="search" title={error.message}>
        <LinkButton href={LIST.href}>Show all accounts</LinkButton>
      </Empty>
    </Page>
  )
}
