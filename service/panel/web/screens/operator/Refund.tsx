/** The refund of a charge on a statement. */
import { useState } from "preact/hooks"
import { execute } from "../../api/calls.ts"
import { newKey } from "../../api/client.ts"
import { money } from "../../api/format.ts"
import { FormDialog } from "../../components/FormDialog.tsx"
import { present, TextField, type Values } from "../../components/Form.tsx"
import type { StatementLine } from "../account/Wallet.tsx"
import { Reason } from "./CommandList.tsx"

const Refund = ({ line: { amount, currency, id } }: { readonly line: StatementLine }) => {
  const [reference, setReference] = useState(newKey)
  const book = async ({ number, required }: Values) => {
    const input = { line: id, amount: number("amount"), reason: required.text("reason"), reference }
    await execute("wallet.refund", present(input))
    setReference(newKey())
    return "The refund is booked."
  }
  return (
    <FormDialog action="Refund" kind="quiet" heading={`Refund line ${id}`} submit="Book the refund" onSubmit={book}>
      <TextField
        name="amount"
        label={`Amount in ${currency}`}
        type="number"
        min={0.01}
        max={-amount}
        step={0.01}
        hint={`All that was not refunded yet if it is empty, at most ${money(-amount, currency)}.`}
      />
      <Reason hint="The customer reads it." />
    </FormDialog>
  )
}

const NOT_CHARGES = new Set(["top_up", "refund", "payout"])

/** The action of a line of a statement. */
export const refundOf = (line: StatementLine) =>
  line.amount < 0 && !NOT_CHARGES.has(line.kind) ? <Refund line={line} /> : null
