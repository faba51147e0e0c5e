/** The people of an account: invite them, or remove them. */
import { useState } from "preact/hooks"
import { execute, type ResultOf, type RowOf, ROWS, useCommand } from "../../api/commands.ts"
import { useSession } from "../../api/session.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { List } from "../../components/List.tsx"
import { SecretDialog } from "../../components/Dialog.tsx"
import { Invitations, memberColumns, RemovePerson } from "../account/Members.tsx"

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

export const AccountPeople = ({ accountId }: { readonly accountId: number }) => {
  const invite = (email: string) => execute("people.invite", { email, role: "customer", account_id: accountId })
  return (
    <>
      <List
        title="People"
        note="People who can sign in to this account."
        query={useCommand("people.list", { account_id: accountId, limit: ROWS })}
        columns={memberColumns(useSession().person.id, (member: Person) => (
          <>
            <MakeLink member={member} />
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
        sendAgain={({ email }) => invite(email)}
        withdraw={({ id }) => execute("people.withdraw", { id })}
      >
        <p class="hint">For a member who has lost all passkeys, make a link instead.</p>
      </Invitations>
    </>
  )
}
