/** A button that does something at once. Reports a text as success, and a failure with what to do. */
import { useState } from "preact/hooks"
import { messageOf } from "../api/client.ts"
import { Button, type ButtonProps } from "./Button.tsx"
import { notify } from "./Toasts.tsx"

interface ActionProps extends Omit<ButtonProps, "onClick" | "busy" | "action"> {
  readonly run: () => Promise<string | void>
}

export const ActionButton = ({ run, ...rest }: ActionProps) => {
  const [busy, setBusy] = useState(false)
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
  return <Button {...rest} busy={busy} onClick={() => void press()} />
}
