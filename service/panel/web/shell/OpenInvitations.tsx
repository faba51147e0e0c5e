/** Invitations to other accounts, which the signed-in person accepts or declines. */
import { call, post } from "../api/client.ts"
import { loadSession, useSession } from "../api/session.ts"
import { ActionButton } from "../components/ActionButton.tsx"
import { Notice } from "../components/State.tsx"
import { invitationText } from "../screens/signin/Invitation.tsx"

export const OpenInvitations = () => {
  const { invitations } = useSession()
  const answer = (send: () => Promise<unknown>, text: string) => async () => {
    await send()
    await loadSession()
    return text
  }
  return (
    <>
      {invitations.map((one) => {
        const path = `/me/invitations/${one.id}`
        return (
          <Notice
            key={one.id}
            tone="info"
            action={
              <div class="actions">
                <ActionButton kind="primary" run={answer(() => post(`${path}/accept`), "You are a member now.")}>
                  Accept
                </ActionButton>
                <ActionButton run={answer(() => call("DELETE", path), "You declined.")}>Decline</ActionButton>
              </div>
            }
          >
            {invitationText(one)}
          </Notice>
        )
      })}
    </>
  )
}
