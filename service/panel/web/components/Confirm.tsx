/** A question before something that cannot be undone; for the worst, the name must be typed. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button, type ButtonProps } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Form, TextField } from "./Form.tsx"
import { notify } from "./Toasts.tsx"

interface ConfirmProps extends Pick<ButtonProps, "disabled" | "icon" | "kind" | "title"> {
  /** On the button, and on the one that confirms. */
  readonly action: string
  readonly question: string
  /** To be typed before the action. */
  readonly name?: string
  readonly run: () => Promise<string | void>
  /** The consequences. */
  readonly children?: ComponentChildren
}

export const Confirm = ({ action, children, kind = "plain", name, question, run, ...button }: ConfirmProps) => {
  const [open, setOpen] = useState(false)
  const [typed, setTyped] = useState("")
  const close = () => {
    setTyped("")
    setOpen(false)
  }
  const submit = async () => {
    const text = await run()
    close()
    if (text !== undefined) notify("good", text)
  }
  return (
    <>
      <Button {...button} kind={kind} aria-haspopup="dialog" onClick={() => setOpen(true)}>{action}</Button>
      {open && (
        <Dialog title={question} onClose={close}>
          <Form
            submit={action}
            danger={kind === "danger"}
            disabled={name !== undefined && typed !== name}
            onCancel={close}
            onSubmit={submit}
            onInput={({ text }) => setTyped(text("confirmed_name") ?? "")}
          >
            <div class="prose">{children}</div>
            {name !== undefined && <TextField name="confirmed_name" label={`Type ${name} to confirm`} />}
          </Form>
        </Dialog>
      )}
    </>
  )
}
