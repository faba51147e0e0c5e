/** Sign-in by passkey, or by a single-use link. The link's page is a button, because mail scanners open links. */
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { send } from "../../api/calls.ts"
import { messageOf } from "../../api/client.ts"
import { assertPasskey, supportsPasskeys } from "../../api/passkeys.ts"
import { loadSession } from "../../api/session.ts"
import { Button } from "../../components/Button.tsx"
import { Form, TextField } from "../../components/Form.tsx"
import { Icon } from "../../components/Icon.tsx"
import { Notice } from "../../components/State.tsx"
import { linkToken } from "./linkToken.ts"

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
