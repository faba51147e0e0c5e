/**
 * The commands for wallets and the ledger. Debits and refunds name their reason on the statement; corrections take back
 * the effects of a wrong clock.
 */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { explainVat } from "../../domain/Explanation.ts"
import { asText, type Minor, toAmount } from "../../domain/Money.ts"
import { chargeOf } from "../../domain/Vat.ts"
import { bookingsOf, pay, paymentOf, payOut } from "../../ledger/Ledger.ts"
import { refundable, refundPart } from "../../ledger/Refunds.ts"
import { type Journal, Journals } from "../../persistence/Journals.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { addFacts, type UseCases } from "../UseCases.ts"
import { hundredths, millisOf, reject } from "../Input.ts"
import { closed, findAccount, findOpenAccount } from "./Accounts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import { type CannotTakeBack, type Correction, takeBackExpiry, takeBackRenewal } from "../../billing/TakeBack.ts"
import { toTimestamp } from "../../domain/Timestamp.ts"
import { mailCorrected } from "../../operations/ContractMails.ts"
import type { Subscription } from "../../persistence/instances/Subscriptions.ts"
import { Instances } from "../../persistence/Instances.ts"
import { WorkerNotifier } from "../../runtime/WorkerNotifier.ts"
import { foldReference } from "../../domain/PaymentReference.ts"
import { reviveAll } from "../../operations/Renew.ts"
import { findIdle } from "./Instances.ts"
import { describe, statementOf } from "../../billing/Statement.ts"
import { Bookings } from "../../persistence/Bookings.ts"
import { CHARGES } from "../Today.ts"
import { fillWallet } from "../../billing/TopUp.ts"
import { movePayment } from "../../billing/MovePayment.ts"
import { mailTakenBack } from "../../billing/PaymentMails.ts"
import { audit } from "../../ledger/Books.ts"

const money = (minor: Minor, currency: string): string => `${asText(toAmount(minor))} ${currency}`

/** The end of a sentence about a wallet. */
const holds = (wallet: Minor, currency: string): string =>
  wallet < 0 ? `owes ${money(-wallet, currency)}` : `holds ${money(wallet, currency)} only`

const walletChange = ({ accountId, entries }: Journal): Minor =>
  entries.reduce((sum, { account, amount }) => account === `wallet:${accountId}` ? sum + amount : sum, 0)

interface Expected {
  readonly accountId: number
  readonly amount: Minor
  /** Absent for a payout, which finds the payment that it takes back. */
  readonly reverses?: number | null
}

/** The folded reference of the operator; without one, a booking has one of its own. */
const referenceOf = ({ reference }: { readonly reference?: string | undefined }): string =>
  reference === undefined ? randomUUID() : foldReference(reference)

/**
 * The booking of an earlier call with this reference, which a second click or a retry repeats; undefined if there is
 * none. Fails with `CommandRejected` if it was another one.
 */
const earlier = Effect.fnUntraced(function*(reference: string, expected: Expected) {
  const found = yield* (yield* Journals).find(reference)
  if (found === undefined) return undefined
  const { accountId, currency, id, reverses } = found
  const amount = walletChange(found)
  const isSame = accountId === expected.accountId && amount === expected.amount
    && (expected.reverses === undefined || reverses === expected.reverses)
  if (isSame) return found
  return yield* reject(
    `${reference} is already booked: line ${id} of account ${accountId}, ${money(amount, currency)}. Nothing was `
      + "changed. Use another reference."
  )
})

const result = Effect.fnUntraced(function*(reference: string, repeated: boolean) {
  const booked = (yield* (yield* Journals).find(reference))!
  const { wallet } = yield* findAccount(booked.accountId)
  return {
    account_id: booked.accountId,
    line: booked.id,
    amount: toAmount(walletChange(booked)),
    currency: booked.currency,
    wallet: toAmount(wallet),
    reference,
    repeated
  }
})

