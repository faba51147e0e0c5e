/** Accounts that need an operator: the wallet does not pay for what is due soon, or tasks have failed. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { accountsAtRisk, dueOf, RISK_DAYS as DAYS } from "../billing/MoneyAtRisk.ts"
import { Instances } from "../persistence/Instances.ts"
import { Overview } from "../persistence/Overview.ts"

const DAY_MILLIS = 86_400_000

/** Of some accounts: the charges of instances that are renewed within the next days. */
export const chargesDue = Effect.fnUntraced(function*(accounts: ReadonlyArray<number>) {
  const before = (yield* Clock.currentTimeMillis) + DAYS * DAY_MILLIS
  const sums = new Map<number, Minor>()
  for (const one of yield* (yield* Overview).renewalsOf(accounts, before)) {
    sums.set(one.accountId, (sums.get(one.accountId) ?? 0) + dueOf(one).charge)
  }
  return sums
})

/** Of all accounts: the number of tasks that failed within the last days. */
export const failures = Effect.gen(function*() {
  const since = (yield* Clock.currentTimeMillis) - DAYS * DAY_MILLIS
  return new Map(yield* (yield* Overview).failures(since))
})

/** Ids of the accounts that have to pay: for renewals, for instances that expired, or because they owe. */
const underfunded = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const { subscriptions } = yield* Instances
  const expired = yield* subscriptions.graceEnds(0, Number.MAX_SAFE_INTEGER)
  const ids = [
    ...(yield* accountsAtRisk(now)).keys(),
    ...expired.map(({ accountId }) => accountId),
    ...yield* (yield* Overview).owing
  ]
  return [...new Set(ids)]
})

/** Ids of the accounts with a need, in order. */
export const accountsInNeed = Effect.fnUntraced(function*(need: "low_balance" | "failures") {
  const ids = need === "low_balance" ? yield* underfunded : [...(yield* failures).keys()]
  return ids.toSorted((a, b) => a - b)
})
