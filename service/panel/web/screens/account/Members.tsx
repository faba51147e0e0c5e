/** The people of an account as its members and operators see them. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { InvitedMember, MemberRecord } from "../../../contract/AccountCalls.ts"
import { TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { SecretDialog } from "../../components/SecretDialog.tsx"
import { Notice } from "../../components/State.tsx"
import { actionsOf, type Column } from "../../components/Table.tsx"
import { Named, When } from "../../components/Values.tsx"

/** To an account, by one of its people or by an operator. */
export type Invited = Pick<typeof InvitedMember.Encoded, "email" | "link" | "mailed">

/** The outcome of an invitation: where the link is. */
const InvitedDialog = ({ invited, onClose }: { readonly invited: Invited; readonly onClose: () => void }) => (
  <SecretDialog title={`${invited.email} is invited`} secret={invited.link} what="the link" onClose={onClose}>
    <p>The invitation is a link that works once, within a day.</p>
    {invited.mailed && <Notice tone="good">It was mailed.</Notice>}
    {!invited.mailed && invited.link === null && (
      <Notice tone="bad">The mail could not be sent. Invite the person again, or ask your host for a link.</Notice>
    )}
  </SecretDialog>
)

/** Longest name of a person, in characters. */
const NAME_MAX = 64

interface InviteProps {
  readonly invite: (person: { readonly name: string; readonly email: string }) => Promise<Invited>
  /** The meaning of the invitation. */
  readonly children: ComponentChildren
}

export const Invite = ({ children, invite }: InviteProps) => {
  const [invited, setInvited] = useState<Invited>()
  const send = async ({ text }: Values) =>
    setInvited(await invite({ name: text("name") ?? "", email: text("email") ?? "" }))
  return (
    <>
      <FormDialog
        action="Invite a person"
        icon="plus"
        kind="primary"
        heading="Invite a person"
        submit="Invite"
        onSubmit={send}
      >
        <TextField name="name" label="Name" required maxLength={NAME_MAX} />
        <TextField name="email" label="Email" type="email" required maxLength={254} />
        {children}
      </FormDialog>
      {invited !== undefined && <InvitedDialog invited={invited} onClose={() => setInvited(undefined)} />}
    </>
  )
}

/** The ways in which a person may sign in at the moment. */
const SignInState = ({ invited_until: invited, passkeys }: MemberRecord) =>
  passkeys > 0
    ? <>{passkeys} passkey{passkeys === 1 ? "" : "s"}</>
    : invited === null
    ? <span class="muted">no passkey</span>
    : (
      <>
        invited until <When at={invited} />
      </>
    )

/** `self` is the id of the person who looks at them. */
export const memberColumns = (
  self: number,
  actions: (member: MemberRecord) => ComponentChildren
): ReadonlyArray<Column<MemberRecord>> => [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ email, id, name }) => <Named note={email}>{name}{id === self && " (you)"}</Named>
  },
  { key: "sign-in", title: "Sign-in", cell: (one) => <SignInState {...one} /> },
  { key: "seen", title: "Last here", cell: (one) => <When at={one.last_seen_at} /> },
  actionsOf((member) => member.id === self ? null : actions(member))
]