/** Runs in a transaction. False if the wallet does not hold the amount, or for a payout if so much was never paid. */
const take = Effect.fnUntraced(function*(input: InputOf<"wallet.debit">, reference: string, at: number) {
  const { account_id: accountId, payout, reason } = input
  const { currency, vat } = yield* findOpenAccount(accountId)
  const amount = hundredths(input.amount)
  if (payout) {
    const isPaidOut = yield* payOut({ accountId, amount, reason, reference, at })
    if (isPaidOut) yield* mailTakenBack({ accountId, amount, reason, event: reference, at })
    return isPaidOut
  }
  const explanation = { reason, ...explainVat(vat) }
  const price = chargeOf(amount, vat)
  return yield* pay({ accountId, kind: "debit", reference, price, currency, instanceId: null, explanation, at })
})

/** More than the customer ever paid cannot have been paid back: a slip of the pen would become a debt. */
const refusePayout = Effect.fnUntraced(function*(accountId: number, currency: string) {
  const paid = yield* (yield* Journals).paidIn(accountId)
  return yield* reject(
    `Account ${accountId} has paid ${money(paid, currency)} that were not paid back, so no more can be. `
      + `To charge for something else, run the command without --payout.`
  )
})

/** Takes money out of a wallet. Money that was paid back to its source is gone, also if the wallet has spent it. */
export const debitWallet = Effect.fnUntraced(function*(input: InputOf<"wallet.debit">) {
  const kind = input.payout ? "payout" : "debit"
  const reference = `${kind}:${referenceOf(input)}`
  const amount = -hundredths(input.amount)
  const expected = { accountId: input.account_id, amount, ...(input.payout ? {} : { reverses: null }) }
  const at = yield* Clock.currentTimeMillis
  const booked = yield* (yield* Transaction).run(Effect.gen(function*() {
    const { currency, wallet } = yield* findAccount(input.account_id)
    const isRepeated = (yield* earlier(reference, expected)) !== undefined
    yield* addFacts({ reference, ...(isRepeated ? { repeated: true } : {}) })
    if (!isRepeated && !(yield* take(input, reference, at))) {
      if (input.payout) return yield* refusePayout(input.account_id, currency)
      return yield* reject(`The wallet of account ${input.account_id} ${holds(wallet, currency)}.`)
    }
    return yield* result(reference, isRepeated)
  }))
  // Its mail is sent.
  yield* (yield* WorkerNotifier).notify
  return booked
})

/** Fails with `CommandRejected` unless so much of a charge can be refunded. */
const checkRefund = Effect.fnUntraced(function*(paid: Journal, amount: Minor | undefined) {
  const { currency, id, kind } = paid
  const left = yield* refundable(paid)
  if (left > 0 && (amount ?? left) <= left) return
  if (left > 0) return yield* reject(`Of line ${id}, ${money(left, currency)} can be refunded.`)
  const isCharge = !["top_up", "refund", "payout"].includes(kind)
  return yield* reject(
    isCharge
      ? `Line ${id} is refunded already.`
      : `Line ${id} is not a charge. To pay money back to the customer, run "wallet debit" with --payout.`
  )
})

const findLine = Effect.fnUntraced(function*(line: number) {
  const paid = yield* (yield* Journals).byId(line)
  if (paid === undefined) return yield* reject(`Line ${line} not found. Run "wallet statement" to see all lines.`)
  yield* findOpenAccount(paid.accountId)
  yield* addFacts({ account_id: paid.accountId, ...(paid.instanceId === null ? {} : { instance_id: paid.instanceId }) })
  return paid
})

/** Runs in a transaction. */
const refund = Effect.fnUntraced(function*(input: InputOf<"wallet.refund">, reference: string, at: number) {
  const { line, reason } = input
  const paid = yield* findLine(line)
  const amount = input.amount === undefined ? undefined : hundredths(input.amount)
  const before = yield* (yield* Journals).find(reference)
  const expected = { accountId: paid.accountId, reverses: line }
  if (before !== undefined) {
    yield* earlier(reference, { ...expected, amount: amount ?? walletChange(before) })
    yield* addFacts({ reference, repeated: true })
    return yield* result(reference, true)
  }
  yield* checkRefund(paid, amount)
  yield* refundPart({ paid, reference, reason, at, amount })
  yield* reviveAll(paid.accountId, at)
  yield* addFacts({ reference })
  return yield* result(reference, false)
})

