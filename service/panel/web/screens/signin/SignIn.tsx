/**
 * Sign-in by passkey, by a single-use link, or by accepting an invitation. Links open a page with a button, because
 * mail scanners open them, too.
 */
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import type { OpenInvitation } from "../../../contract/Session.ts"
import { type ResponseOf, send } from "../../api/calls.ts"
import { messageOf } from "../../api/client.ts"
import { assertPasskey, loadSession, sessionState, supportsPasskeys } from "../../api/session.ts"
import { ActionButton } from "../../components/ActionButton.tsx"
import { Button } from "../../components/Button.tsx"
import { Form, present, TextField, type Values } from "../../components/Form.tsx"
import { Icon } from "../../components/Icon.tsx"
import { Loading, Notice } from "../../components/Page.tsx"

const linkToken = (): string | undefined => /^#([\w-]{20,})$/.exec(location.hash)?.[1]

type Mailed = ResponseOf<"POST /sign-in/invitation">

/** Longest name of a person, in characters. */
const NAME_MAX = 64

export const invitationText = ({ account, invited_by: by, permission }: OpenInvitation): string => {
  const what = account === null ? "the panel as an operator" : `the account ${account}`
  return `${by ?? "Your host"} invites you to ${what}.${
    permission === "read" ? " You will see it, and not change it." : ""
  }`
}

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
    <main class="sign-in">
      <div class="card">
        <Icon name="people" />
        <h1>Invitation</h1>
        {state.kind === "loading" && <Loading lines={2} />}
        {state.kind === "failed" && <Notice tone="bad">{state.text}</Notice>}
        {state.kind === "declined" && <Notice tone="good">You declined. You can close this page.</Notice>}
        {state.kind === "open" && (
          <Open
            invitation={state.invitation}
            token={token!}
            onDeclined={() => setState({ kind: "declined" })}
          />
        )}
        {state.kind !== "open" && <a href="/panel">Open the panel</a>}
      </div>
    </main>
  )
}

const NO_PASSKEYS = "Passkeys need https, or http://localhost. Open the panel at such an address, or use a link."

/** Undefined until it is known whether the service sends mail. */
const useSendsMail = (): boolean | undefined => {
  const [sends, setSends] = useState<boolean>()
  useEffect(() => {
    send("GET /sign-in/options").then(({ mail }) => setSends(mail)).catch(() => undefined)
  }, [])
  return sends
}

/** The way in without a passkey. */
const MailLink = () => {
  const sends = useSendsMail()
  const [sent, setSent] = useState(false)
  if (sends === undefined) return null
  if (!sends) return <p class="muted">No passkey at hand? This service sends no mail: ask your host for a link.</p>
  if (sent) {
    return (
      <Notice tone="good">
        If the address is known here, a link is on its way to it. The link works once, within a day.
      </Notice>
    )
  }
  return (
    <Form
      submit="Mail me a link"
      secondary
      onSubmit={async ({ required }) => {
        await send("POST /sign-in/mail", { body: { email: required.text("email") } })
        setSent(true)
      }}
    >
      <p class="muted">No passkey at hand?</p>
      <TextField name="email" label="Email" type="email" required maxLength={254} autocomplete="email" />
    </Form>
  )
}

interface ChoiceProps {
  readonly token: string | undefined
  readonly run: (by: "link" | "passkey") => void
}

const Choice = ({ run, token }: ChoiceProps) =>
  token !== undefined
    ? (
      <>
        <p>You opened a sign-in link. It works once.</p>
        <Button kind="primary" onClick={() => run("link")}>Sign in</Button>
      </>
    )
    : (
      <>
        <p>Use the passkey of this device, of your phone, or of a security key.</p>
        <Button kind="primary" icon="key" disabled={!supportsPasskeys()} onClick={() => run("passkey")}>
          Sign in with a passkey
        </Button>
        {!supportsPasskeys() && <Notice tone="warn">{NO_PASSKEYS}</Notice>}
        <MailLink />
      </>
    )

export const SignIn = () => {
  const { path, route } = useLocation()
  const [token, setToken] = useState(linkToken)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const run = async (by: "link" | "passkey") => {
    setBusy(true)
    setFailure(undefined)
    try {
      if (token !== undefined) await send("POST /sign-in/link", { body: { token } })
      else await assertPasskey("POST /sign-in/passkey")
      await loadSession()
      if (path.startsWith("/panel/sign-in")) route(by === "link" ? "/panel/profile" : "/panel", true)
    } catch (error) {
      setFailure(messageOf(error))
      // A link that failed once fails again: what remains are the other ways.
      setToken(undefined)
    } finally {
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <div class="card" aria-busy={busy}>
        <Icon name="instances" />
        <h1>Sign in</h1>
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
        <Choice token={token} run={(by) => void run(by)} />
      </div>
    </main>
  )
}
