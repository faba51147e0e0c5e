/**
 * A button that does something at once, and the short reports of what happened. Success disappears by itself; a
 * failure stays until it is closed.
 */
import { useStore } from "../api/store.ts"
import { announced, closeToast, notify, toasts } from "../api/toasts.ts"
import { Button, type ButtonProps, IconButton } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import { useState } from "preact/hooks"
import { messageOf } from "../api/client.ts"
import { useReadOnly } from "./ReadOnly.tsx"

/** Texts that the page shows elsewhere are only said here: each event has this one live region. */
const Said = () => {
  const said = useStore(announced)
  return said === undefined ? null : <p class="hidden" key={said.id}>{said.text}</p>
}

/** Short reports of what happened. Success disappears by itself; a failure stays until it is closed. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    <Said />
    {useStore(toasts).map(({ id, link, text, tone }) => (
      <div class={`toast ${tone}`} key={id}>
        <Icon name={tone === "good" ? "check" : "warning"} />
        <p>
          {text}
          {link !== undefined && <a href={link.href} onClick={() => closeToast(id)}>{link.name}</a>}
        </p>
        <IconButton icon="close" label="Close this message" onClick={() => closeToast(id)} />
      </div>
    ))}
  </div>
)

interface ActionProps extends Omit<ButtonProps, "onClick" | "busy" | "action"> {
  readonly run: () => Promise<string | void>
}

/** A button that does something at once. Reports a text as success, and a failure with what to do. */
export const ActionButton = ({ off, run, ...rest }: ActionProps) => {
  const [busy, setBusy] = useState(false)
  const readOnly = useReadOnly()
  const press = async () => {
    setBusy(true)
    try {
      const text = await run()
      if (text !== undefined) notify("good", text)
    } catch (error) {
      notify("bad", messageOf(error))
    } finally {
      setBusy(false)
    }
  }
  return <Button {...rest} off={readOnly ?? off} busy={busy} onClick={() => void press()} />
}
