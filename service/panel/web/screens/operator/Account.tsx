/** One account in tabs: its data, instances, money, people, and API keys. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { newKey } from "../../api/client.ts"
import { act, execute, type ResultOf, type RowOf, ROWS, useCommand } from "../../api/calls.ts"
import { money } from "../../api/format.ts"
import { CheckField, present, TextField, type Values } from "../../components/Form.tsx"
import { SecretDialog } from "../../components/Dialog.tsx"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { Facts, Loaded, Notice, Page, Section, Tabs } from "../../components/Page.tsx"
import { RecordPage } from "../../components/RecordPage.tsx"
import { Statement } from "../account/Wallet.tsx"
import { InstanceList } from "./AllInstances.tsx"
import { Reason, REASON_MAX } from "./CommandList.tsx"
import { accountHref, instanceHref, listHref } from "./Links.ts"
import { Notes } from "./Notes.tsx"
import { correctionOf } from "./Corrections.tsx"
import { useSession } from "../../api/session.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { actionsOf, type Column, List } from "../../components/Table.tsx"
import {
  Invitations,
  memberColumns,
  type Permission,
  PermissionField,
  permissionIn,
  RemovePerson
} from "../account/People.tsx"
import { useRoute } from "preact-iso/router"
import { Named, Status, When } from "../../components/Values.tsx"
import { AccountName, type Treatment, TreatmentFields } from "./Accounts.tsx"

const AmountField = ({ currency }: { readonly currency: string }) => (
  <TextField name="amount" label={`Amount in ${currency}`} type="number" min={0.01} step={0.01} required />
)

interface AccountProps {
  readonly account: ResultOf<"accounts.show">
}

const TopUp = ({ account: { currency, id } }: AccountProps) => {
  const book = async ({ required, text }: Values) => {
    const amount = required.number("amount")
    await execute("wallet.top_up", present({ account_id: id, amount, reference: text("reference") }))
    return `${money(amount, currency)} are booked.`
  }
  return (
    <FormDialog action="Top up" kind="primary" heading="Book a payment" submit="Book the payment" onSubmit={book}>
      <AmountField currency={currency} />
      <TextField
        name="reference"
        label="Reference of the payment"
        maxLength={REASON_MAX}
        hint="For example, the bank's number of the transfer. The same reference is booked only once."
      />
    </FormDialog>
  )
}

const Debit = ({ account: { currency, id } }: AccountProps) => {
  // The same for every attempt of this form: a lost response books nothing twice.
  const [reference, setReference] = useState(newKey)
  const book = async ({ checked, required: { number, text } }: Values) => {
    const payout = checked("payout")
    const input = { account_id: id, amount: number("amount"), reason: text("reason"), payout, reference }
    const { wallet } = await execute("wallet.debit", input)
    setReference(newKey())
    return `The debit is booked.${wallet < 0 ? ` The customer owes ${money(-wallet, currency)}.` : ""}`
  }
  return (
    <FormDialog action="Debit" heading="Take money out of the wallet" submit="Book the debit" onSubmit={book}>
      <AmountField currency={currency} />
      <Reason hint="The customer reads it." />
      <CheckField
        name="payout"
        label="It went back to the customer, also by a chargeback"
        hint="The wallet owes what it has spent of it. Otherwise it is a charge, with the customer's VAT."
      />
    </FormDialog>
  )
}

/** The wallet of an account, with what operators book. Each booking has a reason that the customer reads. */
export const AccountMoney = ({ account }: AccountProps) => {
  const query = useCommand("wallet.statement", { account_id: account.id, limit: ROWS })
  const actions = (
    <>
      <TopUp account={account} />
      <Debit account={account} />
    </>
  )
  return (
    <Section title="Wallet" note={money(account.wallet, account.currency)} actions={actions}>
      <Loaded query={query} lines={5}>
        {(lines) => (
          <Statement
            lines={lines}
            hrefOf={instanceHref}
            advice="Book the customer's first payment."
            actions={correctionOf}
          />
        )}
      </Loaded>
    </Section>
  )
}

type Person = RowOf<"people.list">

interface RemoveProps {
  readonly accountId: number
  readonly member: Person
}

const Remove = ({ accountId, member: { email, id, name } }: RemoveProps) => {
  const { data } = useCommand("keys.list", { account_id: accountId, limit: ROWS })
  return (
    <RemovePerson
      name={name}
      question={`Remove ${name}?`}
      keys={data?.filter((key) => key.made_by === email && key.state === "active").map((key) => key.name)}
      remove={(revokeKeys) => execute("people.remove", { id, revoke_keys: revokeKeys })}
    >
      <p>
        Their sessions end at once, in all accounts. API keys belong to the accounts: those that remain keep working.
      </p>
    </RemovePerson>
  )
}

