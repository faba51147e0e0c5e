/** The people who may sign in to the account, and those who are invited. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { InvitationRecord, MemberRecord, SentInvitation } from "../../../contract/AccountCalls.ts"
import { type Query, refresh } from "../../api/query.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { CheckField, SelectField, TextField, type Values } from "../../components/Form.tsx"
import { SecretDialog } from "../../components/Dialog.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { actionsOf, type Column, List } from "../../components/Table.tsx"
import { Notice, Page } from "../../components/Page.tsx"
import { Named, Status, When } from "../../components/Values.tsx"
import { pathTo, send, useRead } from "../../api/calls.ts"
import { useAccountId, useSession } from "../../api/session.ts"

/** To an account, by one of its people or by an operator. */
export type Invited = Pick<typeof SentInvitation.Encoded, "email" | "link" | "mailed">

/** The outcome of an invitation: where the link is. */
const InvitedDialog = ({ invited, onClose }: { readonly invited: Invited; readonly onClose: () => void }) => (
  <SecretDialog title={`${invited.email} is invited`} secret={invited.link} what="the link" onClose={onClose}>
    <p>The person accepts by a link that works once, within a week.</p>
    {invited.mailed && <Notice tone="good">It was mailed.</Notice>}
    {!invited.mailed && invited.link === null && (
      <Notice tone="bad">The mail could not be sent. Send the invitation again later.</Notice>
    )}
  </SecretDialog>
)

export type Permission = MemberRecord["permission"]

export const PERMISSION_NAMES = { full: "Full access", read: "Read only" } as const satisfies Record<Permission, string>

/** The access of a person to the account. */
export const PermissionField = ({ chosen, onChange }: {
  readonly chosen: Permission
  readonly onChange?: (event: Event) => void
}) => (
  <SelectField
    name="permission"
    label="Access"
    defaultValue={chosen}
    {...onChange === undefined ? {} : { onChange }}
    hint="Full access: order, operate, and invite others. Read only: see everything, change nothing."
  >
    {Object.entries(PERMISSION_NAMES).map(([key, name]) => <option key={key} value={key}>{name}</option>)}
  </SelectField>
)

export const permissionIn = ({ text }: Values): Permission => text("permission") === "read" ? "read" : "full"

interface InvitationsProps {
  readonly query: Query<ReadonlyArray<InvitationRecord>>
  readonly invite: (email: string, permission: Permission) => Promise<Invited>
  readonly sendAgain: (invitation: InvitationRecord) => Promise<Invited>
  readonly withdraw: (invitation: InvitationRecord) => Promise<unknown>
  /** The meaning of the invitation. */
  readonly children?: ComponentChildren
}

const columnsOf = (
  { sendAgain, withdraw }: Pick<InvitationsProps, "sendAgain" | "withdraw">,
  onSent: (invited: Invited) => void
): ReadonlyArray<Column<InvitationRecord>> => [
  {
    key: "email",
    title: "Email",
    by: ({ email }) => email,
    cell: (one) => <Named note={`invited by ${one.invited_by ?? "the host"}`}>{one.email}</Named>
  },
  { key: "access", title: "Access", cell: ({ permission }) => PERMISSION_NAMES[permission] },
  { key: "state", title: "State", cell: ({ state }) => <Status value={state} /> },
  { key: "sent", title: "Sent", cell: (one) => <When at={one.sent_at} /> },
  { key: "expires", title: "Expires", cell: (one) => <When at={one.expires_at} /> },
  actionsOf((one) => (
    <>
      <ActionButton kind="quiet" run={async () => onSent(await sendAgain(one))}>Send again</ActionButton>
      <ActionButton
        kind="quiet"
        run={async () => {
          await withdraw(one)
          return `The invitation of ${one.email} is withdrawn.`
        }}
      >
        Withdraw
      </ActionButton>
    </>
  ))
]

