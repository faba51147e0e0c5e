/** The wallet does not pay for what is due, or owes: until when, what happens then, and how to pay. */
import type { WalletRecord } from "../../contract/AccountCalls.ts"
import { money } from "../api/format.ts"
import { LinkButton } from "../components/Button.tsx"
import { PayButton } from "../components/HowToPay.tsx"
import { Notice } from "../components/Page.tsx"
import { When } from "../components/Values.tsx"
import { useLocation } from "preact-iso/router"

const WALLET = "/panel/wallet"

const counted = (count: number): string => count === 1 ? "one instance" : `${count} instances`

const Consequence = ({ risk }: { readonly risk: NonNullable<WalletRecord["at_risk"]> }) =>
  risk.deletion === null
    ? (
      <>
        The wallet does not pay for {counted(risk.instances.length)}, from <When at={risk.until} />{" "}
        on. What is not renewed is powered off, and deleted later with its data.
      </>
    )
    : (
      <>
        The wallet does not pay for{" "}
        {counted(risk.instances.length)}. What has expired is powered off, and is deleted with its data on{" "}
        <When at={risk.deletion} />, unless you pay before.
      </>
    )

export const MissingMoney = ({ wallet }: { readonly wallet: WalletRecord }) => {
  const { at_risk: risk, currency, missing } = wallet
  const title = risk === null
    ? `${money(missing, currency)} are owed`
    : `${money(missing, currency)} are missing for your instances`
  // The wallet itself says how to pay.
  const actions = useLocation().path !== WALLET && (
    <div class="actions">
      <PayButton wallet={wallet} amount={missing} />
      <LinkButton href={`${WALLET}#pay`}>How to pay</LinkButton>
    </div>
  )
  return (
    <Notice tone={risk?.deletion == null ? "warn" : "bad"} title={title} action={actions}>
      {risk === null
        ? "A payment was taken back after it was spent. Until that is paid, nothing can be bought or renewed."
        : <Consequence risk={risk} />}
    </Notice>
  )
}