const Access = ({ accountId, member: { id, name, permission } }: RemoveProps) => {
  const save = async (values: Values) => {
    await execute("people.permission", { id, account_id: accountId, permission: permissionIn(values) })
    return `The access of ${name} is changed.`
  }
  return (
    <FormDialog action="Change access" kind="quiet" heading={`Access of ${name}`} submit="Save" onSubmit={save}>
      <PermissionField chosen={permission ?? "full"} />
    </FormDialog>
  )
}

/** For a person who has lost all passkeys. */
const MakeLink = ({ member: { id, name } }: { readonly member: Person }) => {
  const [made, setMade] = useState<ResultOf<"people.link">>()
  const make = async () => setMade(await execute("people.link", { id }))
  return (
    <>
      <ActionButton kind="quiet" run={make}>Make a link</ActionButton>
      {made !== undefined && (
        <SecretDialog
          title={`A link for ${name}`}
          secret={made.link}
          what="the link"
          onClose={() => setMade(undefined)}
        >
          <p>It signs the person in once, within a day. {made.mailed ? "It was mailed, too." : "It was not mailed."}</p>
        </SecretDialog>
      )}
    </>
  )
}

/** The people of an account: invite them, or remove them. */
export const AccountPeople = ({ accountId }: { readonly accountId: number }) => {
  const invite = (email: string, permission: Permission) =>
    execute("people.invite", { email, role: "customer", account_id: accountId, permission })
  return (
    <>
      <List
        title="People"
        note="People who can sign in to this account."
        query={useCommand("people.list", { account_id: accountId, limit: ROWS })}
        columns={memberColumns(useSession().person.id, (member: Person) => (
          <>
            <MakeLink member={member} />
            <Access accountId={accountId} member={member} />
            <Remove accountId={accountId} member={member} />
          </>
        ))}
        idOf={({ id }) => id}
        empty={{
          icon: "people",
          title: "No person can sign in",
          advice: "Invite the owner: they get a link by mail."
        }}
      />
      <Invitations
        query={useCommand("people.invitations", { account_id: accountId, limit: ROWS })}
        invite={invite}
        sendAgain={({ email, permission }) => invite(email, permission)}
        withdraw={({ id }) => execute("people.withdraw", { id })}
      >
        <p class="hint">For a member who has lost all passkeys, make a link instead.</p>
      </Invitations>
    </>
  )
}

