/** Dialogs with any content, and with a secret that is shown once. */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef } from "preact/hooks"
import { Button, IconButton } from "./Button.tsx"
import { Copyable } from "./Values.tsx"

/** Gets the focus first: otherwise, the browser chooses the button that closes the dialog. */
const FIELD = "input:not([type=file]), select, textarea"

interface DialogProps {
  readonly title: string
  readonly onClose: () => void
  readonly wide?: boolean
  /** True if only a button of its content closes it: it shows what is never shown again. */
  readonly stays?: boolean
  readonly children?: ComponentChildren
}

export const Dialog = ({ children, onClose, stays = false, title, wide = false }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Before the page is painted: a key that is pressed meanwhile would move the focus away from the opener.
  useLayoutEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    // A second press of the key that opened it must not press a button of it.
    const first = stays ? element?.querySelector("h2") : element?.querySelector<HTMLElement>(FIELD)
    first?.focus()
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const cancel = (event: Event) => {
    event.preventDefault()
    if (!stays) onClose()
  }
  // A browser closes a dialog that is cancelled twice, although the first was refused. Only its button ends this one.
  const again = () => {
    const element = dialog.current
    if (stays && element?.isConnected === true && !element.open) element.showModal()
  }
  return (
    <dialog
      ref={dialog}
      class={wide ? "dialog wide" : "dialog"}
      aria-labelledby={heading}
      onCancel={cancel}
      onClose={again}
    >
      <header>
        <h2 id={heading} tabIndex={stays ? -1 : undefined}>{title}</h2>
        {!stays && <IconButton icon="close" label="Close" onClick={onClose} />}
      </header>
      {children}
    </dialog>
  )
}

interface SecretProps {
  readonly title: string
  /** Null if it was sent to someone else. */
  readonly secret: string | null
  /** Such as "the password". */
  readonly what: string
  readonly onClose: () => void
  readonly children?: ComponentChildren
}

export const SecretDialog = ({ children, onClose, secret, title, what }: SecretProps) => (
  <Dialog title={title} onClose={onClose} stays={secret !== null}>
    {secret !== null && (
      <div class="secret">
        <Copyable text={secret} what={what} />
      </div>
    )}
    {children}
    <footer>
      <Button kind="primary" onClick={onClose}>Done</Button>
    </footer>
  </Dialog>
)
