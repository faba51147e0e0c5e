/** A person's own passkeys and sessions. */
import type { PasskeyRecord, SessionRecord } from "../../../contract/Session.ts"
import { send, useRead } from "../../api/calls.ts"
import { createPasskey, loadSession, passkeyProblem, useSession } from "../../api/session.ts"
import { refresh } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { TextField, type Values } from "../../components/Form.tsx"
import { Confirm, FormDialog } from "../../components/FormDialog.tsx"
import { actionsOf, type Column, List } from "../../components/Table.tsx"
import { Notice, Page } from "../../components/Page.tsx"
import { When } from "../../components/Values.tsx"
import { AskHost } from "../../components/Brand.tsx"

const PASSKEYS = "/me/passkeys"
const SESSIONS = "/me/sessions"
/** Longest name of a passkey, in characters. */
const NAME_MAX = 64

const NameField = ({ name }: { readonly name: string }) => (
  <TextField
    name="name"
    label="Name"
    required
    maxLength={NAME_MAX}
    defaultValue={name}
    hint="A name to recognize it by, such as the device that it is on."
  />
)

const AddPasskey = () => {
  const add = async ({ text }: Values) => {
    await createPasskey(text("name") ?? "")
    await loadSession()
    refresh(PASSKEYS)
    return "The passkey is set up. Use it the next time you sign in."
  }
  return (
    <FormDialog
      action="Add a passkey"
      kind="primary"
      icon="plus"
      off={passkeyProblem()}
      heading="Add a passkey"
      submit="Save"
      onSubmit={add}
    >
      <p>Your browser then prompts for this device's screen lock, a phone, or a security key.</p>
      <NameField name="This device" />
    </FormDialog>
  )
}

const PasskeyActions = ({ passkey: { id, name } }: { readonly passkey: PasskeyRecord }) => {
  const rename = async ({ required }: Values) => {
    await send(`PATCH ${PASSKEYS}/:id`, { params: { id }, body: { name: required.text("name") } })
    refresh(PASSKEYS)
  }
  const remove = async () => {
    await send(`DELETE ${PASSKEYS}/:id`, { params: { id } })
    await loadSession()
    refresh(PASSKEYS)
    return "The passkey is removed. Delete it on the device, too."
  }
  return (
    <>
      <FormDialog action="Rename" kind="quiet" heading="Rename the passkey" submit="Save" onSubmit={rename}>
        <NameField name={name} />
      </FormDialog>
      <Confirm action="Remove" kind="quiet" destroys question={`Remove the passkey ${name}?`} run={remove}>
        <p>
          It cannot sign in any more. Without another one, you need a link by mail, or from{" "}
          <AskHost>your host</AskHost>.
        </p>
      </Confirm>
    </>
  )
}

const PASSKEY_COLUMNS: ReadonlyArray<Column<PasskeyRecord>> = [
  { key: "name", title: "Name", cell: ({ name }) => <strong>{name}</strong> },
  { key: "where", title: "Where", cell: (one) => one.backed_up ? "Synchronized" : "On one device" },
  { key: "created", title: "Added", cell: (one) => <When at={one.created_at} day /> },
  { key: "used", title: "Last used", cell: (one) => <When at={one.last_used_at} /> },
  actionsOf((one) => <PasskeyActions passkey={one} />)
]

const Passkeys = () => (
  <List
    title="Passkeys"
    note="They replace a password: there is nothing to remember, and nothing that a phishing page could steal."
    actions={<AddPasskey />}
    query={useRead(PASSKEYS)}
    columns={PASSKEY_COLUMNS}
    idOf={({ id }) => id}
    empty={{
      icon: "key",
      title: "No passkey yet",
      advice: "It signs you in with this device's screen lock, a phone, or a security key."
    }}
  />
)

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
  actionsOf(({ current, id }) =>
    current ? null : (
      <ActionButton
        kind="quiet"
        run={async () => {
          await send(`DELETE ${SESSIONS}/:id`, { params: { id } })
          refresh(SESSIONS)
          return "The session is ended."
        }}
      >
        End
      </ActionButton>
    )
  )
]

const Sessions = () => {
  const endOthers = async () => {
    await send(`DELETE ${SESSIONS}`)
    refresh(SESSIONS)
    return "All other sessions are ended."
  }
  return (
    <List
      title="Sessions"
      note="Browsers in which you are signed in. End sessions that you do not recognize, and remove their passkeys."
      actions={<ActionButton run={endOthers}>End all others</ActionButton>}
      query={useRead(SESSIONS)}
      columns={SESSION_COLUMNS}
      idOf={({ id }) => id}
      empty={{ icon: "account", title: "No sessions" }}
    />
  )
}

/** Advice for those who came by a link: so that the next sign-in needs none. */
const NextTime = () => {
  const { passkeys } = useSession()
  const current = useRead(SESSIONS).data?.find((one) => one.current)
  const problem = passkeyProblem()
  if (problem !== undefined) return <Notice tone="warn">{problem}</Notice>
  if (!passkeys) return <Notice tone="info">Add a passkey, so that you need no mail next time.</Notice>
  if (current?.method !== "link") return null
  return <Notice tone="info">You signed in by a link. Lost a passkey? Remove it below, and add a new one.</Notice>
}

export const Profile = () => {
  const { person: { email, name } } = useSession()
  return (
    <Page title="Security" beside={<p class="muted">{name}, {email}</p>}>
      <NextTime />
      <Passkeys />
      <Sessions />
    </Page>
  )
}
