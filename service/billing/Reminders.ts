/**
 * Mails that are sent before something is lost: before a renewal that the wallet does not pay for, and before an
 * expired instance is deleted. Each once for the days that are left.
 */
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { price } from "../domain/Vat.ts"
import { ownerOf } from "../instances/Admission.ts"
import { post } from "../mail/Outbox.ts"
import { announced } from "../operations/Renew.ts"
import { Instances } from "../persistence/Instances.ts"
import { Overview, type Renewing } from "../persistence/Overview.ts"
import { Transaction } from "../persistence/Transaction.ts"

const DAY_MILLIS = 86_400_000

/** Days before a renewal: time for a bank transfer, for a card, and the last day. */
const BEFORE_RENEWAL = [1, 3, 7]
const BEFORE_DELETION = [1, 3]

/** The days of the reminder that is due; undefined if it is too early or too late for one. */
const daysOf = (stages: ReadonlyArray<number>, moment: number, now: number): number | undefined =>
  moment <= now ? undefined : stages.find((days) => moment - now <= days * DAY_MILLIS)

export interface Due {
  readonly instanceId: number
  readonly hostname: string | null
  /** When it is charged, in epoch milliseconds. */
  readonly at: number
  readonly charge: Minor
}

/** The charges of an account in order, and the first that the wallet does not pay for; undefined if it pays for all. */
export interface Risk {
  readonly wallet: Minor
  readonly due: ReadonlyArray<Due>
  readonly missing: Minor
  readonly firstUnpaid: Due
}

const dueOf = (renewing: Renewing): Due => ({
  instanceId: renewing.instanceId,
  hostname: renewing.hostname,
  at: renewing.expiresAt,
  charge: price(announced(renewing) ?? renewing.price, renewing.vat).charge
})

/** The one rule for money at risk: what is due, summed over all instances, against the wallet. */
export const riskOf = (renewals: ReadonlyArray<Renewing>): Risk | undefined => {
  const wallet = renewals[0]?.wallet ?? 0
  const due = renewals.map(dueOf).toSorted((a, b) => a.at - b.at || a.instanceId - b.instanceId)
  let left = wallet
  let firstUnpaid: Due | undefined
  // An unpaid one leaves the money to those after it.
  for (const one of due) {
    if (one.charge <= left) left -= one.charge
    else firstUnpaid ??= one
  }
  if (firstUnpaid === undefined) return undefined
  const total = due.reduce((sum, { charge }) => sum + charge, 0)
  return { wallet, due, missing: total - wallet, firstUnpaid }
}

/** Renewals of all accounts within the days of the first reminder, read day by day: there may be many. */
const renewalsAhead = Effect.fnUntraced(function*(now: number) {
  const { renewals } = yield* Overview
  const found: Array<Renewing> = []
  for (let day = 0; day < Math.max(...BEFORE_RENEWAL); day++) {
    found.push(...yield* renewals(now + day * DAY_MILLIS, now + (day + 1) * DAY_MILLIS))
    yield* Effect.yieldNow
  }
  return found
})

const remindOfRenewals = Effect.fnUntraced(function*(now: number) {
  const { run } = yield* Transaction
  for (const [accountId, own] of Map.groupBy(yield* renewalsAhead(now), (one) => one.accountId)) {
    const risk = riskOf(own)
    const days = risk && daysOf(BEFORE_RENEWAL, risk.firstUnpaid.at, now)
    if (risk === undefined || days === undefined) continue
    const { currency, email } = yield* ownerOf({ accountId })
    const event = `${accountId}:${risk.firstUnpaid.at}:${days}`
    yield* run(post("renewal_due", { accountId, instanceId: null, email }, event, { ...risk, currency }, now))
  }
})

const remindOfDeletions = Effect.fnUntraced(function*(now: number) {
  const { subscriptions } = yield* Instances
  const { run } = yield* Transaction
  for (const one of yield* subscriptions.graceEnds(now, now + Math.max(...BEFORE_DELETION) * DAY_MILLIS)) {
    const { accountId, autoRenew, currency, graceUntil, instanceId } = one
    const days = daysOf(BEFORE_DELETION, graceUntil!, now)
    if (days === undefined) continue
    const { email, vat } = yield* ownerOf(one)
    const instance = yield* (yield* Instances).find(instanceId)
    const { charge } = price(announced(one) ?? one.price, vat)
    const facts = {
      instanceId,
      hostname: instance?.hostname ?? null,
      autoRenew,
      charge,
      currency,
      graceUntil: graceUntil!
    }
    const event = `${instanceId}:${graceUntil}:${days}`
    yield* run(post("deletion_due", { accountId, instanceId, email }, event, facts, now))
  }
})

/** Writes the reminders that are due. Replicas may do it concurrently: each is written once. */
export const remind = Effect.fnUntraced(function*(now: number) {
  yield* remindOfRenewals(now)
  yield* remindOfDeletions(now)
})
