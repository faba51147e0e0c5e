/** The reason of an operator: the audit log keeps it, and the customer sees it where the hint says so. */
import { TextField } from "../../components/Form.tsx"

/** Longest reason, note, or reference, in characters. */
export const REASON_MAX = 255

interface ReasonProps {
  /** The readers. */
  readonly hint: string
  readonly label?: string
  readonly name?: string
  readonly required?: boolean
}

export const Reason = ({ hint, label = "Reason", name = "reason", required = true }: ReasonProps) => (
  <TextField
    name={name}
    label={label}
    required={required}
    maxLength={REASON_MAX}
    hint={`${hint} At most ${REASON_MAX} characters.`}
  />
)
