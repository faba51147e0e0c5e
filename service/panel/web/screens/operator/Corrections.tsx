/** Corrections of a line of a statement by an operator: a charge is refunded, a payment is moved to its account. */
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

const MovePayment = ({ line: { amount, currency, description, reference } }: { readonly line: StatementLine }) => {
  const move = async ({ required }: Values) => {
    const to = required.number("to_account_id")
    const { from_wallet: left } = await execute("wallet.move_payment", {
      reference: paymentOf(reference),
      to_account_id: to,
      reason: required.text("reason")
    })
    return `The payment is on account ${to}.${left < 0 ? ` This account owes ${money(-left, currency)}.` : ""}`
  }
  return (
    <FormDialog action="Move" kind="quiet" heading={`Move ${description}`} submit="Move the payment" onSubmit={move}>
      <p>It was booked on the wrong account: {money(amount, currency)} leave this wallet, also if they are spent.</p>
      <TextField name="to_account_id" label="Number of the account it belongs to" type="number" min={1} required />
      <Reason hint="This customer reads it." />
    </FormDialog>
  )
}

/** The name of a payment that may have been moved before. */
const paymentOf = (reference: string): string => reference.replace(/^again:\d+:/, "").replace(/^top_up:/, "")

const NOT_CHARGES = new Set(["top_up", "refund", "payout"])

/** The action of a line of a statement. */
export const correctionOf = (line: StatementLine) => {
  if (line.kind === "top_up") return <MovePayment line={line} />
  return line.amount < 0 && !NOT_CHARGES.has(line.kind) ? <Refund line={line} /> : null
}
