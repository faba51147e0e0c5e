/**
 * Money moves through here only: a wallet and the journal that explains the change are written together.
 * Each function is a part of a use case and runs inside its caller's transaction.
 */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import type { Charge as Amounts } from "../domain/Vat.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { type Entry, type JournalKind, Journals } from "../persistence/Journals.ts"

/** Ledger accounts. A wallet's balance there equals the account's wallet. */
const BANK = "bank"
const REVENUE = "revenue"
const VAT = "vat"
const WALLET = "wallet:"
const walletOf = (accountId: number): string => `${WALLET}${accountId}`

/** The unique reference of an order's charge. */
export const createReference = (orderId: number): string => `instance_create:order:${orderId}`

/** The unique reference of an order's refund. */
const refundReference = (orderId: number): string => `refund:order:${orderId}`

export interface Payment {
  readonly accountId: number
  readonly kind: JournalKind
  /** Unique for ever: the same payment is taken once. */
  readonly reference: string
  readonly price: Amounts
  /** ISO 4217 code. */
  readonly currency: string
  /** Epoch milliseconds. */
  readonly at: number
}

export interface Charge extends Omit<Payment, "kind" | "reference"> {
  readonly orderId: number
}

/** A negative amount would turn a debit into a gift. */
const counted = (amount: Minor): Effect.Effect<Minor> =>
  Number.isSafeInteger(amount) && amount >= 0 ? Effect.succeed(amount) : Effect.die(new Error(`no amount: ${amount}`))

const unlessZero = (entry: Entry): ReadonlyArray<Entry> => entry.amount === 0 ? [] : [entry]

/**
 * Takes a price from the wallet. False when the wallet does not hold it: then nothing was written. A charge of zero
 * writes no journal; the same reference twice is a defect, which undoes the transaction.
 */
export const pay = Effect.fnUntraced(function*({ accountId, at, currency, kind, price, reference }: Payment) {
  const amount = yield* counted(price.charge)
  const vat = yield* counted(price.vat)
  if (amount === 0) return true
  const accounts = yield* Accounts
  if (!(yield* accounts.debit(accountId, amount))) return false
  const written = yield* (yield* Journals).append({
    accountId,
    kind,
    reference,
    currency,
    at,
    entries: [
      { account: walletOf(accountId), amount: -amount },
      { account: REVENUE, amount: amount - vat },
      ...unlessZero({ account: VAT, amount: vat })
    ]
  })
  return written ? true : yield* Effect.die(new Error(`${reference} was charged before`))
})

/** Takes the price of a new order from the wallet, as `pay` does. */
export const charge = ({ orderId, ...payment }: Charge) =>
  pay({ ...payment, kind: "instance_create", reference: createReference(orderId) })

export interface Reversal {
  /** The reference of what was paid. */
  readonly paid: string
  /** Unique for ever: what makes the refund happen once. */
  readonly reference: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Gives back what was paid, by a reversing journal; returns the amount, undefined if there is none to give back. */
const reverse = Effect.fnUntraced(function*({ at, paid: reversed, reference }: Reversal) {
  const book = yield* Journals
  const paid = yield* book.find(reversed)
  if (paid === undefined) return undefined
  const { accountId, currency } = paid
  const entries = paid.entries.map(({ account, amount }) => ({ account, amount: -amount }))
  const written = yield* book.append({
    accountId,
    kind: "refund",
    reference,
    currency,
    at,
    entries
  })
  if (!written) return undefined
  const wallet = walletOf(accountId)
  const amount = entries.reduce((sum, entry) => entry.account === wallet ? sum + entry.amount : sum, 0)
  yield* credit(accountId, amount)
  return amount
})

/** The same; false when there is nothing to give back. */
const isReversed = (reversal: Reversal) => Effect.map(reverse(reversal), (amount) => amount !== undefined)

export interface Refund {
  readonly orderId: number
  /** Epoch milliseconds. */
  readonly at: number
}

/** Gives back what an order cost, as `isReversed` does. */
export const refund = ({ at, orderId }: Refund) =>
  isReversed({ paid: createReference(orderId), reference: refundReference(orderId), at })

/** The unique reference of a resize's charge. */
export const resizeReference = (taskId: number): string => `instance_resize:task:${taskId}`

/** Gives back what a resize cost, as `isReversed` does. */
export const refundResize = ({ at, taskId }: { readonly taskId: number; readonly at: number }) =>
  isReversed({ paid: resizeReference(taskId), reference: `refund:resize:task:${taskId}`, at })

/** The unique reference of the refund of a renewal's charge. */
export const renewalRefund = (reference: string): string => `refund:${reference}`

/** Gives back what a renewal cost, as `reverse` does. */
export const refundRenewal = ({ at, reference }: Pick<Reversal, "at" | "reference">) =>
  reverse({ paid: reference, reference: renewalRefund(reference), at })

export interface TopUp {
  readonly accountId: number
  readonly amount: Minor
  /** Unique for ever, for example the payment's own id: the same payment counts once. */
  readonly reference: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** Puts money into a wallet; false when there is no such account, or this payment was booked before. */
export const topUp = Effect.fnUntraced(function*({ accountId, amount, at, reference }: TopUp) {
  yield* counted(amount)
  const account = yield* (yield* Accounts).find(accountId)
  if (account === undefined) return false
  if (amount === 0) return true
  const written = yield* (yield* Journals).append({
    accountId,
    kind: "top_up",
    reference,
    currency: account.currency,
    at,
    entries: [{ account: walletOf(accountId), amount }, { account: BANK, amount: -amount }]
  })
  if (written) yield* credit(accountId, amount)
  return written
})

/** Gives money in a wallet back to where it came from; false when the wallet does not hold it. */
export const payOut = Effect.fnUntraced(function*({ accountId, amount, at, reference }: TopUp) {
  yield* counted(amount)
  const accounts = yield* Accounts
  const account = yield* accounts.find(accountId)
  if (account === undefined || !(yield* accounts.debit(accountId, amount))) return false
  const written = yield* (yield* Journals).append({
    accountId,
    kind: "refund",
    reference,
    currency: account.currency,
    at,
    entries: [{ account: walletOf(accountId), amount: -amount }, { account: BANK, amount }]
  })
  return written ? true : yield* Effect.die(new Error(`${reference} was paid out before`))
})

const credit = Effect.fnUntraced(function*(accountId: number, amount: Minor) {
  const credited = yield* (yield* Accounts).credit(accountId, amount)
  if (!credited) return yield* Effect.die(new Error(`account ${accountId} is in the ledger but does not exist`))
})

/** The findings of the audit; both lists are empty when the books are right. */
export interface Audit {
  readonly balanced: boolean
  /** References of journals that do not sum to zero. */
  readonly unbalanced: ReadonlyArray<string>
  /** Accounts whose wallet differs from its ledger balance. */
  readonly wrongWallets: ReadonlyArray<number>
}

/** Recomputes everything from the entries. Reads the whole ledger: for operators and tests. */
export const verify = Effect.gen(function*() {
  const book = yield* Journals
  const unbalanced = yield* book.unbalanced
  const balances = new Map((yield* book.balances).map(({ account, amount }) => [account, amount]))
  const wallets = yield* (yield* Accounts).wallets
  const wrongWallets = wallets.filter(({ id, wallet }) => (balances.get(walletOf(id)) ?? 0) !== wallet)
    .map(({ id }) => id)
  const balanced = unbalanced.length === 0 && wrongWallets.length === 0
  return { balanced, unbalanced, wrongWallets } satisfies Audit
})
