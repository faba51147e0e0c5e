/** The ways to pay the host: its payment page, and a transfer with the account's reference. */
import type { WalletRecord } from "../../contract/AccountCalls.ts"
import { money } from "../api/format.ts"
import { payPage, useWallet } from "../api/wallet.ts"
import { AskHost } from "./Brand.tsx"
import { Icon } from "./Icon.tsx"
import { Facts } from "./Page.tsx"
import { Copyable } from "./Values.tsx"

interface PayProps {
  readonly wallet: WalletRecord
  /** 0 for one that the customer chooses. */
  readonly amount: number
}

/** The payment page beside the panel, so that what was typed stays; nothing if the host has none. */
export const PayButton = ({ amount, wallet }: PayProps) => {
  const page = payPage(wallet, amount)
  if (page === undefined) return null
  return (
    <a class="button primary" href={page} target="_blank" rel="noreferrer">
      {amount > 0 ? `Pay ${money(amount, wallet.currency)}` : "Add money"}
      <Icon name="external" />
    </a>
  )
}

const Transfer = ({ bank, reference }: { readonly bank: string; readonly reference: string }) => (
  <Facts
    rows={[
      ["Transfer to", <span key="bank" class="lines">{bank}</span>],
      ["Reference", <Copyable key="reference" text={reference} what="the reference" />]
    ]}
  />
)

/** Without settings of the host, the way to ask it. */
export const HowToPay = ({ missing }: { readonly missing: number }) => {
  const wallet = useWallet()
  if (wallet === undefined) return null
  const { payment } = wallet
  if (payment === null) {
    return (
      <p>
        To add money, pay <AskHost>your host</AskHost>, who books the payment here.
      </p>
    )
  }
  return (
    <div class="stack">
      {payment.page !== null && (
        <div>
          <PayButton wallet={wallet} amount={missing} />
        </div>
      )}
      {payment.bank !== null && <Transfer bank={payment.bank} reference={payment.reference} />}
      {payment.bank !== null && <p class="muted">With this reference, your host finds your account.</p>}
    </div>
  )
}
