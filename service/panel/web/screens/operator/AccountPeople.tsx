/** The people of an account: invite them, or remove them. */
import { useState } from "preact/hooks"
import type { MemberRecord } from "../../../contract/AccountCalls.ts"
import { Confirm } from "../../components/Confirm.tsx"
import { TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Section } from "../../components/Page.tsx"
import { Empty, Loaded } from "../../components/State.tsx"
import { type Column, Table } from "../../components/Table.tsx"
import { When } from "../../components/Values.tsx"
import { type Invited, InvitedDialog, SignInState } from "../account/People.tsx"
import { execute, ROWS, useCommand } from "./commands.ts"

const COLUMNS: ReadonlyArray<Column<MemberRecord>> = [
  {
    key: "name",
    title: "Name",
    by: ({ name }) => name,
    cell: ({ email, name }) => (
      <>
        <strong>{name}</strong>
        <span class="muted second">{email}</span>
      </>
    )
  },
  { key: "sign-in", title: "Sign-in", cell: (one) => <SignInState {...one} /> },
  { key: "seen", title: "Last here", cell: (one) => <When at={one.last_seen_at} /> },
  {
    key: "actions",
    title: "",
    cell: ({ id, name }) => (
      <div class="actions">
        <Confirm
          action="Remove"
          kind="quiet"
          question={`Remove ${name}?`}
          run={async () => {
            await execute("people.remove", { id })
            return `${name} cannot sign in any more.`
          }}
        >
          <p>Their sessions end at once, in all accounts. API keys stay: they belong to the accounts.</p>
        </Confirm>
      </div>
    )
  }
]

const Invite = ({ accountId }: { readonly accountId: number }) => {
  const [invited, setInvited] = useState<Invited>()
  const invite = async ({ text }: Values) => {
    const input = { name: text("name"), email: text("email"), role: "customer", account_id: accountId }
    setInvited(await execute<Invited>("people.invite", input))
  }
  return (
    <>
      <FormDialog action="Invite" icon="plus" heading="Invite a person" submit="Invite" onSubmit={invite}>
        <TextField name="name" label="Name" required maxLength={255} />
        <TextField
          name="email"
          label="Email"
          type="email"
          required
          maxLength={254}
          hint="A person who is known gets a new link: that is also how a lost passkey is replaced."
        />
      </FormDialog>
      {invited !== undefined && <InvitedDialog invited={invited} onClose={() => setInvited(undefined)} />}
    </>
  )
}

export const AccountPeople = ({ accountId }: { readonly accountId: number }) => {
  const query = useCommand<ReadonlyArray<MemberRecord>>("people.list", { account_id: accountId, limit: ROWS })
  return (
    <Section title="People" note="Who may sign in to this account." actions={<Invite accountId={accountId} />}>
      <Loaded query={query}>
        {(people) =>
          people.length === 0
            ? <Empty icon="people" title="No person can sign in">Invite the owner: they get a link by mail.</Empty>
            : <Table label="People" columns={COLUMNS} rows={people} idOf={({ id }) => id} />}
      </Loaded>
    </Section>
  )
}
