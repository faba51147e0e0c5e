/**
 * Money moves through here only: a wallet and the journal that explains the change are written together.
 * Each function is a part of a use case and runs inside its caller's transaction.
 */
import * as Effect from "effect/Effect"
import { AccountClosed } from "../domain/Errors.ts"
import type { Explanation } from "../domain/Explanation.ts"
import type { Charge as Amounts } from "../domain/Vat.ts"
import type { Minor } from "../domain/Money.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { type Entry, type Journal, Journals } from "../persistence/Journals.ts"
import type { JournalKind } from "../contract/Words.ts"

/** The unique reference of an order's charge. */
export const createReference = (orderId: number): string => `instance_create:order:${orderId}`

export interface Payment {
  readonly accountId: number
  readonly kind: JournalKind
  /** Unique for ever: the same payment is taken once. */
  readonly reference: string
  readonly price: Amounts
  /** ISO 4217 code. */
  readonly currency: string
  /** Null if the payment is for no instance. */
  readonly instanceId: number | null
  readonly explanation: Explanation
  /** Epoch milliseconds. */
  readonly at: number
}

/**
 * Takes a price from the wallet. False when the wallet does not hold it: then nothing was written. A charge of zero
 * writes no journal; the same reference twice is a defect, which undoes the transaction.
 */
export const pay = Effect.fnUntraced(function*(payment: Payment) {
  const amount = yield* counted(payment.price.charge)
  if (amount > 0 && !(yield* (yield* Accounts).debit(payment.accountId, amount))) return false
  yield* record(payment)
  return true
})

/** Writes the journal of a payment that was taken from the wallet. */
const record = Effect.fnUntraced(function*({ price, ...payment }: Payment) {
  const amount = yield* counted(price.charge)
  const vat = yield* counted(price.vat)
  if (amount === 0) return
  const written = yield* (yield* Journals).append({
    ...payment,
    entries: [
      { account: walletOf(payment.accountId), amount: -amount },
      { account: REVENUE, amount: amount - vat },
      ...unlessZero({ account: VAT, amount: vat })
    ]
  })
  if (!written) return yield* Effect.die(new Error(`${payment.reference} was charged before`))
})

/** An order that is charged for. */
export interface Ordered {
  readonly orderId: number
  /** Null if the order is for no instance. */
  readonly instanceId: number | null
}

/**
 * Takes the price of a new order from the wallet, then writes the order, and the journal of its charge. The wallet is
 * first, because only its answer decides; GCRA's arrival times are stored with it. Undefined, and nothing is written,
 * when the wallet does not hold the price.
 */
export const charge = Effect.fnUntraced(function*<A extends Ordered, E, R>(
  payment: Omit<Payment, "kind" | "reference" | "instanceId">,
  arrivals: readonly [minute: number, hour: number],
  writeOrder: Effect.Effect<A, E, R>
) {
  const { accountId, price } = payment
  const accounts = yield* Accounts
  if (!(yield* accounts.debitCreate(accountId, yield* counted(price.charge), ...arrivals))) return undefined
  const ordered = yield* writeOrder
  const { instanceId, orderId } = ordered
  yield* record({ ...payment, instanceId, kind: "instance_create", reference: createReference(orderId) })
  return ordered
})

/** The unique reference of a resize's charge. */
export const resizeReference = (taskId: number): string => `instance_resize:task:${taskId}`

export interface TopUp {
  readonly accountId: number
  readonly amount: Minor
  /** The operator's reason for a payment out of the wallet. */
  readonly reason?: string
  /** Unique for ever, for example the payment's own id: the same payment counts once. */
  readonly reference: string
  /** Epoch milliseconds. */
  readonly at: number
}

/** A payment that was taken back from a wrong account has its next booking under a name that no operator can choose. */
const bookingOf = (reference: string, count: number): string => count === 1 ? reference : `again:${count}:${reference}`

/** The name under which an operator knows a payment. */
export const paymentOf = (reference: string): string => reference.replace(/^again:\d+:/, "").replace(/^top_up:/, "")

/** The newest booking of a payment, and the reference of the next one. */
export const bookingsOf = Effect.fnUntraced(function*(reference: string) {
  const { find } = yield* Journals
  let newest: Journal | undefined
  for (let count = 1;; count++) {
    const next = bookingOf(reference, count)
    const found = yield* find(next)
    if (found === undefined) return { newest, next }
    newest = found
  }
})

/**
 * The reference for the booking of a payment; undefined if it is booked. One that was taken back is free for the
 * account to which it belongs: on the same account, a repeated import of the bank's list would book it again.
 */
const freeReference = Effect.fnUntraced(function*({ accountId, reference }: TopUp, moves: boolean) {
  const { newest, next } = yield* bookingsOf(reference)
  if (newest === undefined) return next
  const isFree = (moves || newest.accountId !== accountId) && (yield* (yield* Journals).isReversed(newest.id))
  return isFree ? next : undefined
})

/**
 * Puts money into a wallet; false when there is no such account, or this payment is booked. Fails with
 * `AccountClosed`, which is read in the transaction of the booking: the account may just have been closed. `moves`: it
 * was taken back in the same transaction.
 */
export const topUp = Effect.fnUntraced(function*(payment: TopUp, moves = false) {
  const { accountId, amount, at } = payment
  yield* counted(amount)
  const account = yield* (yield* Accounts).find(accountId)
  if (account === undefined) return false
  if (account.closedAt !== null) return yield* new AccountClosed({ accountId })
  if (amount === 0) return true
  const reference = yield* freeReference(payment, moves)
  if (reference === undefined) return false
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

/**
 * Books that money went back to where it came from, at most what was paid. The wallet may have spent it, as after a
 * chargeback: then the account owes the rest. `reverses` is the payment that went back.
 */
export const payOut = Effect.fnUntraced(function*(payment: TopUp & { readonly reverses?: number | undefined }) {
  const { accountId, amount, at, reason, reference, reverses } = payment
  yield* counted(amount)
  const [accounts, book] = [yield* Accounts, yield* Journals]
  const account = yield* accounts.find(accountId)
  if (account === undefined || (yield* book.paidIn(accountId)) < amount) return false
  yield* accounts.takeBack(accountId, amount)
  const written = yield* (yield* Journals).append({
    accountId,
    kind: "payout",
    reference,
    currency: account.currency,
    at,
    entries: [{ account: walletOf(accountId), amount: -amount }, { account: BANK, amount }],
    reverses: reverses ?? (yield* book.payment(accountId, amount)) ?? null,
    ...(reason === undefined ? {} : { explanation: { reason } })
  })
  return written ? true : yield* Effect.die(new Error(`${reference} was paid out before`))
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

const BANK = "bank"
export const REVENUE = "revenue"
export const VAT = "vat"
const WALLET = "wallet:"

/** A wallet's balance in the ledger equals the account's wallet. */
export const walletOf = (accountId: number): string => `${WALLET}${accountId}`

/** A negative amount would turn a debit into a gift. */
const counted = (amount: Minor): Effect.Effect<Minor> =>
  Number.isSafeInteger(amount) && amount >= 0 ? Effect.succeed(amount) : Effect.die(new Error(`no amount: ${amount}`))

export const unlessZero = (entry: Entry): ReadonlyArray<Entry> => entry.amount === 0 ? [] : [entry]

export const credit = Effect.fnUntraced(function*(accountId: number, amount: Minor) {
  const credited = yield* (yield* Accounts).credit(accountId, amount)
  if (!credited) return yield* Effect.die(new Error(`account ${accountId} is in the ledger but does not exist`))
})
