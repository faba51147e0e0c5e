/** The commands with which operators debit wallets and refund charges. Each names its reason on the statement. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { randomUUID } from "node:crypto"
import { explainVat } from "../../domain/Explanation.ts"
import { asText, type Minor, toAmount } from "../../domain/Money.ts"
import { chargeOf } from "../../domain/Vat.ts"
import { pay, payOut } from "../../ledger/Ledger.ts"
import { refundable, refundPart } from "../../ledger/Refunds.ts"
import { type Journal, Journals } from "../../persistence/Journals.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { addFacts } from "../AuditFacts.ts"
import { reject } from "../CommandRejected.ts"
import { hundredths } from "../Input.ts"
import { findAccount, findOpenAccount } from "./Accounts.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import type { UseCases } from "../UseCases.ts"

const money = (minor: Minor, currency: string): string => `${asText(toAmount(minor))} ${currency}`

const walletChange = ({ accountId, entries }: Journal): Minor =>
  entries.reduce((sum, { account, amount }) => account === `wallet:${accountId}` ? sum + amount : sum, 0)

interface Expected {
  readonly accountId: number
  readonly amount: Minor
  readonly reverses: number | null
}

/**
 * The booking of an earlier call with this reference, which a second click or a retry repeats; undefined if there is
 * none. Fails with `CommandRejected` if it was another one.
 */
const earlier = Effect.fnUntraced(function*(reference: string, expected: Expected) {
  const found = yield* (yield* Journals).find(reference)
  if (found === undefined) return undefined
  const { accountId, currency, id, reverses } = found
  const amount = walletChange(found)
  const isSame = accountId === expected.accountId && amount === expected.amount && reverses === expected.reverses
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

/** Runs in a transaction. False if the wallet does not hold the amount. */
const take = Effect.fnUntraced(function*(input: InputOf<"wallet.debit">, reference: string, at: number) {
  const { account_id: accountId, payout, reason } = input
  const { currency, vat } = yield* findOpenAccount(accountId)
  const amount = hundredths(input.amount)
  if (payout) return yield* payOut({ accountId, amount, reason, reference, at })
  const explanation = { reason, ...explainVat(vat) }
  const price = chargeOf(amount, vat)
  return yield* pay({ accountId, kind: "debit", reference, price, currency, instanceId: null, explanation, at })
})

/** Takes money out of a wallet. */
export const debitWallet = Effect.fnUntraced(function*(input: InputOf<"wallet.debit">) {
  const kind = input.payout ? "payout" : "debit"
  const reference = `${kind}:${input.reference ?? randomUUID()}`
  const expected = { accountId: input.account_id, amount: -hundredths(input.amount), reverses: null }
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    const { currency, wallet } = yield* findAccount(input.account_id)
    const isRepeated = (yield* earlier(reference, expected)) !== undefined
    yield* addFacts({ reference, ...(isRepeated ? { repeated: true } : {}) })
    if (!isRepeated && !(yield* take(input, reference, at))) {
      return yield* reject(`The wallet of account ${input.account_id} holds ${money(wallet, currency)} only.`)
    }
    return yield* result(reference, isRepeated)
  }))
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
  yield* addFacts({ reference })
  return yield* result(reference, false)
})

/** Gives back a charge or a part of it, with its VAT. The instance stays as it is. */
const refundLine = Effect.fnUntraced(function*(input: InputOf<"wallet.refund">) {
  const reference = `refund:manual:${input.reference ?? randomUUID()}`
  const at = yield* Clock.currentTimeMillis
  return yield* (yield* Transaction).run(refund(input, reference, at))
})

export const BOOKINGS_USE_CASES = {
  "wallet.debit": debitWallet,
  "wallet.refund": refundLine
} satisfies UseCases
