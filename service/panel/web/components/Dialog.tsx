/** Dialogs: any content, a form, a question before what cannot be undone, and a secret that is shown once. */
import type { ComponentChildren } from "preact"
import { useId, useLayoutEffect, useRef, useState } from "preact/hooks"
import { Button, type ButtonProps, IconButton } from "./Button.tsx"
import { Form, type Submit, TextField, type Values } from "./Form.tsx"
import { useReadOnly } from "./ReadOnly.tsx"
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

interface OpenerProps extends Pick<ButtonProps, "disabled" | "icon" | "kind" | "title"> {
  /** On the button that opens it. */
  readonly action: string
  /** To be typed before what cannot be undone. */
  readonly name?: string
  readonly children?: ComponentChildren
}

interface FormDialogProps extends OpenerProps {
  readonly heading: string
  /** On the button that sends it: the action by default. */
  readonly submit?: string
  readonly onSubmit: Submit
  readonly onInput?: (values: Values) => void
}

export const FormDialog = (props: FormDialogProps) => {
  const { action, children, heading, name, onInput, onSubmit, submit = action, ...button } = props
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState("")
  const readOnly = useReadOnly()
  const locked = readOnly === undefined ? {} : { disabled: true, title: readOnly }
  const close = () => {
    setTyped("")
    setOpen(false)
  }
  const send = async (values: Values) => {
    const text = await onSubmit(values)
    close()
    return text
  }
  return (
    <>
      <Button {...button} {...locked} aria-haspopup="dialog" onClick={() => setOpen(true)}>{action}</Button>
      {open && (
        <Dialog title={heading} onClose={close}>
          <Form
            submit={submit}
            danger={button.kind === "danger"}
            disabled={name !== undefined && typed !== name}
            onCancel={close}
            onSubmit={send}
            onInput={(values) => {
              setTyped(values.text("confirmed_name") ?? "")
              onInput?.(values)
            }}
          >
            {children}
            {name !== undefined && <TextField name="confirmed_name" label={`Type ${name} to confirm`} />}
          </Form>
        </Dialog>
      )}
    </>
  )
}

interface ConfirmProps extends OpenerProps {
  readonly question: string
  /** On the button that confirms it: the action by default. */
  readonly submit?: string
  readonly run: () => Promise<string | void>
}

/** Its children are the consequences. */
export const Confirm = ({ children, question, run, ...opener }: ConfirmProps) => (
  <FormDialog {...opener} heading={question} onSubmit={run}>
    <div class="prose">{children}</div>
  </FormDialog>
)

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
