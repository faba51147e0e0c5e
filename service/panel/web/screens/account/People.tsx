/** The people who may sign in to the account. */
import type { InvitationRecord, MemberRecord } from "../../../contract/AccountCalls.ts"
import { pathTo, send, useRead } from "../../api/calls.ts"
import { refresh } from "../../api/query.ts"
import { useAccountId, useSession } from "../../api/session.ts"
import { List } from "../../components/List.tsx"
import { Page } from "../../components/Page.tsx"
import { Notice } from "../../components/State.tsx"
import { Invitations, type Invited, memberColumns, RemovePerson } from "./Members.tsx"

const PEOPLE = "/accounts/:account/people"
const INVITATIONS = "/accounts/:account/invitations"
const KEYS = "/accounts/:account/keys"

const Remove = ({ account, member: { id, name } }: { readonly account: number; readonly member: MemberRecord }) => {
  const { data } = useRead(KEYS, { params: { account } })
  return (
    <RemovePerson
      name={name}
      question={`Remove ${name} from the account?`}
      keys={data?.filter((key) => key.made_by_id === id && key.state === "active").map((key) => key.name)}
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
  const invite = async (email: string): Promise<Invited> =>
    changed(await send(`POST ${INVITATIONS}`, { params: { account }, body: { email } }))
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
        columns={memberColumns(self, (member) => <Remove member={member} account={account} />)}
        idOf={({ id }) => id}
        empty={{ icon: "people", title: "Nobody" }}
      />
      <Invitations
        query={useRead(INVITATIONS, { params: { account } })}
        invite={invite}
        sendAgain={sendAgain}
        withdraw={withdraw}
      >
        <Notice tone="info">Members can do everything that you can: order, operate, and invite others.</Notice>
      </Invitations>
    </Page>
  )
}