/**
 * Gives back a charge or a part of it, with its VAT. Its instance stays as it is; the account's expired ones are
 * renewed if the wallet pays for them now.
 */
export const refundLine = Effect.fnUntraced(function*(input: InputOf<"wallet.refund">) {
  const reference = `refund:manual:${referenceOf(input)}`
  const at = yield* Clock.currentTimeMillis
  const booked = yield* (yield* Transaction).run(refund(input, reference, at))
  yield* (yield* WorkerNotifier).notify
  return booked
})

/** Corrects an idle instance, and mails its owner. */
const correct = <R>(
  change: (subscription: Subscription, at: number) => Effect.Effect<Correction, CannotTakeBack, R>
) =>
  Effect.fnUntraced(function*({ id }: { readonly id: number }) {
    const at = yield* Clock.currentTimeMillis
    const correction = yield* (yield* Transaction).run(Effect.gen(function*() {
      const { lifecycle } = yield* findIdle(id)
      const subscription = yield* (yield* Instances).subscriptions.find(id)
      if (subscription === undefined) return yield* reject(`Instance ${id} is ${lifecycle}, and has no paid period.`)
      const corrected = yield* change(subscription, at)
      yield* reviveAll(subscription.accountId, at)
      yield* mailCorrected(corrected, at)
      return corrected
    })).pipe(Effect.catchTag("CannotTakeBack", ({ message }) => Effect.fail(reject(message))))
    yield* (yield* WorkerNotifier).notify
    const { expiresAt, instanceId, text } = correction
    return { instance_id: instanceId, result: text, expires_at: toTimestamp(expiresAt) }
  })

export const undoRenewal = correct(takeBackRenewal)

export const undoExpiry = correct(takeBackExpiry)

const DAY_MILLIS = 86_400_000

export const extendGrace = Effect.fnUntraced(function*({ days, id }: InputOf<"instances.extend_grace">) {
  const at = yield* Clock.currentTimeMillis
  const until = yield* (yield* Transaction).run(Effect.gen(function*() {
    const { graceUntil, lifecycle, terminateAt } = yield* findIdle(id)
    if (terminateAt !== null) return yield* reject(`The termination of instance ${id} has begun, which is final.`)
    if (lifecycle !== "expired" || graceUntil === null) {
      return yield* reject(`Instance ${id} is ${lifecycle}. Only an expired instance has a grace period.`)
    }
    const until = Math.max(at, graceUntil) + days * DAY_MILLIS
    yield* (yield* Instances).subscriptions.extendGrace(id, until)
    return until
  }))
  yield* (yield* WorkerNotifier).notify
  return { instance_id: id, deleted_at: toTimestamp(until) }
})

/** Names the line, and the way to another account. */
const alreadyBooked = Effect.fnUntraced(function*(reference: string, accountId: number) {
  const { newest } = yield* bookingsOf(reference)
  const payment = paymentOf(reference)
  const where = newest === undefined ? "" : `: line ${newest.id} of account ${newest.accountId}`
  const remedy = newest === undefined || newest.accountId === accountId
    ? ""
    : ` If that is the wrong account, move it: wallet move-payment "${payment}" --to ${accountId} --reason REASON.`
  return yield* reject(`Payment ${payment} is already booked${where}. Nothing was changed.${remedy}`)
})

