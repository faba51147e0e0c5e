/** Invitations to other accounts, which the signed-in person accepts or declines. */
import { send } from "../api/calls.ts"
import { loadSession, useSession } from "../api/session.ts"
import { ActionButton } from "../components/ActionButton.tsx"
import { Notice } from "../components/State.tsx"
import { invitationText } from "../screens/signin/SignIn.tsx"

export const OpenInvitations = () => {
  const { invitations } = useSession()
  const answer = (call: () => Promise<unknown>, text: string) => async () => {
    await call()
    await loadSession()
    return text
  }
  return (
    <>
      {invitations.map((one) => {
        const accept = () => send("POST /me/invitations/:id/accept", { params: { id: one.id } })
        const decline = () => send("DELETE /me/invitations/:id", { params: { id: one.id } })
        return (
          <Notice
            key={one.id}
            tone="info"
            action={
              <div class="actions">
                <ActionButton kind="primary" run={answer(accept, "You are a member now.")}>
                  Accept
                </ActionButton>
                <ActionButton run={answer(decline, "You declined.")}>Decline</ActionButton>
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
