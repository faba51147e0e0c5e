/** The wallet of an account, with what operators book. Each booking has a reason that the customer reads. */
import { useState } from "preact/hooks"
import { newKey } from "../../api/client.ts"
import { money } from "../../api/format.ts"
import { CheckField, TextField, type Values } from "../../components/Form.tsx"
import { FormDialog } from "../../components/FormDialog.tsx"
import { Section } from "../../components/Page.tsx"
import { Empty, Loaded } from "../../components/State.tsx"
import { Statement, type StatementLine } from "../account/Statement.tsx"
import { REASON_MAX } from "./AllInstances.tsx"
import { type AccountRecord, execute, ROWS, useCommand } from "./commands.ts"

const AmountField = ({ currency }: { readonly currency: string }) => (
  <TextField name="amount" label={`Amount in ${currency}`} type="number" min={0.01} step={0.01} required />
)

const ReasonField = () => (
  <TextField name="reason" label="Reason" required maxLength={REASON_MAX} hint="The customer reads it" />
)

interface AccountProps {
  readonly account: AccountRecord
}

const TopUp = ({ account: { currency, id } }: AccountProps) => {
  const book = async ({ number, text }: Values) => {
    const reference = text("reference")
    const given = reference === undefined ? {} : { reference }
    await execute("wallet.top_up", { account_id: id, amount: number("amount"), ...given })
    return `${money(number("amount") ?? 0, currency)} are booked.`
  }
  return (
    <FormDialog action="Top up" kind="primary" heading="Book a payment" submit="Book the payment" onSubmit={book}>
      <AmountField currency={currency} />
      <TextField
        name="reference"
        label="Reference of the payment"
        maxLength={REASON_MAX}
        hint="Such as the bank's number. The same reference is booked once."
      />
    </FormDialog>
  )
}

const Debit = ({ account: { currency, id } }: AccountProps) => {
  // The same for every attempt of this form: a lost response books nothing twice.
  const [reference, setReference] = useState(newKey)
  const book = async ({ checked, number, text }: Values) => {
    const payout = checked("payout")
    const input = { account_id: id, amount: number("amount"), reason: text("reason"), payout, reference }
    await execute("wallet.debit", input)
    setReference(newKey())
    return "The debit is booked."
  }
  return (
    <FormDialog action="Debit" heading="Take money out of the wallet" submit="Book the debit" onSubmit={book}>
      <AmountField currency={currency} />
      <ReasonField />
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
  const book = async ({ number, text }: Values) => {
    const part = number("amount")
    const given = part === undefined ? {} : { amount: part }
    await execute("wallet.refund", { line: id, reason: text("reason"), reference, ...given })
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
      <ReasonField />
    </FormDialog>
  )
}

const NOT_CHARGES = new Set(["top_up", "refund", "payout"])

export const AccountMoney = ({ account }: AccountProps) => {
  const query = useCommand<ReadonlyArray<StatementLine>>("wallet.statement", { account_id: account.id, limit: ROWS })
  const actions = (
    <>
      <TopUp account={account} />
      <Debit account={account} />
    </>
  )
  return (
    <Section title="Wallet" note={money(account.wallet, account.currency)} actions={actions}>
      <Loaded query={query} lines={5}>
        {(lines) =>
          lines.length === 0
            ? <Empty icon="wallet" title="Nothing was booked yet">Book the customer's first payment.</Empty>
            : (
              <Statement
                lines={lines}
                hrefOf={() => `/panel/operator/instances`}
                actions={(line) =>
                  line.amount < 0 && !NOT_CHARGES.has(line.kind)
                    ? (
                      <div class="actions">
                        <Refund line={line} />
                      </div>
                    )
                    : null}
              />
            )}
      </Loaded>
    </Section>
  )
}
