/** A button that opens a form in a dialog. The dialog closes when the form is done. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button, type ButtonProps } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Form, type Values } from "./Form.tsx"
import { notify } from "./Toasts.tsx"

interface FormDialogProps extends Pick<ButtonProps, "disabled" | "icon" | "kind" | "title"> {
  /** On the button that opens it. */
  readonly action: string
  readonly heading: string
  readonly submit: string
  /** A text is reported as success. */
  readonly onSubmit: (values: Values) => Promise<string | void>
  readonly children?: ComponentChildren
}

export const FormDialog = ({ action, children, heading, onSubmit, submit, ...button }: FormDialogProps) => {
  const [open, setOpen] = useState(false)
  const close = () => setOpen(false)
  const send = async (values: Values) => {
    const text = await onSubmit(values)
    close()
    if (text !== undefined) notify("good", text)
  }
  return (
    <>
      <Button {...button} aria-haspopup="dialog" onClick={() => setOpen(true)}>{action}</Button>
      {open && (
        <Dialog title={heading} onClose={close}>
          <Form submit={submit} danger={button.kind === "danger"} onCancel={close} onSubmit={send}>{children}</Form>
        </Dialog>
      )}
    </>
  )
}
