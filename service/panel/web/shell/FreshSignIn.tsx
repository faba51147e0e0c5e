/**
 * Prompts for a fresh sign-in when a call needs one; then the call is sent again. The screen below stays as it is, with
 * all that was typed.
 */
import { useState } from "preact/hooks"
import { send } from "../api/calls.ts"
import { messageOf } from "../api/client.ts"
import { assertPasskey, enter, useSession } from "../api/session.ts"
import { Button } from "../components/Button.tsx"
import { Dialog } from "../components/Dialog.tsx"
import { Notice } from "../components/Page.tsx"

/** Runs one step of the confirmation at a time, and keeps the reason of a failure. */
const useSteps = () => {
  const [busy, setBusy] = useState(false)
  const [failure, setFailure] = useState<string>()
  const run = async (step: () => Promise<void>) => {
    setBusy(true)
    setFailure(undefined)
    try {
      await step()
    } catch (error) {
      setFailure(messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return { busy, failure, run }
}

interface ConfirmProps {
  readonly done: (confirmed: boolean) => void
}

const Cancel = ({ done }: ConfirmProps) => <Button onClick={() => done(false)}>Cancel</Button>

const Confirm = ({ done }: ConfirmProps) => {
  const { passkeys } = useSession()
  const { busy, failure, run } = useSteps()
  const confirm = async () => {
    enter(await (passkeys ? assertPasskey("POST /session/fresh") : send("POST /session/fresh", { body: {} })))
    done(true)
  }
  return (
    <>
      {failure !== undefined && <Notice tone="bad" live>{failure}</Notice>}
      <footer>
        <Cancel done={done} />
        <Button kind="primary" icon="key" busy={busy} onClick={() => void run(confirm)}>
          {passkeys ? "Use a passkey" : "It is me"}
        </Button>
      </footer>
    </>
  )
}

const NOT_OPENED = "The link was not opened in this browser yet. Open it, then continue."

/** Without a passkey, a new link is the only proof. It gives this browser a new session, which this page then uses. */
const ByLink = ({ done }: ConfirmProps) => {
  const { fresh_until: before, person: { email } } = useSession()
  const [mailed, setMailed] = useState(false)
  const { busy, failure, run } = useSteps()
  const mail = async () => {
    await send("POST /sign-in/mail", { body: { email } })
    setMailed(true)
  }
  const proceed = async () => {
    const session = await send("GET /session")
    if (session.fresh_until <= before) throw new Error(NOT_OPENED)
    enter(session)
    done(true)
  }
  return (
    <>
      {mailed
        ? <p>Open the link in the mail to {email} in this browser. Then come back to this page, and continue.</p>
        : <p>You have no passkey to confirm with. Get a link by mail, and add a passkey under Security afterwards.</p>}
      {failure !== undefined && <Notice tone="bad" live>{failure}</Notice>}
      <footer>
        <Cancel done={done} />
        <Button kind="primary" busy={busy} onClick={() => void run(mailed ? proceed : mail)}>
          {mailed ? "Continue" : "Mail me a link"}
        </Button>
      </footer>
    </>
  )
}

export const FreshSignIn = ({ done }: ConfirmProps) => {
  const { emulator, passkeys } = useSession()
  // The emulator's people may confirm without a passkey: its money is play money.
  const Way = passkeys || emulator ? Confirm : ByLink
  return (
    <Dialog title="Confirm that it is you" onClose={() => done(false)}>
      <p>This changes money or access, so it needs a sign-in within the last five minutes.</p>
      <Way done={done} />
    </Dialog>
  )
}
