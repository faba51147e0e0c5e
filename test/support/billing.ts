/** Helpers for tests of renewal and expiry: an instance, a wallet, and a calendar. */
import { assert } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { fillWallet } from "#service/billing/TopUp"
import { Accounts } from "#service/persistence/Accounts"
import { Journals } from "#service/persistence/Journals"
import { execute } from "./database.ts"
import { buy, deployTime, elapse, show } from "./service.ts"

/** Epoch milliseconds. */
export const at = (text: string): number => Date.parse(text)

/** Lets all work continue until a moment. */
export const until = Effect.fnUntraced(function*(moment: number) {
  yield* TestClock.setTime(moment)
  yield* elapse(1_500, 300)
})

/** Journals of renewals, oldest first. */
export const renewals = Effect.map(
  Effect.flatMap(Journals, (book) => book.all),
  (journals) => journals.filter(({ kind }) => kind === "instance_renew")
)

/** Of account 1, in minor units. */
export const wallet = Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(1), (account) => account!.wallet))

/** Spends the wallet down to an amount, through the ledger: a plan of that price, bought and left alone. */
export const emptyWallet = (left: number) =>
  Effect.gen(function*() {
    const price = (yield* wallet) - left
    yield* execute(`INSERT INTO plans SELECT 99, name, 'big', description, ${price}, currency, billing_cycle, category,
      specs, data_center_id, is_active, out_of_stock, 0, created_at FROM plans WHERE id = 1`)
    yield* buy({ service_id: 99 })
    assert.strictEqual(yield* wallet, left)
  })

/** Of account 1, as the control and the operator do it. */
export const topUp = (amount: number, reference = "payment-1") =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => fillWallet({ accountId: 1, amount, reference, at: now }))

/** Bought and running, with as much in the wallet as said. */
export const running = Effect.fnUntraced(function*(left: number) {
  const { id } = yield* buy({ hostname: "web" })
  yield* deployTime
  yield* emptyWallet(left)
  return { id, end: at((yield* show(id)).expires_at!) }
})
