/** The keys of an account: for its API, and for logging in to its instances. */
import { useState } from "preact/hooks"
import type { SshKeyRecord } from "../../../contract/AccountCalls.ts"
import type { KeyRecord } from "../../../contract/Keys.ts"
import { type BodyOf, pathTo, type ResponseOf, send, useRead } from "../../api/calls.ts"
import { refresh } from "../../api/query.ts"
import { useAccountId } from "../../api/session.ts"
import { baseUrl } from "../../components/ShowCode.tsx"
import { AreaField, CheckField, present, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { SecretDialog } from "../../components/Dialog.tsx"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { actionsOf, type Column, List } from "../../components/Table.tsx"
import { Notice, Page } from "../../components/Page.tsx"
import { Named, Status, When } from "../../components/Values.tsx"

const KEYS = "/accounts/:account/keys"
type NewKey = ResponseOf<`POST ${typeof KEYS}`>
type Scopes = BodyOf<`POST ${typeof KEYS}`>["scopes"]

const SCOPES = {
  "vps:read": "Read: list instances, status, metrics, and activity",
  "vps:write": "Change: power, reinstall, snapshots, resize, and all reads",
  "vps:create": "Buy: order instances, and all of the above"
} as const satisfies Record<Scopes[number], string>

/** In days. */
const EXPIRIES = { "30": "in 30 days", "90": "in 90 days", "365": "in a year", never: "never" } as const
/** Longest name of a key, in characters. */
const NAME_MAX = 64

const expiryOf = (days: string | undefined) => days === "never" ? undefined : Number(days)

const ShownOnce = ({ made, onClose }: { readonly made: NewKey; readonly onClose: () => void }) => (
  <SecretDialog title={`The key ${made.name}`} secret={made.api_key} what="the API key" onClose={onClose}>
    <Notice tone="warn">
      It is shown only now: the service stores a digest. Copy it to where your programs read it.
    </Notice>
    <pre
      tabIndex={0}
      aria-label="Try it"
    >{`export VPS_BASE_URL=${baseUrl()}\nexport VPS_API_KEY=${made.api_key}\nvps whoami`}</pre>
  </SecretDialog>
)

const Make = ({ account, onMade }: { readonly account: number; readonly onMade: (made: NewKey) => void }) => {
  const make = async ({ required, text }: Values) => {
    const scopes = [required.text("scopes")] as unknown as Scopes
    const body = present({ name: required.text("name"), scopes, expires_in_days: expiryOf(text("expiry")) })
    onMade(await send(`POST ${KEYS}`, { params: { account }, body }))
    refresh(pathTo(KEYS, { account }))
  }
  return (
    <FormDialog
      action="Make a key"
      icon="plus"
      kind="primary"
      heading="Make an API key"
      submit="Make the key"
      onSubmit={make}
    >
      <TextField
        name="name"
        label="Name"
        required
        maxLength={NAME_MAX}
        placeholder="ci"
        hint="The program that uses it"
      />
      <fieldset>
        <legend>It may</legend>
        {Object.entries(SCOPES).map(([scope, text]) => (
          <CheckField
            key={scope}
            type="radio"
            name="scopes"
            value={scope}
            label={text}
            defaultChecked={scope === "vps:read"}
          />
        ))}
      </fieldset>
      <SelectField name="expiry" label="Expires" defaultValue="90">
        {Object.entries(EXPIRIES).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </SelectField>
    </FormDialog>
  )
}

interface ActionsProps {
  readonly record: KeyRecord
  readonly account: number
  readonly onMade: (made: NewKey) => void
}

/** Hours for which both keys work, so that programs can change over without an interruption. */
const OVERLAPS = { "1": "1 hour", "24": "1 day", "168": "7 days" } as const

const Rotate = ({ account, onMade, record: { id, name } }: ActionsProps) => {
  const rotate = async ({ required }: Values) => {
    const body = { overlap_hours: required.number("overlap_hours") }
    onMade(await send(`POST ${KEYS}/:id/rotate`, { params: { account, id }, body }))
    refresh(pathTo(KEYS, { account }))
  }
  return (
    <FormDialog
      action="Rotate"
      kind="quiet"
      heading={`Rotate the key ${name}`}
      submit="Make the new key"
      onSubmit={rotate}
    >
      <p>You get a new key with the same rights. The old one ends after a while, so nothing is interrupted.</p>
      <SelectField name="overlap_hours" label="The old key works for another" defaultValue="24">
        {Object.entries(OVERLAPS).map(([value, text]) => <option key={value} value={value}>{text}</option>)}
      </SelectField>
    </FormDialog>
  )
}

const Actions = (props: ActionsProps) => {
  const { account, record: { id, name } } = props
  const revoke = async () => {
    await send(`DELETE ${KEYS}/:id`, { params: { account, id } })
    refresh(pathTo(KEYS, { account }))
    return `The key ${name} is revoked.`
  }
  return (
    <>
      <Rotate {...props} />
      <Confirm action="Revoke" kind="quiet" destroys question={`Revoke the key ${name}?`} run={revoke}>
        <p>Programs that use it fail at once, and it cannot be restored. To replace it without a gap, rotate it.</p>
      </Confirm>
    </>
  )
}

const columnsFor = (actions: Omit<ActionsProps, "record">): ReadonlyArray<Column<KeyRecord>> => [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ last4, name, prefix }) => <Named note={<code>{prefix}…{last4}</code>}>{name}</Named>
  },
  { key: "state", title: "State", by: ({ state }) => state, cell: ({ state }) => <Status value={state} /> },
  {
    key: "maker",
    title: "Made by",
    by: (one) => one.made_by ?? "",
    cell: (one) => one.made_by ?? <span class="muted">the host</span>
  },
  { key: "scopes", title: "Scopes", cell: ({ scopes }) => <code>{scopes.join(", ")}</code> },
  {
    key: "expires",
    title: "Expires",
    cell: (one) => one.expires_at === null ? "never" : <When at={one.expires_at} day />
  },
  { key: "used", title: "Last used", cell: (one) => <When at={one.last_used_at} /> },
  actionsOf((record) => record.state === "active" ? <Actions {...actions} record={record} /> : null)
]

