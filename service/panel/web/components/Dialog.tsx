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
  readonly children?: ComponentChildren
}

export const Dialog = ({ children, onClose, title, wide = false }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const heading = useId()
  // Before the page is painted: a key that is pressed meanwhile would move the focus away from the opener.
  useLayoutEffect(() => {
    const element = dialog.current
    const opener = document.activeElement
    element?.showModal()
    element?.querySelector<HTMLElement>(FIELD)?.focus()
    return () => {
      element?.close()
      if (opener instanceof HTMLElement && opener.isConnected) opener.focus()
    }
  }, [])
  const cancel = (event: Event) => {
    event.preventDefault()
    onClose()
  }
  return (
    <dialog ref={dialog} class={wide ? "dialog wide" : "dialog"} aria-labelledby={heading} onCancel={cancel}>
      <header>
        <h2 id={heading}>{title}</h2>
        <IconButton icon="close" label="Close" onClick={onClose} />
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
  <Dialog title={title} onClose={onClose}>
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
