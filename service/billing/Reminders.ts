/**
 * Mails that are sent before something is lost: before a renewal that the wallet does not pay for, and before an
 * expired instance is deleted. Each once for the days that are left.
 */
import * as Effect from "effect/Effect"
import { ownerOf } from "../instances/Admission.ts"
import { post } from "../mail/Outbox.ts"
import { nextCharge } from "../operations/Renew.ts"
import { Instances } from "../persistence/Instances.ts"
import { Transaction } from "../persistence/Transaction.ts"
import { accountsAtRisk, RiskObserver } from "./MoneyAtRisk.ts"

const DAY_MILLIS = 86_400_000

/** Days before a renewal: time for a bank transfer, for a card, and the last day. */
const LAST_DAYS = 1
const BEFORE_RENEWAL = [LAST_DAYS, 3, 7]
const BEFORE_DELETION = [LAST_DAYS, 3]

/** The days of the reminder that is due; undefined if it is too early or too late for one. */
const daysOf = (stages: ReadonlyArray<number>, moment: number, now: number): number | undefined =>
  moment <= now ? undefined : stages.find((days) => moment - now <= days * DAY_MILLIS)

const remindOfRenewals = Effect.fnUntraced(function*(now: number) {
  const { run } = yield* Transaction
  const risks = yield* accountsAtRisk(now)
  const observe = yield* RiskObserver
  observe(risks)
  for (const [accountId, risk] of risks) {
    // Those that have expired have mails of their own.
    const first = risk.unpaid.find(({ graceUntil }) => graceUntil === null)
    if (first === undefined) continue
    const { at } = first
    const days = daysOf(BEFORE_RENEWAL, at, now)
    if (days === undefined) continue
    const { currency, email } = yield* ownerOf({ accountId })
    const to = { accountId, instanceId: null, email }
    const facts = { ...risk, first: at, currency, isLast: days === LAST_DAYS }
    yield* run(post("renewal_due", to, `${accountId}:${at}:${days}`, facts, now))
  }
})

const remindOfDeletions = Effect.fnUntraced(function*(now: number) {
  const { subscriptions } = yield* Instances
  const { run } = yield* Transaction
  for (const one of yield* subscriptions.graceEnds(now, now + Math.max(...BEFORE_DELETION) * DAY_MILLIS)) {
    const { accountId, autoRenew, currency, graceUntil, instanceId } = one
    const days = daysOf(BEFORE_DELETION, graceUntil!, now)
    if (days === undefined) continue
    const { email, vat, wallet } = yield* ownerOf(one)
    const instance = yield* (yield* Instances).find(instanceId)
    const charge = nextCharge(one, vat)
    const facts = {
      instanceId,
      hostname: instance?.hostname ?? null,
      autoRenew,
      charge,
      missing: Math.max(0, charge - wallet),
      currency,
      graceUntil: graceUntil!,
      isLast: days === LAST_DAYS
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
