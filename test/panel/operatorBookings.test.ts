/** Operators see the transactions that the sums of the first page are made of. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"

const command = (browser: PanelBrowser, name: string, body: object = {}) =>
  Effect.map(browser.call({ method: "POST", path: `/operator/commands/${name}`, body }), ({ body }) => body)

interface Row {
  readonly kind: string
  readonly amount: number
}

const total = (rows: ReadonlyArray<Row>) => rows.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0) / 100

describe("the transactions of all wallets", () => {
  it.live("add up to the money of today, and are found by account, number, reference and reason", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "operator")
      const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* deployed(app, id)
      yield* command(browser, "wallet.top_up", { account_id: 1, amount: 25, reference: "bank-42" })
      const debit = { account_id: 1, amount: 5, reason: "data recovery", payout: false, reference: "d-1" }
      yield* command(browser, "wallet.debit", debit)
      const list = (filter: object): Effect.Effect<ReadonlyArray<Row>> =>
        command(browser, "wallet.bookings", { limit: 10, ...filter })
      const sums = (filter: object) =>
        Effect.map(list(filter), (rows) => rows.map(({ amount, kind }) => [kind, amount]))
      const { body: { money: [today] } } = yield* browser.call({ path: "/operator/today" })
      assert.strictEqual(total(yield* list({ kind: "charge" })), today.charges)
      assert.deepStrictEqual(yield* sums({ kind: "charge" }), [["debit", -5], ["instance_create", -4.99]])
      assert.deepStrictEqual(yield* sums({ search: "BANK-42" }), [["top_up", 25]])
      // A number is an id, and no part of a text.
      assert.deepStrictEqual(yield* sums({ search: "42" }), [])
      assert.lengthOf(yield* list({ search: "1" }), 4)
      assert.deepStrictEqual(yield* sums({ search: "data reco" }), [["debit", -5]])
      assert.deepStrictEqual(yield* sums({ search: "owner@", kind: "refund" }), [])
      assert.deepStrictEqual(yield* sums({ since: "2999-01-01" }), [])
      assert.deepStrictEqual(yield* sums({ until: "2000-01-01" }), [])
      yield* app.control("POST", "/clock", { advance_ms: 60_000 })
      yield* command(browser, "wallet.top_up", { account_id: 1, amount: 1, reference: "later" })
      const [later] = yield* command(browser, "wallet.bookings", { limit: 1 })
      assert.deepStrictEqual(yield* sums({ since: later.at }), [["top_up", 1]])
      assert.notInclude(JSON.stringify(yield* sums({ until: later.at })), JSON.stringify(["top_up", 1]))
      const [, newest, before, created] = yield* command(browser, "wallet.bookings", { limit: 4 })
      assert.deepInclude(created, { account_email: "owner@example.test", account_id: 1, instance_id: id })
      assert.strictEqual(newest.description, "Debit: data recovery")
      assert.deepStrictEqual(yield* command(browser, "wallet.bookings", { limit: 1, before: newest.id }), [before])
    })))
})
