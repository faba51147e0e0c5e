/** Accounts by what they need: money for what is due soon, or help with what has failed. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"

const DAY = 86_400_000

const command = (browser: PanelBrowser, name: string, body: object = {}) =>
  Effect.map(browser.call({ method: "POST", path: `/operator/commands/${name}`, body }), ({ body }) => body)

const idsOf = (browser: PanelBrowser, filter: object) =>
  Effect.map(
    command(browser, "accounts.list", { after: 0, limit: 10, ...filter }),
    (accounts) => accounts.map(({ id }: { readonly id: number }) => id)
  )

const started = Effect.gen(function*() {
  const app = yield* startApp()
  const browser = yield* signInAs(app, "operator")
  yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
  const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
  yield* deployed(app, id)
  const needs = Effect.map(browser.call({ path: "/operator/today" }), ({ body }) => body.accounts)
  const advance = (days: number) => app.control("POST", "/clock", { advance_ms: days * DAY })
  return { app, browser, advance, id: id as number, needs }
})

describe("accounts by need", () => {
  it.live("have a low balance if the wallet does not pay for the renewals of the next days", () =>
    Effect.scoped(Effect.gen(function*() {
      const { advance, app, browser, id, needs } = yield* started
      const show = command(browser, "accounts.show", { id: 1 })
      yield* app.control("PUT", "/wallet", { balance: 4.98 })
      assert.deepInclude(yield* show, { charges_due: 0, low_balance: false, failed_tasks: 0 })
      assert.deepStrictEqual(yield* needs, { low_balance: 0, failures: 0 })
      yield* advance(26)
      assert.deepInclude(yield* show, { charges_due: 4.99, low_balance: true })
      assert.deepStrictEqual(yield* needs, { low_balance: 1, failures: 0 })
      assert.deepStrictEqual(yield* idsOf(browser, { need: "low_balance" }), [1])
      assert.deepStrictEqual(yield* idsOf(browser, { need: "low_balance", search: "b@example" }), [])
      assert.deepStrictEqual(yield* idsOf(browser, { need: "low_balance", after: 1 }), [])
      // The charge is the customer's: without VAT, the wallet is enough.
      yield* command(browser, "accounts.edit", { id: 1, vat_treatment: "reverse_charge" })
      assert.deepInclude(yield* show, { charges_due: 4.19, low_balance: false })
      assert.deepStrictEqual(yield* idsOf(browser, { need: "low_balance" }), [])
      yield* app.control("PUT", "/wallet", { balance: 4 })
      yield* command(browser, "instances.auto_renew", { id, auto_renew: false })
      assert.deepInclude(yield* show, { charges_due: 0, low_balance: false })
    })))

  it.live("have failures for some days", () =>
    Effect.scoped(Effect.gen(function*() {
      const { advance, app, browser, needs } = yield* started
      yield* app.control("POST", "/faults", { operation: "driver.provision", driver: "rejected", count: 1 })
      const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* deployed(app, id, "failed")
      const [first, second] = yield* command(browser, "accounts.list", { after: 0, limit: 10 })
      assert.deepStrictEqual([first.failed_tasks, second.failed_tasks], [1, 0])
      assert.deepStrictEqual(yield* idsOf(browser, { need: "failures" }), [1])
      assert.deepStrictEqual(yield* needs, { low_balance: 0, failures: 1 })
      yield* advance(8)
      assert.deepStrictEqual(yield* idsOf(browser, { need: "failures" }), [])
      assert.deepStrictEqual(yield* needs, { low_balance: 0, failures: 0 })
    })))
})
