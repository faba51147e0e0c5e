/** The ledger's accounts, and what all bookings share. */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { Accounts } from "../persistence/Accounts.ts"
import type { Entry } from "../persistence/Journals.ts"

export const BANK = "bank"
export const REVENUE = "revenue"
export const VAT = "vat"
const WALLET = "wallet:"

/** A wallet's balance in the ledger equals the account's wallet. */
export const walletOf = (accountId: number): string => `${WALLET}${accountId}`

/** A negative amount would turn a debit into a gift. */
export const counted = (amount: Minor): Effect.Effect<Minor> =>
  Number.isSafeInteger(amount) && amount >= 0 ? Effect.succeed(amount) : Effect.die(new Error(`no amount: ${amount}`))

export const unlessZero = (entry: Entry): ReadonlyArray<Entry> => entry.amount === 0 ? [] : [entry]

export const credit = Effect.fnUntraced(function*(accountId: number, amount: Minor) {
  const credited = yield* (yield* Accounts).credit(accountId, amount)
  if (!credited) return yield* Effect.die(new Error(`account ${accountId} is in the ledger but does not exist`))
})
