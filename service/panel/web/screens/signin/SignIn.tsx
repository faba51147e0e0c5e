/** Sign-in by passkey, or by a single-use link. The link's page is a button, because mail scanners open links. */
import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { messageOf, post } from "../../api/client.ts"
import { assertPasskey, supportsPasskeys } from "../../api/passkeys.ts"
import { loadSession } from "../../api/session.ts"
import { Button } from "../../components/Button.tsx"
import { Icon } from "../../components/Icon.tsx"
import { Notice } from "../../components/State.tsx"

const NO_PASSKEYS = "Passkeys need https, or http://localhost. Open the panel at such an address, or use a link."

/** The part after `#` is never sent to a server, so it is in no log. */
const linkToken = (): string | undefined => /^#([\w-]{20,})$/.exec(location.hash)?.[1]

const Choice = (
  { token, run }: { readonly token: string | undefined; readonly run: (by: "link" | "passkey") => void }
) =>
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
        <p class="muted">
          New here, or no passkey at hand? Ask your host for a sign-in link. People of your account can make one, too.
        </p>
      </>
    )

export const SignIn = () => {
  const { path, route } = useLocation()
  const [token] = useState(linkToken)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const run = async (by: "link" | "passkey") => {
    setBusy(true)
    setFailure(undefined)
    try {
      if (by === "link") await post("/sign-in/link", { token })
      else await assertPasskey("/sign-in/passkey")
      await loadSession()
      if (path.startsWith("/panel/sign-in")) route(by === "link" ? "/panel/profile" : "/panel", true)
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <main class="sign-in">
      <div class="card" aria-busy={busy}>
        <Icon name="instances" />
        <h1>Sign in</h1>
        <Choice token={token} run={(by) => void run(by)} />
        {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      </div>
    </main>
  )
}
