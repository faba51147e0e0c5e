/** The mails about payments. Each is written in the transaction of its booking, once. */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { ownerOf } from "../instances/Admission.ts"
import { post } from "../mail/Outbox.ts"
import type { Revival } from "../operations/Renew.ts"
import { Instances } from "../persistence/Instances.ts"
import { Overview } from "../persistence/Overview.ts"
import { FORECAST_DAYS, riskOf } from "./MoneyAtRisk.ts"

const DAY_MILLIS = 86_400_000

interface Booked {
  readonly accountId: number
  readonly amount: Minor
  /** The reference of the booking, and its moment: a payment that was moved may come back. */
  readonly event: string
  /** Epoch milliseconds. */
  readonly at: number
}

const to = ({ accountId }: Booked, email: string) => ({ accountId, instanceId: null, email })

const instanceOf = Effect.fnUntraced(function*(instanceId: number) {
  const instance = yield* (yield* Instances).find(instanceId)
  return instance ?? (yield* Effect.die(new Error(`instance ${instanceId} is missing`)))
})

const isRenewed = Effect.fnUntraced(function*(instanceId: number) {
  const { expiresAt, hostname } = yield* instanceOf(instanceId)
  return { instanceId, hostname, expiresAt: expiresAt! }
})

const isNotRenewed = Effect.fnUntraced(function*({ instanceId, reason }: Revival["notRenewed"][number]) {
  const { autoRenew, graceUntil, hostname } = yield* instanceOf(instanceId)
  return { instanceId, reason, autoRenew, graceUntil, hostname }
})

/** The payment is in the wallet, and has renewed what it could. */
export const mailBooked = Effect.fnUntraced(function*(booked: Booked, { notRenewed, renewed }: Revival) {
  const { amount, at, event } = booked
  const { currency, email, wallet } = yield* ownerOf(booked)
  const facts = {
    at,
    amount,
    wallet,
    currency,
    renewed: yield* Effect.forEach(renewed, isRenewed),
    notRenewed: yield* Effect.forEach(notRenewed, isNotRenewed)
  }
  yield* post("payment_booked", to(booked, email), `${event}:${at}`, facts, at)
})

/** The payment is no longer in the wallet. */
export const mailTakenBack = Effect.fnUntraced(function*(booked: Booked & { readonly reason: string | undefined }) {
  const { accountId, amount, at, event, reason } = booked
  const { currency, email, wallet } = yield* ownerOf(booked)
  const renewals = yield* (yield* Overview).renewalsOf([accountId], at + FORECAST_DAYS * DAY_MILLIS)
  const facts = { at, amount, wallet, currency, reason, until: riskOf(renewals)?.until }
  yield* post("payment_taken_back", to(booked, email), `${event}:${at}`, facts, at)
})
