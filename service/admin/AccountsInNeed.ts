/** Accounts that need an operator: the wallet does not pay for what is due soon, or tasks have failed. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { Minor } from "../domain/Money.ts"
import { price } from "../domain/Vat.ts"
import { announced } from "../operations/Renew.ts"
import { Overview, type Renewing } from "../persistence/Overview.ts"

const DAY_MILLIS = 86_400_000

/** Days ahead, in which a customer can still be informed, and days back, in which a failure still matters. */
const DAYS = 7

const chargeOf = (renewing: Renewing): Minor => price(announced(renewing) ?? renewing.price, renewing.vat).charge

/** The charges of accounts, with their wallets. */
const sumUp = (renewals: ReadonlyArray<Renewing>) => {
  const sums = new Map<number, { readonly wallet: Minor; readonly charges: Minor }>()
  for (const renewing of renewals) {
    const { accountId, wallet } = renewing
    sums.set(accountId, { wallet, charges: (sums.get(accountId)?.charges ?? 0) + chargeOf(renewing) })
  }
  return sums
}

/** Of some accounts: the charges of instances that are renewed within the next days. */
export const chargesDue = Effect.fnUntraced(function*(accounts: ReadonlyArray<number>) {
  const before = (yield* Clock.currentTimeMillis) + DAYS * DAY_MILLIS
  const sums = sumUp(yield* (yield* Overview).renewalsOf(accounts, before))
  return new Map([...sums].map(([account, { charges }]) => [account, charges]))
})

/** Of all accounts: the number of tasks that failed within the last days. */
export const failures = Effect.gen(function*() {
  const since = (yield* Clock.currentTimeMillis) - DAYS * DAY_MILLIS
  return new Map(yield* (yield* Overview).failures(since))
})

/** Ids of the accounts whose wallet does not pay for the charges that are due. Reads day by day: there may be many. */
const underfunded = Effect.gen(function*() {
  const now = yield* Clock.currentTimeMillis
  const { owing, renewals } = yield* Overview
  const found: Array<Renewing> = []
  for (let day = 0; day < DAYS; day++) {
    found.push(...yield* renewals(day === 0 ? 0 : now + day * DAY_MILLIS, now + (day + 1) * DAY_MILLIS))
    yield* Effect.yieldNow
  }
  const short = [...sumUp(found)].filter(([, { charges, wallet }]) => charges > wallet).map(([account]) => account)
  return [...new Set([...short, ...yield* owing])]
})

/** Ids of the accounts with a need, in order. */
export const accountsInNeed = Effect.fnUntraced(function*(need: "low_balance" | "failures") {
  const ids = need === "low_balance" ? yield* underfunded : [...(yield* failures).keys()]
  return ids.toSorted((a, b) => a - b)
})
