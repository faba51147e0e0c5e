/** Moves a payment that was booked on the wrong account. Part of its caller's transaction. */
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { asText, type Minor, toAmount } from "../domain/Money.ts"
import { bookingsOf, paymentOf, payOut, topUp } from "../ledger/Ledger.ts"
import { mailBooked, mailTakenBack } from "./PaymentMails.ts"
import { reviveAll } from "../operations/Renew.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { type Journal, Journals } from "../persistence/Journals.ts"

/** The payment cannot be moved; the message says why, then what to do. */
class NotMovable extends Schema.TaggedError<NotMovable>()("NotMovable", { message: Schema.String }) {}

export interface Move {
  /** As the payment was booked first. */
  readonly reference: string
  /** The account that it belongs to. */
  readonly to: number
  /** On the statement of the account that loses it. */
  readonly reason: string
  /** Epoch milliseconds. */
  readonly at: number
}

const amountOf = ({ entries }: Journal): Minor => entries.reduce((sum, { amount }) => sum + Math.max(0, amount), 0)

/** The booking of a payment that holds now. */
const findBooked = Effect.fnUntraced(function*(reference: string) {
  const { newest } = yield* bookingsOf(reference)
  const payment = paymentOf(reference)
  if (newest === undefined) {
    return yield* new NotMovable({
      message: `Payment ${payment} is not booked. Book it on its account: wallet top-up ACCOUNT AMOUNT --reference `
        + `"${payment}".`
    })
  }
  return newest
})

const assertSameCurrency = Effect.fnUntraced(function*({ accountId, currency }: Journal, to: number) {
  const target = yield* (yield* Accounts).find(to)
  if (target === undefined || target.currency === currency) return
  return yield* new NotMovable({
    message: `The payment is in ${currency}, but account ${to} has ${target.currency}. Pay it out of account `
      + `${accountId} instead, and book on account ${to} what was received in ${target.currency}.`
  })
})

/** Takes the payment back from an account, unless that was done before. */
const takeBack = Effect.fnUntraced(function*(booked: Journal, { at, reason }: Move) {
  const book = yield* Journals
  if (yield* book.isReversed(booked.id)) return
  const { accountId, currency, id, reference } = booked
  const amount = amountOf(booked)
  const moved = `moved:${reference}`
  if (yield* payOut({ accountId, amount, at, reason, reference: moved, reverses: id })) {
    return yield* mailTakenBack({ accountId, amount, reason, event: moved, at })
  }
  const paid = `${asText(toAmount(yield* book.paidIn(accountId)))} ${currency}`
  return yield* new NotMovable({
    message: `Of the payments of account ${accountId}, only ${paid} were not paid back, which is less than this `
      + `payment. Look for its payouts on the statement: wallet statement ${accountId}.`
  })
})

/**
 * Takes the payment back from the account that has it, and books it on another one, whose expired instances it renews.
 * A repetition changes nothing. Fails with `NotMovable` or `AccountClosed`.
 */
export const movePayment = Effect.fnUntraced(function*(move: Move) {
  const { at, reference, to } = move
  const booked = yield* findBooked(reference)
  const { accountId: from, currency } = booked
  const amount = amountOf(booked)
  const book = yield* Journals
  if (from === to && !(yield* book.isReversed(booked.id))) {
    return { from, line: booked.id, amount, currency, renewed: [], notRenewed: [] }
  }
  yield* assertSameCurrency(booked, to)
  yield* takeBack(booked, move)
  yield* topUp({ accountId: to, amount, at, reference }, true)
  const { newest } = yield* bookingsOf(reference)
  const revival = yield* reviveAll(to, at)
  yield* mailBooked({ accountId: to, amount, event: newest!.reference, at }, revival)
  return { from, line: newest!.id, amount, currency, ...revival }
})
