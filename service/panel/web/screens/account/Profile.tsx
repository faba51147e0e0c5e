/** A person's own passkeys and sessions. */
import { useState } from "preact/hooks"
import type { PasskeyRecord, SessionRecord } from "../../../contract/Me.ts"
import { call } from "../../api/client.ts"
import { createPasskey, supportsPasskeys } from "../../api/passkeys.ts"
import { refresh, useQuery } from "../../api/query.ts"
import { loadSession, useSession } from "../../api/session.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Button } from "../../components/Button.tsx"
import { Confirm } from "../../components/Confirm.tsx"
import { Dialog } from "../../components/Dialog.tsx"
import { Form, TextField, type Values } from "../../components/Form.tsx"
import { Page, Section } from "../../components/Page.tsx"
import { Empty, Loaded, Notice } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { notify } from "../../components/Toasts.tsx"
import { When } from "../../components/Values.tsx"

const PASSKEYS = "/me/passkeys"
const SESSIONS = "/me/sessions"
/** Longest name of a passkey, in characters. */
const NAME_MAX = 64

const NameForm = ({ name, onClose, save }: {
  readonly name: string
  readonly save: (name: string) => Promise<void>
  readonly onClose: () => void
}) => (
  <Form
    submit="Save"
    onCancel={onClose}
    onSubmit={async ({ text }: Values) => {
      await save(text("name") ?? "")
      onClose()
    }}
  >
    <TextField
      name="name"
      label="Name"
      required
      maxLength={NAME_MAX}
      defaultValue={name}
      hint="To recognize it later, such as the device that it is on."
    />
  </Form>
)

const AddPasskey = () => {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const add = async (name: string) => {
    await createPasskey(name)
    await loadSession()
    refresh(PASSKEYS)
    notify("good", "The passkey is set up. Use it the next time you sign in.")
  }
  return (
    <>
      <Button kind="primary" icon="plus" disabled={!supportsPasskeys()} onClick={() => setOpen(true)}>
        Add a passkey
      </Button>
      {open && (
        <Dialog title="Add a passkey" onClose={close}>
          <p>Your browser then wants this device's lock, a phone, or a security key.</p>
          <NameForm name="This device" save={add} onClose={close} />
        </Dialog>
      )}
    </>
  )
}

const PasskeyActions = ({ passkey: { id, name } }: { readonly passkey: PasskeyRecord }) => {
  const [renaming, setRenaming] = useState(false)
  const close = () => setRenaming(false)
  const rename = async (next: string) => {
    await call("PATCH", `${PASSKEYS}/${id}`, { body: { name: next } })
    refresh(PASSKEYS)
  }
  const remove = async () => {
    await call("DELETE", `${PASSKEYS}/${id}`)
    await loadSession()
    refresh(PASSKEYS)
    return "The passkey is removed. Delete it on the device, too."
  }
  return (
    <div class="actions">
      <Button kind="quiet" onClick={() => setRenaming(true)}>Rename</Button>
      <Confirm action="Remove" kind="quiet" question={`Remove the passkey ${name}?`} run={remove}>
        <p>It cannot sign in any more. Without another one, you need a link from your host.</p>
      </Confirm>
      {renaming && (
        <Dialog title="Rename the passkey" onClose={close}>
          <NameForm name={name} save={rename} onClose={close} />
        </Dialog>
      )}
    </div>
  )
}

const PASSKEY_COLUMNS: ReadonlyArray<Column<PasskeyRecord>> = [
  { key: "name", title: "Name", cell: ({ name }) => <strong>{name}</strong> },
  { key: "where", title: "Where", cell: (one) => one.backed_up ? "Synchronized" : "On one device" },
  { key: "created", title: "Added", cell: (one) => <When at={one.created_at} day /> },
  { key: "used", title: "Last used", cell: (one) => <When at={one.last_used_at} /> },
  { key: "actions", title: "", cell: (one) => <PasskeyActions passkey={one} /> }
]

const NO_PASSKEYS = "Passkeys need https, or http://localhost. Open the panel at such an address to add one."

const Passkeys = () => {
  const query = useQuery<ReadonlyArray<PasskeyRecord>>(PASSKEYS)
  return (
    <Section
      title="Passkeys"
      note="They replace a password: nothing to remember, and nothing that a false page could steal."
      actions={<AddPasskey />}
    >
      {!supportsPasskeys() && <Notice tone="warn">{NO_PASSKEYS}</Notice>}
      <Loaded query={query}>
        {(passkeys) =>
          passkeys.length === 0
            ? <Empty icon="key" title="No passkey yet">Add one now: your sign-in link works only once.</Empty>
            : <Table label="Passkeys" columns={PASSKEY_COLUMNS} rows={passkeys} idOf={({ id }) => id} />}
      </Loaded>
    </Section>
  )
}

const BROWSERS = ["Firefox", "Edg", "OPR", "Chrome", "Safari"]
const SYSTEMS = ["Windows", "Android", "iPhone", "iPad", "Mac OS", "Linux"]

/** The browser and the system in a user agent, as people call them. */
const deviceOf = (agent: string): string => {
  const browser = BROWSERS.find((one) => agent.includes(one))?.replace("Edg", "Edge").replace("OPR", "Opera")
  const system = SYSTEMS.find((one) => agent.includes(one))
  return [browser, system].filter((one) => one !== undefined).join(" on ") || agent || "Unknown"
}

const SESSION_COLUMNS: ReadonlyArray<Column<SessionRecord>> = [
  {
    key: "device",
    title: "Device",
    cell: ({ agent, current }) => (
      <>
        <strong title={agent}>{deviceOf(agent)}</strong>
        {current && <span class="second good">This one</span>}
      </>
    )
  },
  { key: "address", title: "Address", cell: ({ address }) => <code>{address}</code> },
  { key: "method", title: "Signed in by", cell: ({ method }) => method },
  { key: "created", title: "Since", cell: (one) => <When at={one.created_at} /> },
  { key: "used", title: "Last used", cell: (one) => <When at={one.last_seen_at} /> },
  {
    key: "actions",
    title: "",
    cell: ({ current, id }) =>
      current ? null : (
        <div class="actions">
          <ActionButton
            kind="quiet"
            run={async () => {
              await call("DELETE", `${SESSIONS}/${id}`)
              refresh(SESSIONS)
              return "The session is ended."
            }}
          >
            End
          </ActionButton>
        </div>
      )
  }
]

const Sessions = () => {
  const query = useQuery<ReadonlyArray<SessionRecord>>(SESSIONS)
  const endOthers = async () => {
    await call("DELETE", SESSIONS)
    refresh(SESSIONS)
    return "All other sessions are ended."
  }
  return (
    <Section
      title="Sessions"
      note="Where you are signed in. End what you do not recognize, and remove its passkey."
      actions={<ActionButton run={endOthers}>End all others</ActionButton>}
    >
      <Loaded query={query}>
        {(sessions) => <Table label="Sessions" columns={SESSION_COLUMNS} rows={sessions} idOf={({ id }) => id} />}
      </Loaded>
    </Section>
  )
}

export const Profile = () => {
  const { person: { email, name } } = useSession()
  return (
    <Page title="Sign-in" beside={<p class="muted">{name}, {email}</p>}>
      <Passkeys />
      <Sessions />
    </Page>
  )
}
