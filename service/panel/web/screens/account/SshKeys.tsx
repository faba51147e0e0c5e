/** Public SSH keys that orders and reinstalls offer. */
import type { SshKeyRecord } from "../../../contract/AccountCalls.ts"
import { pathTo, send, useRead } from "../../api/calls.ts"
import { refresh } from "../../api/query.ts"
import { useAccountId } from "../../api/session.ts"
import { AreaField, TextField, type Values } from "../../components/Form.tsx"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { List } from "../../components/List.tsx"
import { actionsOf, type Column } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"

const KEYS = "/accounts/:account/ssh-keys"

const Add = ({ account }: { readonly account: number }) => {
  const add = async ({ required: { text } }: Values) => {
    await send(`POST ${KEYS}`, { params: { account }, body: { name: text("name"), public_key: text("public_key") } })
    refresh(pathTo(KEYS, { account }))
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

const columnsFor = (account: number): ReadonlyArray<Column<SshKeyRecord>> => [
  { key: "name", title: "Name", by: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
  { key: "fingerprint", title: "Fingerprint", cell: ({ fingerprint }) => <code>{fingerprint}</code> },
  { key: "created", title: "Added", cell: (one) => <When at={one.created_at} day /> },
  actionsOf(({ id, name }) => (
    <Confirm
      action="Delete"
      kind="quiet"
      question={`Delete the SSH key ${name}?`}
      run={async () => {
        await send(`DELETE ${KEYS}/:id`, { params: { account, id } })
        refresh(pathTo(KEYS, { account }))
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
      query={useRead(KEYS, { params: { account } })}
      columns={columnsFor(account)}
      idOf={({ id }) => id}
      empty={{ icon: "key", title: "No SSH keys", advice: "Add yours, so that new instances let you in." }}
    />
  )
}
