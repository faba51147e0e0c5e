/** The people who may sign in to the account. */
import type { MemberRecord } from "../../../contract/AccountCalls.ts"
import { call, post } from "../../api/client.ts"
import { refresh, useQuery } from "../../api/query.ts"
import { useAccountPath, useSession } from "../../api/session.ts"
import { Confirm } from "../../components/FormDialog.tsx"
import { List } from "../../components/List.tsx"
import { Page } from "../../components/Page.tsx"
import { Notice } from "../../components/State.tsx"
import { Invite, type Invited, memberColumns } from "./Members.tsx"

const Remove = ({ member: { id, name }, path }: { readonly member: MemberRecord; readonly path: string }) => (
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
)

export const People = () => {
  const path = `${useAccountPath()}/people`
  const { person: { id: self } } = useSession()
  const invite = async (person: object) => {
    const invited = await post<Invited>(path, person)
    refresh(path)
    return invited
  }
  const actions = (
    <Invite invite={invite}>
      <Notice tone="info">They can do everything that you can: order, operate, and invite others.</Notice>
    </Invite>
  )
  return (
    <Page title="People" actions={actions}>
      <List
        title="Members"
        note="People who can sign in and work with this account."
        query={useQuery<ReadonlyArray<MemberRecord>>(path)}
        columns={memberColumns(self, (member) => <Remove member={member} path={path} />)}
        idOf={({ id }) => id}
        empty={{ icon: "people", title: "Nobody" }}
      />
    </Page>
  )
}
