/** The people who may sign in to the account. */
import type { InvitationRecord, KeyRecord, MemberRecord } from "../../../contract/AccountCalls.ts"
import { call, post } from "../../api/client.ts"
import { refresh, useQuery } from "../../api/query.ts"
import { useAccountPath, useSession } from "../../api/session.ts"
import { List } from "../../components/List.tsx"
import { Page } from "../../components/Page.tsx"
import { Notice } from "../../components/State.tsx"
import { Invitations, type Invited, type LeftKeys, memberColumns, RemovePerson } from "./Members.tsx"

const Remove = ({ member: { id, name }, path }: { readonly member: MemberRecord; readonly path: string }) => {
  const keys = `${useAccountPath()}/keys`
  const { data } = useQuery<ReadonlyArray<KeyRecord>>(keys)
  return (
    <RemovePerson
      name={name}
      question={`Remove ${name} from the account?`}
      keys={data?.filter((key) => key.made_by_id === id && key.state === "active").map((key) => key.name)}
      remove={async (revokeKeys) => {
        const left = await call<LeftKeys>("DELETE", `${path}/${id}?revoke_keys=${revokeKeys}`)
        refresh(path)
        refresh(keys)
        return left
      }}
    >
      <p>Their sessions lose access at once. API keys belong to the account: those that remain keep working.</p>
    </RemovePerson>
  )
}

export const People = () => {
  const account = useAccountPath()
  const [path, invitations] = [`${account}/people`, `${account}/invitations`]
  const { person: { id: self } } = useSession()
  const send = async (to: string, body: object = {}) => {
    const invited = await post<Invited>(to, body)
    refresh(invitations)
    return invited
  }
  const withdraw = async ({ id }: InvitationRecord) => {
    await call("DELETE", `${invitations}/${id}`)
    refresh(invitations)
  }
  return (
    <Page title="People">
      <List
        title="Members"
        note="People who can sign in and work with this account."
        query={useQuery<ReadonlyArray<MemberRecord>>(path)}
        columns={memberColumns(self, (member) => <Remove member={member} path={path} />)}
        idOf={({ id }) => id}
        empty={{ icon: "people", title: "Nobody" }}
      />
      <Invitations
        query={useQuery<ReadonlyArray<InvitationRecord>>(invitations)}
        invite={(email) => send(invitations, { email })}
        sendAgain={({ id }) => send(`${invitations}/${id}/send`)}
        withdraw={withdraw}
      >
        <Notice tone="info">Members can do everything that you can: order, operate, and invite others.</Notice>
      </Invitations>
    </Page>
  )
}
