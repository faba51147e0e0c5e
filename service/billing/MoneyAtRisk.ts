/**
 * The one rule for money at risk: what is due within the next days, summed over all instances of an account, as that
 * customer pays, against the wallet. An expired instance is due until it is deleted. Mails, the panel, the API,
 * metrics, and operators' lists use it.
 */
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { nextPeriodEnd } from "../domain/Period.ts"
import { chargeAt } from "../operations/Renew.ts"
import { Overview, type Renewing } from "../persistence/Overview.ts"

const DAY_MILLIS = 86_400_000

/** Days ahead, in which a customer can still pay by bank transfer. */
export const RISK_DAYS = 7

export interface Due {
  readonly instanceId: number
  readonly hostname: string | null
  /** The end of its paid period, which is when it is charged; past for an expired one. In epoch milliseconds. */
  readonly at: number
  /** The deletion of an expired one; null for one that has not expired. */
  readonly graceUntil: number | null
  readonly charge: Minor
}

export interface Risk {
  readonly wallet: Minor
  /** ISO 4217 code. */
  readonly currency: string
  /** All charges, in order. */
  readonly due: ReadonlyArray<Due>
  /** Those that the wallet does not pay for; at least one. */
  readonly unpaid: readonly [Due, ...ReadonlyArray<Due>]
  /** The moment at which the first of these is powered off or deleted, in epoch milliseconds. */
  readonly until: number
  /** The deletion of the first of the expired ones; null if none has expired. */
  readonly deletion: number | null
  /** The amount with which the wallet would pay for all. */
  readonly missing: Minor
}

/** The next charge of an instance, as its owner pays. */
export const dueOf = (renewing: Renewing): Due => ({
  instanceId: renewing.instanceId,
  hostname: renewing.hostname,
  at: renewing.expiresAt,
  graceUntil: renewing.graceUntil,
  charge: chargeAt(renewing, renewing.vat, renewing.expiresAt)
})

/** The risk of one account, from all its renewals; undefined if the wallet pays for them. */
export const riskOf = (renewals: ReadonlyArray<Renewing>): Risk | undefined => {
  const wallet = renewals[0]?.wallet ?? 0
  const due = renewals.map(dueOf).toSorted((a, b) => a.at - b.at || a.instanceId - b.instanceId)
  const unpaid: Array<Due> = []
  let left = wallet
  // One that is not paid for leaves the money to those after it.
  for (const one of due) {
    if (one.charge <= left) left -= one.charge
    else unpaid.push(one)
  }
  const [first, ...others] = unpaid
  if (first === undefined) return undefined
  const total = due.reduce((sum, { charge }) => sum + charge, 0)
  const deletions = unpaid.flatMap(({ graceUntil }) => graceUntil === null ? [] : [graceUntil])
  return {
    wallet,
    currency: renewals[0]!.currency,
    due,
    unpaid: [first, ...others],
    until: Math.min(...unpaid.map(({ at, graceUntil }) => graceUntil ?? at)),
    deletion: deletions.length === 0 ? null : Math.min(...deletions),
    missing: total - wallet
  }
}

const byAccount = (renewals: ReadonlyArray<Renewing>): ReadonlyMap<number, Risk> => {
  const risks = new Map<number, Risk>()
  for (const [accountId, own] of Map.groupBy(renewals, (one) => one.accountId)) {
    const risk = riskOf(own)
    if (risk !== undefined) risks.set(accountId, risk)
  }
  return risks
}

/** Receives the accounts at risk, whenever reminders are written. */
export class RiskObserver extends Context.Reference<(risks: ReadonlyMap<number, Risk>) => void>(
  "@pulumi-vps/service/RiskObserver",
  { defaultValue: () => () => undefined }
) {}

/** The accounts at risk within the next days. Reads day by day: there may be many renewals. */
export const accountsAtRisk = Effect.fnUntraced(function*(now: number) {
  const { expired, renewals } = yield* Overview
  const found: Array<Renewing> = [...yield* expired]
  for (let day = 0; day < RISK_DAYS; day++) {
    found.push(...yield* renewals(day === 0 ? 0 : now + day * DAY_MILLIS, now + (day + 1) * DAY_MILLIS))
    yield* Effect.yieldNow
  }
  return byAccount(found)
})

/** The risk of one account; undefined if it has none. */
export const riskOfAccount = Effect.fnUntraced(function*(accountId: number) {
  const now = yield* Clock.currentTimeMillis
  const renewals = yield* (yield* Overview).renewalsOf([accountId], now + RISK_DAYS * DAY_MILLIS)
  return riskOf(renewals)
})

/** Days of a forecast: at least one charge of each instance, and most often two. */
export const FORECAST_DAYS = 60

/** A charge that is to come, if nothing changes. */
export interface Forecast {
  readonly instanceId: number
  readonly hostname: string | null
  /** Epoch milliseconds; now for an instance that has expired. */
  readonly at: number
  readonly charge: Minor
  /** The balance afterwards; below zero, so much is missing. */
  readonly balance: Minor
}

/** The charges of one instance until a moment, in order. */
const chargesOf = (renewing: Renewing, now: number, until: number): Array<Omit<Forecast, "balance">> => {
  const { expiresAt, graceUntil, hostname, instanceId, paidFrom, pausedMillis, vat } = renewing
  const charges: Array<Omit<Forecast, "balance">> = []
  // The period of an expired one begins with its payment.
  const shift = graceUntil === null ? pausedMillis : pausedMillis + Math.max(0, now - expiresAt)
  let end = expiresAt - pausedMillis
  while (end + shift < until) {
    charges.push({ instanceId, hostname, at: end + shift, charge: chargeAt(renewing, vat, end + shift) })
    end = nextPeriodEnd(paidFrom, end)
  }
  return charges
}

/** The wallet after each charge of the next days, in order, as if all were paid. */
export const forecastOf = (renewals: ReadonlyArray<Renewing>, now: number): ReadonlyArray<Forecast> => {
  const until = now + FORECAST_DAYS * DAY_MILLIS
  let balance = renewals[0]?.wallet ?? 0
  return renewals.flatMap((one) => chargesOf(one, now, until))
    .toSorted((a, b) => a.at - b.at || a.instanceId - b.instanceId)
    .map((one) => ({ ...one, balance: balance -= one.charge }))
}

export const forecastOfAccount = Effect.fnUntraced(function*(accountId: number, now: number) {
  return forecastOf(yield* (yield* Overview).renewalsOf([accountId], now + FORECAST_DAYS * DAY_MILLIS), now)
})
