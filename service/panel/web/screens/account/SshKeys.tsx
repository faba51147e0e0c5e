/** Public SSH keys that orders and reinstalls offer. */
import type { SshKeyRecord } from "../../../contract/AccountCalls.ts"
import { call, post } from "../../api/client.ts"
import { refresh, useQuery } from "../../api/query.ts"
import { useAccountPath } from "../../api/session.ts"
import { Confirm } from "../../components/Confirm.tsx"
import { AreaField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Section } from "../../components/Page.tsx"
import { Empty, Loaded } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"

const Add = ({ path }: { readonly path: string }) => {
  const add = async ({ text }: Values) => {
    await post(path, { name: text("name"), public_key: text("public_key") })
    refresh(path)
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

const columnsFor = (path: string): ReadonlyArray<Column<SshKeyRecord>> => [
  { key: "name", title: "Name", by: ({ name }) => name, cell: ({ name }) => <strong>{name}</strong> },
  { key: "fingerprint", title: "Fingerprint", cell: ({ fingerprint }) => <code>{fingerprint}</code> },
  { key: "created", title: "Added", cell: (one) => <When at={one.created_at} day /> },
  {
    key: "actions",
    title: "",
    cell: ({ id, name }) => (
      <div class="actions">
        <Confirm
          action="Delete"
          kind="quiet"
          question={`Delete the SSH key ${name}?`}
          run={async () => {
            await call("DELETE", `${path}/${id}`)
            refresh(path)
          }}
        >
          <p>Instances on which it is installed keep it. New ones no longer offer it.</p>
        </Confirm>
      </div>
    )
  }
]

export const SshKeys = () => {
  const path = `${useAccountPath()}/ssh-keys`
  const query = useQuery<ReadonlyArray<SshKeyRecord>>(path)
  return (
    <Section
      title="SSH keys"
      note="Public keys to choose from when you order or reinstall an instance."
      actions={<Add path={path} />}
    >
      <Loaded query={query}>
        {(keys) =>
          keys.length === 0
            ? <Empty icon="key" title="No SSH keys">Add yours, so that new instances let you in.</Empty>
            : <Table label="SSH keys" columns={columnsFor(path)} rows={keys} idOf={({ id }) => id} />}
      </Loaded>
    </Section>
  )
}
