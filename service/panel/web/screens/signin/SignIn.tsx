/**
 * Sign-in by passkey, or by a single-use link. A link opens a page with a button, because mail scanners open links,
 * too.
 */
import { useEffect, useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import { send } from "../../api/calls.ts"
import { messageOf } from "../../api/client.ts"
import { assertPasskey, enter, linkToken, loadSession, passkeyProblem, sessionState } from "../../api/session.ts"
import { useStore } from "../../api/store.ts"
import { Button } from "../../components/Button.tsx"
import { Loading, Notice } from "../../components/Page.tsx"
import { Frame } from "./Frame.tsx"
import { MailLink, Sent, useSendsMail } from "./MailLink.tsx"

interface ChoiceProps {
  readonly token: string | undefined
  readonly busy: boolean
  readonly run: (by: "link" | "passkey") => void
}

const ByPasskey = ({ busy, run }: Pick<ChoiceProps, "busy" | "run">) => (
  <>
    <p class="muted">Use the passkey of this device, of your phone, or of a security key.</p>
    <Button kind="primary" icon="key" busy={busy} onClick={() => run("passkey")}>Sign in with a passkey</Button>
  </>
)

const ByLink = ({ busy, run }: Pick<ChoiceProps, "busy" | "run">) => (
  <>
    <p class="muted">You opened a sign-in link. It works once.</p>
    <Button kind="primary" busy={busy} onClick={() => run("link")}>Sign in</Button>
  </>
)

const Choice = ({ busy, run, token }: ChoiceProps) => {
  const [mailedTo, setMailedTo] = useState<string>()
  const sends = useSendsMail()
  if (token !== undefined) return <ByLink busy={busy} run={run} />
  if (mailedTo !== undefined) return <Sent email={mailedTo} onAgain={() => setMailedTo(undefined)} />
  // All ways in at once: a button that moves is missed.
  if (sends === undefined) return <Loading lines={6} />
  const problem = passkeyProblem()
  return (
    <>
      {problem === undefined
        ? <ByPasskey busy={busy} run={run} />
        : <Notice tone="warn">{problem} Or sign in by a link.</Notice>}
      <MailLink alone={problem !== undefined} sends={sends} onSent={setMailedTo} />
    </>
  )
}

/** The person may sign in by a mailed link, in another tab: this one then continues. */
const useReturn = (ended: boolean) =>
  useEffect(() => {
    if (!ended) return undefined
    const look = () => document.visibilityState === "visible" && void send("GET /session").then(enter, () => undefined)
    document.addEventListener("visibilitychange", look)
    return () => document.removeEventListener("visibilitychange", look)
  }, [ended])

const ENDED =
  "Your session has ended. After the sign-in you are where you were, with the order that you were filling in."

export const SignIn = () => {
  const { path, route } = useLocation()
  const [token, setToken] = useState(linkToken)
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const state = useStore(sessionState)
  const ended = state.kind === "out" && state.ended === true
  useReturn(ended)
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
    <Frame title="Sign in" icon="instances" busy={busy}>
      {ended && <Notice tone="info">{ENDED}</Notice>}
      {failure !== undefined && <Notice tone="bad" live>{failure}</Notice>}
      <Choice token={token} busy={busy} run={(by) => void run(by)} />
    </Frame>
  )
}