/** Open invitations. They show only the address: a person is shown once they are a member. */
export const Invitations = ({ children, invite, query, sendAgain, withdraw }: InvitationsProps) => {
  const [invited, setInvited] = useState<Invited>()
  const send = async (values: Values) => setInvited(await invite(values.required.text("email"), permissionIn(values)))
  return (
    <List
      title="Invitations"
      note="A person becomes a member when they accept."
      actions={
        <FormDialog
          action="Invite a person"
          icon="plus"
          kind="primary"
          heading="Invite a person"
          submit="Invite"
          onSubmit={send}
        >
          <TextField name="email" label="Email" type="email" required maxLength={254} />
          <PermissionField chosen="full" />
          {children}
        </FormDialog>
      }
      query={query}
      columns={columnsOf({ sendAgain, withdraw }, setInvited)}
      idOf={({ id }) => id}
      empty={{ icon: "people", title: "No open invitations" }}
    >
      {invited !== undefined && <InvitedDialog invited={invited} onClose={() => setInvited(undefined)} />}
    </List>
  )
}

/** Without a permission in a list of all people. */
type ShownMember = Omit<MemberRecord, "permission"> & { readonly permission: Permission | null }

/** `self` is the id of the person who looks at them. */
export const memberColumns = <Member extends ShownMember>(
  self: number,
  actions: (member: Member) => ComponentChildren
): ReadonlyArray<Column<Member>> => [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ email, id, name }) => <Named note={email}>{name}{id === self && " (you)"}</Named>
  },
  {
    key: "sign-in",
    title: "Sign-in",
    cell: ({ passkeys }) =>
      passkeys === 0
        ? <span class="muted">no passkey</span>
        : <>{passkeys} passkey{passkeys === 1 ? "" : "s"}</>
  },
  { key: "access", title: "Access", cell: ({ permission }) => PERMISSION_NAMES[permission ?? "full"] },
  { key: "seen", title: "Last here", cell: (one) => <When at={one.last_seen_at} /> },
  actionsOf((member) => member.id === self ? null : actions(member))
]

/** Keys that a person who left may still know. */
interface LeftKeys {
  readonly revoked: ReadonlyArray<{ readonly name: string }>
  readonly remaining: ReadonlyArray<{ readonly name: string }>
}

const listOf = (keys: LeftKeys["remaining"]): string => keys.map(({ name }) => name).join(", ")

/** The outcome for a person's keys, in sentences. */
export const keysText = ({ remaining, revoked }: LeftKeys, who = "they"): string =>
  [
    revoked.length === 0 ? "" : `Revoked keys: ${listOf(revoked)}.`,
    remaining.length === 0 ? `No key that ${who} may know remains.` : `Keys that ${who} may know: ${listOf(remaining)}.`
  ].join(" ").trim()

interface RemoveProps {
  readonly name: string
  readonly question: string
  /** The keys that the person made and that still work; undefined while they are loaded. */
  readonly keys: ReadonlyArray<string> | undefined
  readonly remove: (revokeKeys: boolean) => Promise<LeftKeys>
  /** The other consequences. */
  readonly children: ComponentChildren
}

/** Removes a person, and offers to revoke the keys that they made. */
export const RemovePerson = ({ children, keys, name, question, remove }: RemoveProps) => (
  <FormDialog
    action="Remove"
    kind="quiet"
    heading={question}
    onSubmit={async ({ checked }) => `${name} is removed. ${keysText(await remove(checked("revoke_keys")))}`}
  >
    <div class="prose">{children}</div>
    <RevokeKeysField keys={keys} who="they" />
  </FormDialog>
)

/** Offers to revoke the keys that a person made. */
export const RevokeKeysField = ({ keys, who }: { readonly keys: RemoveProps["keys"]; readonly who: string }) =>
  keys === undefined || keys.length === 0 ? null : (
    <CheckField
      name="revoke_keys"
      label={`Revoke the API keys that ${who} made: ${keys.join(", ")}`}
      hint="Programs that use them fail at once."
      defaultChecked
    />
  )