const Edit = ({ account: { email, id, name, vat_rate, vat_treatment } }: AccountProps) => {
  const save = async ({ checked, number, required, text }: Values) => {
    await execute("accounts.edit", {
      another: checked("another"),
      id,
      email: required.text("email"),
      name: text("name") ?? "",
      vat_treatment: required.text("vat_treatment") as Treatment,
      vat_rate: number("vat_rate") ?? vat_rate
    })
    return "The account is saved."
  }
  return (
    <FormDialog action="Edit" heading="Edit the account" submit="Save" onSubmit={save}>
      <TextField name="email" label="Email of the owner" type="email" required maxLength={254} defaultValue={email} />
      <AccountName name={name} />
      <TreatmentFields treatment={vat_treatment} rate={vat_rate} />
      <CheckField name="another" label="The address may have another account" />
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
          min={0}
          hint="If it is empty, the service's limit; 0 allows none"
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
        destroys
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

const Closing = ({ account: { closed_at: closed, email, id } }: AccountProps) => {
  if (closed !== null) {
    return <ActionButton run={act("accounts.reopen", { id }, "The account is open again.")}>Reopen</ActionButton>
  }
  const close = async ({ required }: Values) => {
    await execute("accounts.close", { id, reason: required.text("reason") })
    return "The account is closed."
  }
  return (
    <FormDialog action="Close" heading={`Close the account of ${email}?`} name={email} onSubmit={close}>
      <p>Its people cannot sign in to it, its keys stop working, and nothing can be bought. The books stay.</p>
      <Reason hint="Only operators see it, in the audit log." />
    </FormDialog>
  )
}

const Freezing = ({ account: { closed_at: closed, email, frozen_at: frozen, id } }: AccountProps) => {
  if (frozen !== null) {
    return (
      <ActionButton run={act("accounts.unfreeze", { id }, "The account is not frozen anymore.")}>Unfreeze</ActionButton>
    )
  }
  const freeze = async ({ checked, required }: Values) => {
    const { not_suspended: left } = await execute("accounts.freeze", {
      id,
      reason: required.text("reason"),
      suspend: checked("suspend")
    })
    return left.length === 0
      ? "The account is frozen."
      : `The account is frozen. These instances are busy, so they are not suspended: ${
        left.map(({ instance_id }) => instance_id).join(", ")
      }.`
  }
  return (
    <FormDialog
      action="Freeze"
      heading={`Freeze the account of ${email}?`}
      off={closed === null ? undefined : "The account is closed."}
      onSubmit={freeze}
    >
      <p>It can buy nothing, and change nothing that costs money. Its people can still sign in, and see the reason.</p>
      <Reason hint="The customer sees it." />
      <CheckField
        name="suspend"
        label="Suspend its instances, too"
        hint="They are powered off, and their paid time pauses. Otherwise they continue, and are renewed."
      />
    </FormDialog>
  )
}

const Due = ({ account: { charges_due: due, currency, low_balance: low } }: AccountProps) => (
  <>
    {money(due, currency)} {low && <span class="bad">The wallet is too low.</span>}
  </>
)

const Failures = ({ account: { failed_tasks: failed, id } }: AccountProps) =>
  failed === 0
    ? <>None in 7 days</>
    : <a href={listHref("tasks", { status: "failed", account: String(id) })}>{failed} in 7 days</a>

const LIST = { href: listHref("accounts"), name: "Accounts" }

/** The tabs, each with its address. */
const TABS = [
  { key: "overview", name: "Overview" },
  { key: "instances", name: "Instances" },
  { key: "money", name: "Money" },
  { key: "people", name: "People" },
  { key: "keys", name: "Keys" }
] as const

type Tab = typeof TABS[number]["key"]

const hrefOf = (id: number, key: Tab): string => key === "overview" ? accountHref(id) : `${accountHref(id)}/${key}`

const Overview = ({ account }: AccountProps) => {
  const { created_at, currency, email, id, instances, keys, vat_rate, vat_treatment, wallet } = account
  return (
    <div class="grid">
      <Section title="Details">
        <Facts
          rows={[
            ["Number", id],
            ["Owner", email],
            ["Wallet", <a key="wallet" href={hrefOf(id, "money")}>{money(wallet, currency)}</a>],
            ["Due in 7 days", <Due key="due" account={account} />],
            ["Instances", <a key="instances" href={hrefOf(id, "instances")}>{instances}</a>],
            ["API keys", <a key="keys" href={hrefOf(id, "keys")}>{keys}</a>],
            ["Failed tasks", <Failures key="failed" account={account} />],
            ["VAT", `${vat_treatment.replace("_", " ")}, ${vat_rate} %`],
            ["Created", <When key="created" at={created_at} />]
          ]}
        />
      </Section>
      <Notes of={{ account_id: id }} />
      <Limits id={id} />
    </div>
  )
}

const Content = ({ account, tab }: AccountProps & { readonly tab: Tab }): ComponentChildren => {
  const { id } = account
  switch (tab) {
    case "overview":
      return <Overview account={account} />
    case "instances":
      return <InstanceList input={{ account_id: id }} inAddress />
    case "money":
      return <AccountMoney account={account} />
    case "people":
      return <AccountPeople accountId={id} />
    case "keys":
      return <Keys id={id} />
  }
}

const Shown = ({ account }: AccountProps) => {
  const { closed_at: closed, email, frozen_at: frozen, frozen_reason: reason, id, name } = account
  const { tab: chosen } = useRoute().params
  const tab = TABS.find(({ key }) => key === chosen)?.key ?? "overview"
  const actions = (
    <>
      <Edit account={account} />
      <Freezing account={account} />
      <Closing account={account} />
    </>
  )
  return (
    <Page
      title={name ?? email}
      parent={LIST}
      beside={<a href={listHref("audit", { account: String(id) })}>Audit</a>}
      actions={actions}
    >
      {closed !== null && (
        <Notice tone="warn" title="This account is closed">
          Since <When at={closed} />.
        </Notice>
      )}
      {frozen !== null && (
        <Notice tone="warn" title="This account is frozen">
          Since <When at={frozen} />: {reason}
        </Notice>
      )}
      <Tabs label="Account" current={tab} tabs={TABS.map((one) => ({ ...one, href: hrefOf(id, one.key) }))} />
      <Content account={account} tab={tab} />
    </Page>
  )
}

export const Account = () => {
  const { id = "" } = useRoute().params
  const query = useCommand("accounts.show", { id: Number(id) })
  return (
    <RecordPage query={query} title={`Account ${id}`} list={LIST}>
      {(account) => <Shown key={account.id} account={account} />}
    </RecordPage>
  )
}
