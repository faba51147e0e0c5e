/**
 * A button that does something at once, and the short reports of what happened. Success disappears by itself; a
 * failure stays until it is closed.
 */
import { makeStore, useStore } from "../api/store.ts"
import { Button, type ButtonProps, IconButton } from "./Button.tsx"
import { Icon } from "./Icon.tsx"
import { useState } from "preact/hooks"
import { messageOf } from "../api/client.ts"
import { useReadOnly } from "./ReadOnly.tsx"

type Tone = "good" | "bad"

/** The page with more about it. */
interface Link {
  readonly href: string
  readonly name: string
}

interface Toast {
  readonly id: number
  readonly tone: Tone
  readonly text: string
  readonly link: Link | undefined
}

const toasts = makeStore<ReadonlyArray<Toast>>([])
/** Long enough to read two lines. */
const SHOWN_MILLIS = 6_000
let count = 0

const remove = (id: number) => toasts.set(toasts.get().filter((one) => one.id !== id))

export const notify = (tone: Tone, text: string, link?: Link): void => {
  const id = ++count
  toasts.set([...toasts.get().filter((one) => one.text !== text), { id, tone, text, link }])
  if (tone === "good") window.setTimeout(() => remove(id), SHOWN_MILLIS)
}

/** Short reports of what happened. Success disappears by itself; a failure stays until it is closed. */
export const Toasts = () => (
  <div class="toasts" role="status" aria-live="polite">
    {useStore(toasts).map(({ id, link, text, tone }) => (
      <div class={`toast ${tone}`} key={id}>
        <Icon name={tone === "good" ? "check" : "warning"} />
        <p>
          {text}
          {link !== undefined && <a href={link.href} onClick={() => remove(id)}>{link.name}</a>}
        </p>
        <IconButton icon="close" label="Close this message" onClick={() => remove(id)} />
      </div>
    ))}
  </div>
)

interface ActionProps extends Omit<ButtonProps, "onClick" | "busy" | "action"> {
  readonly run: () => Promise<string | void>
}

/** A button that does something at once. Reports a text as success, and a failure with what to do. */
export const ActionButton = ({ run, ...rest }: ActionProps) => {
  const [busy, setBusy] = useState(false)
  const readOnly = useReadOnly()
  const locked = readOnly === undefined ? {} : { disabled: true, title: readOnly }
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
  return <Button {...rest} {...locked} busy={busy} onClick={() => void press()} />
}
