/** The way in without a passkey: a link by mail, or from the host. */
import { useEffect, useRef, useState } from "preact/hooks"
import { send } from "../../api/calls.ts"
import { Button } from "../../components/Button.tsx"
import { Form, TextField, type Values } from "../../components/Form.tsx"
import { Notice } from "../../components/Page.tsx"
import { AskHost } from "../../components/Brand.tsx"

/** Of the service: `unknown` if it does not answer. */
export type SendsMail = boolean | "unknown"

/** Undefined until it is known. */
export const useSendsMail = (): SendsMail | undefined => {
  const [sends, setSends] = useState<SendsMail>()
  useEffect(() => {
    send("GET /sign-in/options").then(({ mail }) => setSends(mail)).catch(() => setSends("unknown"))
  }, [])
  return sends
}

/** Moves the focus to the notice, which replaces the form that had it. */
const useFocus = () => {
  const element = useRef<HTMLDivElement>(null)
  useEffect(() => element.current?.querySelector<HTMLElement>(".notice")?.focus(), [])
  return element
}

/** The steps after a mail was requested. The text is the same for an address that is not known. */
export const Sent = ({ email, onAgain }: { readonly email: string; readonly onAgain: () => void }) => (
  <div class="stack" ref={useFocus()}>
    <Notice tone="good" title="Check your mail">
      If the address is known here, a link is on its way to it. The link works once, within a day.
    </Notice>
    <p>
      Open the link in the mail to <strong>{email}</strong>, and press the button on its page. You are then signed in.
    </p>
    <p class="muted">
      No mail after five minutes? Look into the spam folder, and check the address: it must be the one that you were
      invited with. If none arrives, <AskHost>ask your host</AskHost> for a link.
    </p>
    <Button onClick={onAgain}>Use another address</Button>
  </div>
)

/** The way back for those who lost a passkey. */
const Lost = () => (
  <p class="muted">
    Lost your passkey? Mail yourself a link, sign in with it, remove the lost passkey on the next page, and add a new
    one.
  </p>
)

const NoMail = () => (
  <p class="muted">
    No passkey yet, or lost it? This service sends no mail: <AskHost>ask your host</AskHost>{" "}
    for a link that signs you in. On the next page, remove the lost passkey, and add a new one.
  </p>
)

interface MailLinkProps {
  /** True where passkeys cannot be used, so that this is the only way. */
  readonly alone: boolean
  readonly sends: SendsMail
  readonly onSent: (email: string) => void
}

export const MailLink = ({ alone, onSent, sends }: MailLinkProps) => {
  if (sends === "unknown") return null
  if (!sends) return <NoMail />
  const mail = async ({ required }: Values) => {
    const email = required.text("email")
    await send("POST /sign-in/mail", { body: { email } })
    onSent(email)
  }
  return (
    <>
      {!alone && <p class="or">or</p>}
      <Form submit="Mail me a link" secondary={!alone} onSubmit={mail}>
        <TextField
          name="email"
          label="Email"
          type="email"
          required
          maxLength={254}
          autocomplete="email"
          placeholder="you@example.com"
        />
      </Form>
      <Lost />
    </>
  )
}
