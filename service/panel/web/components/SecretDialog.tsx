/** A secret that is shown only once, such as a new API key. */
import type { ComponentChildren } from "preact"
import { Button } from "./Button.tsx"
import { Dialog } from "./Dialog.tsx"
import { Copyable } from "./Values.tsx"

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
