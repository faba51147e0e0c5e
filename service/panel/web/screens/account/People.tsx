/** The people who may sign in to the account. */
import { useState } from "preact/hooks"
import type { InvitedMember, MemberRecord } from "../../../contract/AccountCalls.ts"
import { call, post } from "../../api/client.ts"
import { refresh, useQuery } from "../../api/query.ts"
import { useAccountPath, useSession } from "../../api/session.ts"
import { Button } from "../../components/Button.tsx"
import { Confirm } from "../../components/Confirm.tsx"
import { Dialog } from "../../components/Dialog.tsx"
import { TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Page, Section } from "../../components/Page.tsx"
import { Loaded, Notice } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { Copyable, When } from "../../components/Values.tsx"

/** To an account, by one of its people or by an operator. */
export type Invited = Pick<typeof InvitedMember.Encoded, "email" | "link" | "mailed">

/** The outcome of an invitation: where the link is. */
export const InvitedDialog = ({ invited, onClose }: { readonly invited: Invited; readonly onClose: () => void }) => (
  <Dialog title={`${invited.email} is invited`} onClose={onClose}>
    <p>The invitation is a link that works once, within a day.</p>
    {invited.mailed && <Notice tone="good">It was mailed.</Notice>}
    {invited.link !== null && (
      <div class="secret">
        <Copyable text={invited.link} what="the link" />
      </div>
    )}
    {!invited.mailed && invited.link === null && (
      <Notice tone="bad">The mail could not be sent. Invite the person again, or ask your host for a link.</Notice>
    )}
    <footer>
      <Button kind="primary" onClick={onClose}>Done</Button>
    </footer>
  </Dialog>
)

const Invite = ({ path }: { readonly path: string }) => {
  const [invited, setInvited] = useState<Invited>()
  const invite = async ({ text }: Values) => {
    setInvited(await post<Invited>(path, { name: text("name"), email: text("email") }))
    refresh(path)
  }
  return (
    <>
      <FormDialog
        action="Invite a person"
        icon="plus"
        kind="primary"
        heading="Invite a person"
        submit="Invite"
        onSubmit={invite}
      >
        <TextField name="name" label="Name" required maxLength={64} />
        <TextField name="email" label="Email" type="email" required maxLength={254} />
        <Notice tone="info">They can do everything that you can: order, operate, and invite others.</Notice>
      </FormDialog>
      {invited !== undefined && <InvitedDialog invited={invited} onClose={() => setInvited(undefined)} />}
    </>
  )
}

/** The ways in which a person may sign in at the moment. */
export const SignInState = ({ invited_until: invited, passkeys }: Pick<MemberRecord, "invited_until" | "passkeys">) =>
  passkeys > 0
    ? <>{passkeys} passkey{passkeys === 1 ? "" : "s"}</>
    : invited === null
    ? <span class="muted">no passkey</span>
    : (
      <>
        invited until <When at={invited} />
      </>
    )

const columnsFor = (path: string, self: number): ReadonlyArray<Column<MemberRecord>> => [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ email, id, name }) => (
      <>
        <strong>{name}{id === self && " (you)"}</strong>
        <span class="muted second">{email}</span>
      </>
    )
  },
  { key: "passkeys", title: "Sign-in", cell: (one) => <SignInState {...one} /> },
  { key: "seen", title: "Last here", cell: (one) => <When at={one.last_seen_at} /> },
  {
    key: "actions",
    title: "",
    cell: ({ id, name }) =>
      id === self ? null : (
        <div class="actions">
          <Confirm
            action="Remove"
            kind="quiet"
            question={`Remove ${name} from the account?`}
            run={async () => {
              await call("DELETE", `${path}/${id}`)
              refresh(path)
              return `${name} has no access any more.`
            }}
          >
            <p>Their sessions lose access at once. API keys belong to the account: revoke those that they know.</p>
          </Confirm>
        </div>
      )
  }
]

export const People = () => {
  const path = `${useAccountPath()}/people`
  const { person: { id: self } } = useSession()
  const query = useQuery<ReadonlyArray<MemberRecord>>(path)
  return (
    <Page title="People" actions={<Invite path={path} />}>
      <Section title="Members" note="Who may sign in and work with this account.">
        <Loaded query={query}>
          {(people) => <Table label="People" columns={columnsFor(path, self)} rows={people} idOf={({ id }) => id} />}
        </Loaded>
      </Section>
    </Page>
  )
}
