/**
 * The one rule for money at risk: what is due within the next days, summed over all instances of an account, as that
 * customer pays, against the wallet. Mails, the panel, and operators' lists use it.
 */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { nextCharge } from "../operations/Renew.ts"
import { Overview, type Renewing } from "../persistence/Overview.ts"

const DAY_MILLIS = 86_400_000

/** Days ahead, in which a customer can still pay by bank transfer. */
export const RISK_DAYS = 7

export interface Due {
  readonly instanceId: number
  readonly hostname: string | null
  /** When it is charged, in epoch milliseconds. */
  readonly at: number
  readonly charge: Minor
}

export interface Risk {
  readonly wallet: Minor
  /** All charges, in order. */
  readonly due: ReadonlyArray<Due>
  /** Those that the wallet does not pay for; at least one. */
  readonly unpaid: readonly [Due, ...ReadonlyArray<Due>]
  /** The amount with which the wallet would pay for all. */
  readonly missing: Minor
}

/** The next charge of an instance, as its owner pays. */
export const dueOf = (renewing: Renewing): Due => ({
  instanceId: renewing.instanceId,
  hostname: renewing.hostname,
  at: renewing.expiresAt,
  charge: nextCharge(renewing, renewing.vat)
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
  return { wallet, due, unpaid: [first, ...others], missing: total - wallet }
}

const byAccount = (renewals: ReadonlyArray<Renewing>): ReadonlyMap<number, Risk> => {
  const risks = new Map<number, Risk>()
  for (const [accountId, own] of Map.groupBy(renewals, (one) => one.accountId)) {
    const risk = riskOf(own)
    if (risk !== undefined) risks.set(accountId, risk)
  }
  return risks
}

/** The accounts at risk within the next days. Reads day by day: there may be many renewals. */
export const accountsAtRisk = Effect.fnUntraced(function*(now: number) {
  const { renewals } = yield* Overview
  const found: Array<Renewing> = []
  for (let day = 0; day < RISK_DAYS; day++) {
    found.push(...yield* renewals(day === 0 ? 0 : now + day * DAY_MILLIS, now + (day + 1) * DAY_MILLIS))
    yield* Effect.yieldNow
  }
  return byAccount(found)
})

/** The risks of some accounts, by id; one that is not at risk has none. */
export const risksOf = Effect.fnUntraced(function*(accounts: ReadonlyArray<number>, now: number) {
  const renewals = yield* (yield* Overview).renewalsOf(accounts, now + RISK_DAYS * DAY_MILLIS)
  return byAccount(renewals)
})