export const ApiKeys = () => {
  const account = useAccountId()
  const [made, setMade] = useState<NewKey>()
  return (
    <List
      title="API keys"
      note="For the API, the SDK, vps, and Pulumi. One for each program, with the least that it needs."
      actions={<Make account={account} onMade={setMade} />}
      query={useRead(KEYS, { params: { account } })}
      lines={4}
      columns={columnsFor({ account, onMade: setMade })}
      idOf={({ id }) => id}
      empty={{ icon: "key", title: "No API keys", advice: "Make one to automate what you do here." }}
    >
      {made !== undefined && <ShownOnce made={made} onClose={() => setMade(undefined)} />}
    </List>
  )
}

const SSH_KEYS = "/accounts/:account/ssh-keys"

const Add = ({ account }: { readonly account: number }) => {
  const add = async ({ required: { text } }: Values) => {
    await send(`POST ${SSH_KEYS}`, {
      params: { account },
      body: { name: text("name"), public_key: text("public_key") }
    })
    refresh(pathTo(SSH_KEYS, { account }))
  }
  return (
    <FormDialog action="Add a key" icon="plus" heading="Add an SSH key" submit="Add" onSubmit={add}>
      <TextField name="name" label="Name" required maxLength={64} placeholder="laptop" />
      <AreaField
        name="public_key"
        label="Public key"
        required
        maxLength={4096}
        placeholder="ssh-ed25519 AAAA… you@laptop"
        hint="The content of a file such as ~/.ssh/id_ed25519.pub. Never the private key."
      />
    </FormDialog>
  )
}

const sshColumnsFor = (account: number): ReadonlyArray<Column<SshKeyRecord>> => [
  { key: "name", title: "Name", by: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
  { key: "fingerprint", title: "Fingerprint", cell: ({ fingerprint }) => <code>{fingerprint}</code> },
  { key: "created", title: "Added", cell: (one) => <When at={one.created_at} day /> },
  actionsOf(({ id, name }) => (
    <Confirm
      action="Delete"
      kind="quiet"
      question={`Delete the SSH key ${name}?`}
      run={async () => {
        await send(`DELETE ${SSH_KEYS}/:id`, { params: { account, id } })
        refresh(pathTo(SSH_KEYS, { account }))
      }}
    >
      <p>Instances on which it is installed keep it. New ones no longer offer it.</p>
    </Confirm>
  ))
]

export const SshKeys = () => {
  const account = useAccountId()
  return (
    <List
      title="SSH keys"
      note="Public keys to choose from when you order or reinstall an instance."
      actions={<Add account={account} />}
      query={useRead(SSH_KEYS, { params: { account } })}
      columns={sshColumnsFor(account)}
      idOf={({ id }) => id}
      empty={{ icon: "key", title: "No SSH keys", advice: "Add yours, so that new instances let you in." }}
    />
  )
}

export const Keys = () => (
  <Page title="Keys">
    <ApiKeys />
    <SshKeys />
  </Page>
)