const PEOPLE = "/accounts/:account/people"
const INVITATIONS = "/accounts/:account/invitations"
const KEYS = "/accounts/:account/keys"

/** The names of the keys that a person made and that still work; undefined while they are loaded. */
export const useKeysOf = (account: number, person: number): ReadonlyArray<string> | undefined =>
  useRead(KEYS, { params: { account } }).data
    ?.filter((key) => key.made_by_id === person && key.state === "active").map((key) => key.name)

interface OneProps {
  readonly account: number
  readonly member: MemberRecord
}

const AccessFields = ({ account, member: { id, permission } }: OneProps) => {
  const keys = useKeysOf(account, id)
  const [chosen, setChosen] = useState<string>(permission)
  return (
    <>
      <PermissionField
        chosen={permission}
        onChange={(event) => setChosen((event.currentTarget as HTMLSelectElement).value)}
      />
      {chosen === "read" && <RevokeKeysField keys={keys} who="they" />}
    </>
  )
}

const Access = (props: OneProps) => {
  const { account, member: { id, name } } = props
  const save = async (values: Values) => {
    const permission = permissionIn(values)
    const left = await send(`PUT ${PEOPLE}/:id/permission`, {
      params: { account, id },
      query: { revoke_keys: values.checked("revoke_keys") },
      body: { permission }
    })
    refresh(pathTo(PEOPLE, { account }), pathTo(KEYS, { account }))
    return `The access of ${name} is changed.${permission === "read" ? ` ${keysText(left)}` : ""}`
  }
  return (
    <FormDialog action="Change access" kind="quiet" heading={`Access of ${name}`} submit="Save" onSubmit={save}>
      <AccessFields {...props} />
    </FormDialog>
  )
}

const Remove = ({ account, member: { id, name } }: OneProps) => {
  const keys = useKeysOf(account, id)
  return (
    <RemovePerson
      name={name}
      question={`Remove ${name} from the account?`}
      keys={keys}
      remove={async (revokeKeys) => {
        const query = { revoke_keys: revokeKeys }
        const left = await send(`DELETE ${PEOPLE}/:id`, { params: { account, id }, query })
        refresh(pathTo(PEOPLE, { account }), pathTo(KEYS, { account }))
        return left
      }}
    >
      <p>Their sessions lose access at once. API keys belong to the account: those that remain keep working.</p>
    </RemovePerson>
  )
}

export const People = () => {
  const account = useAccountId()
  const changed = <A extends object>(result: A): A => {
    refresh(pathTo(INVITATIONS, { account }))
    return result
  }
  const { person: { id: self } } = useSession()
  const invite = async (email: string, permission: Permission): Promise<Invited> =>
    changed(await send(`POST ${INVITATIONS}`, { params: { account }, body: { email, permission } }))
  const sendAgain = async ({ id }: InvitationRecord): Promise<Invited> =>
    changed(await send(`POST ${INVITATIONS}/:id/send`, { params: { account, id } }))
  const withdraw = async ({ id }: InvitationRecord) =>
    changed(await send(`DELETE ${INVITATIONS}/:id`, { params: { account, id } }))
  return (
    <Page title="People">
      <List
        title="Members"
        note="People who can sign in and work with this account."
        query={useRead(PEOPLE, { params: { account } })}
        columns={memberColumns(self, (member: MemberRecord) => (
          <>
            <Access member={member} account={account} />
            <Remove member={member} account={account} />
          </>
        ))}
        idOf={({ id }) => id}
        empty={{ icon: "people", title: "Nobody" }}
      />
      <Invitations
        query={useRead(INVITATIONS, { params: { account } })}
        invite={invite}
        sendAgain={sendAgain}
        withdraw={withdraw}
      />
    </Page>
  )
}
