/** Dialogs that a button opens: a form, and a question before what stops something or cannot be undone. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button, type ButtonProps } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Form, type Submit, TextField, type Values } from "./Form.tsx"
import { useReadOnly } from "./ReadOnly.tsx"

interface OpenerProps extends Pick<ButtonProps, "icon" | "kind" | "off"> {
  /** On the button that opens it. */
  readonly action: string
  /** True if it destroys something: then the button that confirms it is red. Default: if the one that opens it is. */
  readonly destroys?: boolean
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
  const { action, children, destroys, heading, name, off, onInput, onSubmit, submit = action, ...button } = props
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState("")
  const readOnly = useReadOnly()
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
      <Button {...button} off={readOnly ?? off} aria-haspopup="dialog" onClick={() => setOpen(true)}>{action}</Button>
      {open && (
        <Dialog title={heading} onClose={close}>
          <Form
            submit={submit}
            danger={destroys ?? button.kind === "danger"}
            off={name !== undefined && typed !== name ? `Type ${name} first.` : undefined}
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
