/** Prompts for a fresh sign-in when a call needs one; then the call is sent again. */
import { useState } from "preact/hooks"
import { freshRequest, messageOf, post } from "../api/client.ts"
import { assertPasskey } from "../api/passkeys.ts"
import { loadSession, useSession } from "../api/session.ts"
import { useStore } from "../api/store.ts"
import { Button, LinkButton } from "../components/Button.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { Notice } from "../components/State.tsx"

export const FreshSignIn = () => {
  const done = useStore(freshRequest)
  const { emulator, passkeys } = useSession()
  // The emulator's people may confirm without a passkey: its money is play money.
  const possible = passkeys || emulator
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  if (done === undefined) return null
  const confirm = async () => {
    setBusy(true)
    setFailure(undefined)
    try {
      if (passkeys) await assertPasskey("/session/fresh")
      else await post("/session/fresh", {})
      await loadSession()
      done(true)
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return (
    <Dialog title="Confirm that it is you" onClose={() => done(false)}>
      <p>This changes money or access, so it needs a sign-in within the last five minutes.</p>
      {!possible && <Notice tone="warn">You have no passkey yet. Set one up first, it takes a minute.</Notice>}
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      <footer>
        <Button onClick={() => done(false)}>Cancel</Button>
        {possible
          ? (
            <Button kind="primary" icon="key" busy={busy} onClick={() => void confirm()}>
              {passkeys ? "Use a passkey" : "It is me"}
            </Button>
          )
          : <LinkButton kind="primary" href="/panel/profile">Set up a passkey</LinkButton>}
      </footer>
    </Dialog>
  )
}
