/** The wallet of the account, and how to pay into it. */
import type { WalletRecord } from "../../contract/AccountCalls.ts"
import { useRead } from "./calls.ts"
import type { Query } from "./query.ts"
import { useAccount } from "./session.ts"

/** As the service reads amounts: with a point, in any language of the browser. */
const AMOUNT = new Intl.NumberFormat("en-US", { minimumFractionDigits: 2, useGrouping: false })

export const useWalletQuery = (): Query<WalletRecord> => {
  const account = useAccount()?.id
  const path = account === undefined ? undefined : "/accounts/:account/wallet"
  return useRead(path, { params: { account: account ?? 0 } })
}

/** Undefined while it is unknown, and without an account. */
export const useWallet = (): WalletRecord | undefined => useWalletQuery().data

/** The payment page for an amount; without one, the page lets the customer choose. Undefined if there is no page. */
export const payPage = ({ payment }: Pick<WalletRecord, "payment">, amount: number): string | undefined =>
  payment?.page?.replaceAll("{amount}", amount > 0 ? AMOUNT.format(amount) : "")
