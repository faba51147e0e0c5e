/** The people of an account: invite them, or remove them. */
import { useState } from "preact/hooks"
import type { InvitationRecord, MemberRecord } from "../../../contract/AccountCalls.ts"
import { useSession } from "../../api/session.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { List } from "../../components/List.tsx"
import { SecretDialog } from "../../components/SecretDialog.tsx"
import { Invitations, type Invited, memberColumns, RemovePerson } from "../account/Members.tsx"
import { execute, type KeyListRecord, ROWS, useCommand } from "./commands.ts"

interface RemoveProps {
  readonly accountId: number
  readonly member: MemberRecord
}

const Remove = ({ accountId, member: { email, id, name } }: RemoveProps) => {
  const { data } = useCommand<ReadonlyArray<KeyListRecord>>("keys.list", { account_id: accountId, limit: ROWS })
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
const MakeLink = ({ member: { id, name } }: { readonly member: MemberRecord }) => {
  const [made, setMade] = useState<{ readonly link: string; readonly mailed: boolean }>()
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
  const invite = (email: string) =>
    execute<Invited>("people.invite", { email, role: "customer", account_id: accountId })
  return (
    <>
      <List
        title="People"
        note="People who can sign in to this account."
        query={useCommand<ReadonlyArray<MemberRecord>>("people.list", { account_id: accountId, limit: ROWS })}
        columns={memberColumns(useSession().person.id, (member) => (
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
        query={useCommand<ReadonlyArray<InvitationRecord>>("people.invitations", {
          account_id: accountId,
          limit: ROWS
        })}
        invite={invite}
        sendAgain={({ email }) => invite(email)}
        withdraw={({ id }) => execute("people.withdraw", { id })}
      >
        <p class="hint">For a member who has lost all passkeys, make a link instead.</p>
      </Invitations>
    </>
  )
}
