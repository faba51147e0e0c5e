/** Members of an account see its wallet and its statement, by page and as CSV. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { StatementRecord } from "#service/contract/Statement"
import { startApp } from "../support/app.ts"
import { signInAs } from "../support/panel.ts"
import { paymentFlag, payPage } from "../support/payment.ts"
import { temporaryFolder } from "../support/temporary.ts"

const DAY = 86_400_000

const started = Effect.gen(function*() {
  const app = yield* startApp()
  return { app, browser: yield* signInAs(app, "customer") }
})

describe("the wallet in the panel", () => {
  it.live("has its balance, and lines that explain it, page after page", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      assert.deepStrictEqual((yield* browser.call({ path: "/accounts/1/wallet" })).body, {
        balance: 995.01,
        currency: "EUR",
        at_risk: null,
        missing: 0,
        payment: null
      })
      const first = (yield* browser.call({ path: "/accounts/1/wallet/statement?limit=1" })).body
      assert.deepInclude(first.items[0], { kind: "instance_create", amount: -4.99, balance: 995.01, plan: "VPS S" })
      const second = (yield* browser.call({ path: `/accounts/1/wallet/statement?limit=1&after=${first.next}` })).body
      assert.deepInclude(second.items[0], { kind: "top_up", amount: 1_000, balance: 1_000 })
      assert.isNull(second.next)
      const strict = Schema.decodeUnknownEffect(StatementRecord, { onExcessProperty: "error" })
      yield* Effect.forEach([...first.items, ...second.items], (line) => strict(line))
    })))

  it.live("says what is missing when instances share money for one of them", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      for (const hostname of ["a", "b"]) {
        yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname } })
      }
      yield* app.control("POST", "/clock", { advance_ms: 26 * DAY })
      yield* app.control("PUT", "/wallet", { balance: 6 })
      const { at_risk: risk } = (yield* browser.call({ path: "/accounts/1/wallet" })).body
      assert.deepInclude(risk, { missing: 3.98, instances: [2], deletion: null })
      const { body } = yield* app.api({ path: "/instances/2" })
      assert.strictEqual(risk.until, body.expires_at)
      yield* app.control("PUT", "/wallet", { balance: 9.98 })
      assert.isNull((yield* browser.call({ path: "/accounts/1/wallet" })).body.at_risk)
    })))

  it.live("says how to pay what is missing, as do a mail, the API, and the refusal of a purchase", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp([paymentFlag(yield* temporaryFolder)])
      const browser = yield* signInAs(app, "customer")
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* app.control("PUT", "/wallet", { balance: 1 })
      const { body: refused, status } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      assert.strictEqual(status, 402)
      assert.deepStrictEqual(Object.keys(refused), ["detail"])
      const transfer = "with the reference VPS-1 to: Nordwind GmbH, IBAN DE02 1203 0000 0000 2020 51."
      assert.include(
        refused.detail,
        `3.99 EUR are missing. To pay them, open ${payPage("3.99")}, or transfer them ${transfer}`
      )
      yield* app.control("POST", "/clock", { advance_ms: 28 * DAY })
      const { body: who } = yield* app.api({ path: "/whoami" })
      assert.deepInclude(who.at_risk, { missing: 3.99, currency: "EUR", instances: [1], deletion: null })
      assert.deepInclude(who.payment, { reference: "VPS-1", page: payPage("3.99") })
      const { body: wallet } = yield* browser.call({ path: "/accounts/1/wallet" })
      assert.deepInclude(wallet, { missing: 3.99 })
      assert.deepInclude(wallet.payment, { reference: "VPS-1", page: payPage("{amount}") })
      const { body: mails } = yield* app.control("GET", "/mails")
      assert.include(mails.at(-1).text, `To pay 3.99 EUR, open this page:\n\n  ${payPage("3.99")}\n`)
    })))

  it.live("keeps what has expired until it is deleted, and forecasts 60 days", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const wallet = Effect.map(browser.call({ path: "/accounts/1/wallet" }), ({ body }) => body)
      const forecast = Effect.map(browser.call({ path: "/accounts/1/wallet/forecast" }), ({ body }) => body)
      yield* app.control("PUT", "/wallet", { balance: 9 })
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname: "web" } })
      yield* app.control("POST", "/clock", { advance_ms: 5_000 })
      const { charges } = yield* forecast
      assert.deepStrictEqual(charges.map(({ balance }: { balance: number }) => balance), [-0.98])
      yield* app.control("POST", "/clock", { advance_ms: 33 * DAY })
      const { at_risk: risk, missing } = yield* wallet
      assert.deepInclude(risk, { missing: 0.98, instances: [1] })
      assert.strictEqual(risk.deletion, risk.until)
      assert.strictEqual(missing, 0.98)
      const { charges: [first], from } = yield* forecast
      assert.deepInclude(first, { at: from, instance_id: 1, hostname: "web", charge: 4.99, balance: -0.98 })
      yield* app.control("POST", "/clock", { advance_ms: 8 * DAY })
      assert.deepInclude(yield* wallet, { at_risk: null, missing: 0 })
      assert.deepStrictEqual((yield* forecast).charges, [])
    })))

  it.live("is a file for spreadsheets", () =>
    Effect.scoped(Effect.gen(function*() {
      const { browser } = yield* started
      const { body, headers, status } = yield* browser.call({ path: "/accounts/1/wallet/statement.csv" })
      assert.strictEqual(status, 200)
      assert.strictEqual(headers.get("content-type"), "text/csv; charset=utf-8")
      assert.strictEqual(headers.get("content-disposition"), "attachment; filename=\"statement-1.csv\"")
      assert.match(body, /^"id","at",.*\r\n1,"[^"]+","top_up","Top-up seed",1000,1000,"EUR",.*\r\n$/)
    })))
})

describe("an emulator's controls in the panel", () => {
  it.live("are those of the emulator, for all who are signed in", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, browser } = yield* started
      const call = (method: string, path: string, body?: object) =>
        Effect.map(browser.call({ method, path: `/emulator${path}`, body }), (answer) => [answer.status, answer.body])
      yield* app.api({
        method: "POST",
        path: "/instances",
        body: { service_id: 1 },
        headers: { "idempotency-key": "k" }
      })
      yield* app.api({
        method: "POST",
        path: "/instances",
        body: { service_id: 1 },
        headers: { "idempotency-key": "k" }
      })
      const [, requests] = yield* call("GET", "/requests")
      assert.deepStrictEqual(requests.map(({ replayed }: { replayed: boolean }) => replayed), [false, true])
      const [, { frozen }] = yield* call("POST", "/clock", { freeze: true })
      assert.isTrue(frozen)
      assert.deepStrictEqual(yield* call("PUT", "/deploy", { mode: "after_polls", value: 3 }), [
        200,
        { mode: "after_polls", value: 3 }
      ])
      assert.strictEqual((yield* call("POST", "/faults", { operation: "instances.get", status: 503 }))[0], 201)
      assert.strictEqual((yield* call("DELETE", "/faults"))[0], 200)
      assert.deepInclude((yield* call("POST", "/states/a-b"))[1], { name: "a-b" })
      assert.strictEqual((yield* call("POST", "/states/a-b/restore"))[0], 200)
      assert.isTrue((yield* call("GET", "/ledger"))[1].balanced)
      assert.strictEqual((yield* call("GET", "/nothing"))[0], 404)
      assert.strictEqual((yield* call("PUT", "/ledger"))[0], 405)
    })))
})
