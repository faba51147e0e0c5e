/** The mails about payments. Each is written in the transaction of its booking, once. */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { ownerOf } from "../instances/Admission.ts"
import { post } from "../mail/Outbox.ts"
import type { Revival } from "../operations/Renew.ts"

interface Booked {
  readonly accountId: number
  readonly amount: Minor
  /** The reference of the booking, and its moment: a payment that was moved may come back. */
  readonly event: string
  /** Epoch milliseconds. */
  readonly at: number
}

const to = ({ accountId }: Booked, email: string) => ({ accountId, instanceId: null, email })

/** The payment is in the wallet, and has renewed what it could. */
export const mailBooked = Effect.fnUntraced(function*(booked: Booked, { notRenewed, renewed }: Revival) {
  const { amount, at, event } = booked
  const { currency, email, wallet } = yield* ownerOf(booked)
  const facts = { amount, wallet, currency, renewed, notRenewed }
  yield* post("payment_booked", to(booked, email), `${event}:${at}`, facts, at)
})

/** The payment is no longer in the wallet. */
export const mailTakenBack = Effect.fnUntraced(function*(booked: Booked & { readonly reason: string | undefined }) {
  const { amount, at, event, reason } = booked
  const { currency, email, wallet } = yield* ownerOf(booked)
  yield* post("payment_taken_back", to(booked, email), `${event}:${at}`, { amount, wallet, currency, reason }, at)
})