/** Books a payment on another account. The account that it is taken from may have spent it, and then owes it. */
export const movePaymentTo = Effect.fnUntraced(function*(input: InputOf<"wallet.move_payment">) {
  const { reason, to_account_id: to } = input
  const at = yield* Clock.currentTimeMillis
  const moved = yield* (yield* Transaction).run(Effect.gen(function*() {
    yield* findOpenAccount(to)
    const payment = yield* movePayment({ reference: `top_up:${foldReference(input.reference)}`, to, reason, at }).pipe(
      Effect.catchTag("NotMovable", ({ message }) => Effect.fail(reject(message))),
      Effect.catchTag("AccountClosed", () => Effect.fail(closed(to)))
    )
    yield* addFacts({ account_id: to, from_account_id: payment.from, repeated: payment.from === to })
    return payment
  }))
  yield* (yield* WorkerNotifier).notify
  const { amount, currency, from, line, notRenewed, renewed } = moved
  return {
    account_id: to,
    from_account_id: from,
    line,
    amount: toAmount(amount),
    currency,
    wallet: toAmount((yield* findAccount(to)).wallet),
    from_wallet: toAmount((yield* findAccount(from)).wallet),
    renewed,
    not_renewed: notRenewed.map(({ instanceId, reason }) => ({ instance_id: instanceId, reason })),
    repeated: from === to
  }
})

export const topUpWallet = Effect.fnUntraced(function*(input: InputOf<"wallet.top_up">) {
  const { account_id: accountId, amount } = input
  const { currency } = yield* findAccount(accountId)
  const at = yield* Clock.currentTimeMillis
  const reference = `top_up:${referenceOf(input)}`
  const { filled, notRenewed, renewed } = yield* fillWallet({ accountId, amount: hundredths(amount), reference, at })
    .pipe(Effect.catchTag("AccountClosed", () => Effect.fail(closed(accountId))))
  if (!filled) return yield* alreadyBooked(reference, accountId)
  const { wallet } = yield* findAccount(accountId)
  return {
    account_id: accountId,
    amount,
    currency,
    reference,
    wallet: toAmount(wallet),
    renewed,
    not_renewed: notRenewed.map(({ instanceId, reason }) => ({ instance_id: instanceId, reason }))
  }
})

const statement = Effect.fnUntraced(function*(input: InputOf<"wallet.statement">) {
  const { id } = yield* findAccount(input.account_id)
  const filter = {
    instanceId: input.instance_id ?? null,
    before: input.before ?? null,
    since: millisOf(input.since),
    until: millisOf(input.until)
  }
  return yield* statementOf(id, filter, input.limit)
})

const KINDS = { top_up: ["top_up"], charge: CHARGES, refund: ["refund"], payout: ["payout"] } as const

const listBookings = Effect.fnUntraced(function*(input: InputOf<"wallet.bookings">) {
  const filter = {
    kinds: input.kind === undefined ? null : KINDS[input.kind],
    search: input.search ?? null,
    before: input.before ?? null,
    since: millisOf(input.since),
    until: millisOf(input.until)
  }
  return (yield* (yield* Bookings).list(filter, input.limit)).map((booking) => ({
    id: booking.id,
    at: toTimestamp(booking.at),
    account_id: booking.accountId,
    account_email: booking.email,
    instance_id: booking.instanceId,
    kind: booking.kind,
    description: describe(booking),
    amount: toAmount(booking.amount),
    currency: booking.currency,
    reference: booking.reference
  }))
})

const verifyBooks = Effect.map(audit, ({ balanced, unbalanced, wrongWallets }) => ({
  balanced,
  unbalanced,
  wrong_wallets: wrongWallets
}))

export const WALLET_USE_CASES = {
  "wallet.debit": debitWallet,
  "wallet.refund": refundLine,
  "instances.undo_renewal": undoRenewal,
  "instances.undo_expiry": undoExpiry,
  "instances.extend_grace": extendGrace,
  "wallet.top_up": topUpWallet,
  "wallet.move_payment": movePaymentTo,
  "wallet.statement": statement,
  "wallet.bookings": listBookings,
  "ledger.verify": () => verifyBooks
} satisfies UseCases
