/** The precondition of a charge: `VPS-Max-Charge` on a create and on a resize. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp, type TestApp } from "../support/app.ts"

const send = (app: TestApp, path: string, limit: string, headers: Readonly<Record<string, string>> = {}) =>
  app.api({
    method: "POST",
    path,
    body: { service_id: path === "/instances" ? 1 : 2 },
    headers: { "vps-max-charge": limit, ...headers }
  })

const wallet = (app: TestApp) => Effect.map(app.control("GET", "/wallet"), ({ body }) => body.balance)

describe("the most that may be charged", () => {
  it.live("refuses a higher charge of a create with both amounts, and nothing happens", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const limit of ["4.98 EUR", "0 EUR", "5.00 USD"]) {
        const { body, headers, status } = yield* send(app, "/instances", limit, { "idempotency-key": "web-1" })
        assert.strictEqual(status, 409)
        assert.include(body.detail, "This costs 4.99 EUR, but at most ")
        assert.include(body.detail, "may be charged (VPS-Max-Charge). Nothing was charged.")
        assert.strictEqual(headers.get("vps-charge"), "4.99 EUR")
        assert.isNull(headers.get("retry-after"), "clients do not retry it")
      }
      assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
      assert.strictEqual(yield* wallet(app), 1_000)
      const bought = yield* send(app, "/instances", "4.99 EUR", { "idempotency-key": "web-1" })
      assert.deepStrictEqual([bought.status, bought.body.id], [201, 1])
      const again = yield* send(app, "/instances", "0.01 EUR", { "idempotency-key": "web-1" })
      assert.deepStrictEqual([again.status, again.body.id], [201, 1], "a replay charges nothing")
    }))

  it.live("refuses a higher charge of a resize, and counts neither on a dry run", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* send(app, "/instances", "5 EUR")
      yield* deployed(app, 1)
      const before = yield* wallet(app)
      const refused = yield* send(app, "/instances/1/resize", "1.00 EUR")
      assert.strictEqual(refused.status, 409)
      assert.match(refused.headers.get("vps-charge")!, /^[45]\.\d\d EUR$/)
      assert.strictEqual(yield* wallet(app), before)
      assert.strictEqual((yield* app.api({ path: "/instances/1" })).body.order.service_id, 1)
      const resized = yield* send(app, "/instances/1/resize", refused.headers.get("vps-charge")!)
      assert.strictEqual(resized.status, 200)
      assert.strictEqual((yield* send(app, "/instances?dry_run=true", "0.01 EUR")).status, 200)
    }))

  it.live("is an amount with a currency", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const limit of ["5", "5.001 EUR", "-1 EUR", "5.00 eur", "EUR 5", "1e3 EUR", ""]) {
        const { body, status } = yield* send(app, "/instances", limit)
        assert.strictEqual(status, 422, limit)
        assert.deepStrictEqual(body.detail[0].loc, ["header", "VPS-Max-Charge"])
        assert.include(body.detail[0].msg, "like 5.00 EUR")
      }
    }))
})
