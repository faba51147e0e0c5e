/** The wallet of an account, with what operators book. Each booking has a reason that the customer reads. */
import { useState } from "preact/hooks"
import { newKey } from "../../api/client.ts"
import { execute, type ResultOf, ROWS, useCommand } from "../../api/commands.ts"
import { money } from "../../api/format.ts"
import { CheckField, present, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/Dialog.tsx"
import { Section } from "../../components/Page.tsx"
import { Loaded } from "../../components/State.tsx"
import { Statement, type StatementLine } from "../account/Statement.tsx"
import { instanceHref } from "./AllInstances.tsx"
import { Reason, REASON_MAX } from "./Reason.tsx"

const AmountField = ({ currency }: { readonly currency: string }) => (
  <TextField name="amount" label={`Amount in ${currency}`} type="number" min={0.01} step={0.01} required />
)

interface AccountProps {
  readonly account: ResultOf<"accounts.show">
}

const TopUp = ({ account: { currency, id } }: AccountProps) => {
  const book = async ({ required, text }: Values) => {
    const amount = required.number("amount")
    await execute("wallet.top_up", present({ account_id: id, amount, reference: text("reference") }))
    return `${money(amount, currency)} are booked.`
  }
  return (
    <FormDialog action="Top up" kind="primary" heading="Book a payment" submit="Book the payment" onSubmit={book}>
      <AmountField currency={currency} />
      <TextField
        name="reference"
        label="Reference of the payment"
        maxLength={REASON_MAX}
        hint="For example, the bank's number of the transfer. The same reference is booked only once."
      />
    </FormDialog>
  )
}

const Debit = ({ account: { currency, id } }: AccountProps) => {
  // The same for every attempt of this form: a lost response books nothing twice.
  const [reference, setReference] = useState(newKey)
  const book = async ({ checked, required: { number, text } }: Values) => {
    const payout = checked("payout")
    const input = { account_id: id, amount: number("amount"), reason: text("reason"), payout, reference }
    await execute("wallet.debit", input)
    setReference(newKey())
    return "The debit is booked."
  }
  return (
    <FormDialog action="Debit" heading="Take money out of the wallet" submit="Book the debit" onSubmit={book}>
      <AmountField currency={currency} />
      <Reason hint="The customer reads it." />
      <CheckField
        name="payout"
        label="It was paid back to the customer"
        hint="Otherwise it is a charge, with the customer's VAT."
      />
    </FormDialog>
  )
}

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

export const AccountMoney = ({ account }: AccountProps) => {
  const query = useCommand("wallet.statement", { account_id: account.id, limit: ROWS })
  const actions = (
    <>
      <TopUp account={account} />
      <Debit account={account} />
    </>
  )
  return (
    <Section title="Wallet" note={money(account.wallet, account.currency)} actions={actions}>
      <Loaded query={query} lines={5}>
        {(lines) => (
          <Statement
            lines={lines}
            hrefOf={instanceHref}
            advice="Book the customer's first payment."
            actions={(line) => line.amount < 0 && !NOT_CHARGES.has(line.kind) ? <Refund line={line} /> : null}
          />
        )}
      </Loaded>
    </Section>
  )
}
