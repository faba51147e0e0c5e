/** The people of an account: invite them, or remove them. */
import type { MemberRecord } from "../../../contract/AccountCalls.ts"
import { useSession } from "../../api/session.ts"
import { Confirm } from "../../components/FormDialog.tsx"
import { List } from "../../components/List.tsx"
import { Invite, type Invited, memberColumns } from "../account/Members.tsx"
import { act, execute, ROWS, useCommand } from "./commands.ts"

const Remove = ({ member: { id, name } }: { readonly member: MemberRecord }) => (
  <Confirm
    action="Remove"
    kind="quiet"
    question={`Remove ${name}?`}
    run={act("people.remove", { id }, `${name} cannot sign in any more.`)}
  >
    <p>Their sessions end at once, in all accounts. API keys stay: they belong to the accounts.</p>
  </Confirm>
)

export const AccountPeople = ({ accountId }: { readonly accountId: number }) => {
  const invite = (person: object) =>
    execute<Invited>("people.invite", { ...person, role: "customer", account_id: accountId })
  return (
    <List
      title="People"
      note="People who can sign in to this account."
      actions={
        <Invite invite={invite}>
          <p class="hint">An existing person gets a new link, which also replaces a lost passkey.</p>
        </Invite>
      }
      query={useCommand<ReadonlyArray<MemberRecord>>("people.list", { account_id: accountId, limit: ROWS })}
      columns={memberColumns(useSession().person.id, (member) => <Remove member={member} />)}
      idOf={({ id }) => id}
      empty={{
        icon: "people",
        title: "No person can sign in",
        advice: "Invite the owner: they get a link by mail."
      }}
    />
  )
}
