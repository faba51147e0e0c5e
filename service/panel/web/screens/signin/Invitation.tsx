/** Accepting or declining an invitation by its link. The page has a button, because mail scanners open links, too. */
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { type ResponseOf, send } from "../../api/calls.ts"
import { messageOf } from "../../api/client.ts"
import { invitationText, linkToken, loadSession, sessionState } from "../../api/session.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Form, present, TextField, type Values } from "../../components/Form.tsx"
import { Loading, Notice } from "../../components/Page.tsx"
import { Frame } from "./Frame.tsx"

type Mailed = ResponseOf<"POST /sign-in/invitation">

/** Longest name of a person, in characters. */
const NAME_MAX = 64

const Open = ({ invitation, token, onDeclined }: {
  readonly invitation: Mailed
  readonly token: string
  readonly onDeclined: () => void
}) => {
  const { route } = useLocation()
  const accept = async ({ text }: Values) => {
    await send("POST /sign-in/invitation/accept", { body: present({ token, name: text("name") }) })
    await loadSession()
    const state = sessionState.get()
    route(state.kind === "in" && state.session.passkeys ? "/panel" : "/panel/profile", true)
  }
  const decline = async () => {
    await send("POST /sign-in/invitation/decline", { body: { token } })
    onDeclined()
  }
  return (
    <>
      <p>{invitationText(invitation)}</p>
      <p class="muted">You accept as {invitation.email}, and are signed in.</p>
      <Form submit="Accept" onSubmit={accept}>
        {invitation.is_new && (
          <TextField name="name" label="Your name" required maxLength={NAME_MAX} autocomplete="name" />
        )}
      </Form>
      <ActionButton kind="quiet" run={decline}>Decline</ActionButton>
    </>
  )
}

const NO_TOKEN = "This address is not complete. Open the link in the mail again."

type State =
  | { readonly kind: "loading" }
  | { readonly kind: "failed"; readonly text: string }
  | { readonly kind: "open"; readonly invitation: Mailed }
  | { readonly kind: "declined" }

export const Invitation = () => {
  const [token] = useState(linkToken)
  const [state, setState] = useState<State>({ kind: "loading" })
  useEffect(() => {
    if (token === undefined) return setState({ kind: "failed", text: NO_TOKEN })
    send("POST /sign-in/invitation", { body: { token } })
      .then((invitation) => setState({ kind: "open", invitation }))
      .catch((error: unknown) => setState({ kind: "failed", text: messageOf(error) }))
  }, [token])
  return (
    <Frame title="Invitation" icon="people">
      {state.kind === "loading" && <Loading lines={2} />}
      {state.kind === "failed" && <Notice tone="bad" live>{state.text}</Notice>}
      {state.kind === "declined" && <Notice tone="good">You declined. You can close this page.</Notice>}
      {state.kind === "open" && (
        <Open
          invitation={state.invitation}
          token={token!}
          onDeclined={() => setState({ kind: "declined" })}
        />
      )}
      {state.kind !== "open" && <a href="/panel">Open the panel</a>}
    </Frame>
  )
}
