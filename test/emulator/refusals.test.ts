/** The controls reject invalid bodies with the API's errors, unknown paths, and other computers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as HttpServer from "effect/http/HttpServer"
import * as Layer from "effect/Layer"
import * as App from "#service/App"
import { resolve } from "#service/config/Resolve"
import { SEED_KEY } from "#service/emulator/Seed"
import { startApp } from "../support/app.ts"

const BAD: ReadonlyArray<readonly [method: string, path: string, body: unknown, ReadonlyArray<unknown>]> = [
  ["PUT", "/deploy", { mode: "later" }, [["body", "mode"], "literal_error"]],
  ["PUT", "/deploy", { mode: "after_ms", value: -1 }, [["body", "value"], "greater_than_equal"]],
  ["PUT", "/deploy", { mode: "after_ms", value: "5" }, [["body", "value"], "int_type"]],
  ["PUT", "/deploy", {}, [["body", "mode"], "missing"]],
  ["PUT", "/deploy", { mode: "instant", extra: 1 }, [["body", "extra"], "extra_forbidden"]],
  ["PUT", "/deploy", undefined, [["body"], "missing"]],
  ["POST", "/clock", {}, [["body", "advance_ms"], "missing"]],
  ["POST", "/clock", { advance_ms: -1 }, [["body", "advance_ms"], "greater_than_equal"]],
  ["POST", "/clock", { advance_ms: 1e15 }, [["body", "advance_ms"], "less_than_equal"]],
  ["POST", "/clock", { freeze: "yes" }, [["body", "freeze"], "bool_type"]],
  ["POST", "/wallet", { amount: 0 }, [["body", "amount"], "greater_than"]],
  ["POST", "/wallet", { amount: 0.001 }, [["body", "amount"], "decimal_max_places"]],
  ["POST", "/wallet", { amount: "5" }, [["body", "amount"], "float_type"]],
  ["POST", "/wallet", { amount: 5, account_id: 0 }, [["body", "account_id"], "greater_than"]],
  ["POST", "/wallet", [], [["body"], "model_attributes_type"]],
  ["PUT", "/wallet", {}, [["body", "balance"], "missing"]],
  ["PUT", "/wallet", { balance: -0.01 }, [["body", "balance"], "greater_than_equal"]],
  ["PUT", "/wallet", { balance: "5" }, [["body", "balance"], "float_type"]],
  ["POST", "/accounts", { email: "b@example.test" }, [["body", "wallet"], "missing"]],
  ["POST", "/accounts", { email: "b@example.test", wallet: -1 }, [["body", "wallet"], "greater_than_equal"]],
  ["POST", "/accounts", { email: "b", wallet: 1 }, [["body", "email"], "string_too_short"]],
  [
    "POST",
    "/accounts",
    { email: "b@example.test", wallet: 1, currency: "euro" },
    [["body", "currency"], "enum"]
  ],
  [
    "POST",
    "/accounts",
    { email: "b@example.test", wallet: 1, vat_treatment: "none" },
    [["body", "vat_treatment"], "literal_error"]
  ]
]

describe("the emulator", () => {
  it.live("refuses bodies that are wrong, in the API's own shape", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const [method, path, sent, [loc, type]] of BAD) {
        const { body, status } = yield* app.control(method, path, sent)
        assert.strictEqual(status, 422, JSON.stringify(sent))
        assert.deepStrictEqual(body.detail.map((item: { loc: unknown }) => item.loc), [loc])
        assert.deepStrictEqual(body.detail.map((item: { type: unknown }) => item.type), [type])
      }
      const { body: ledger } = yield* app.control("GET", "/ledger")
      assert.strictEqual(ledger.journals.length, 1, "nothing was booked")
    }))

  it.live("refuses controls that do not exist, and wrong methods", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      assert.strictEqual((yield* app.control("POST", "/nonsense")).status, 404)
      assert.strictEqual((yield* app.control("GET", "/constructor")).status, 404)
      const wrong = yield* app.control("GET", "/reset")
      assert.deepStrictEqual([wrong.status, wrong.headers.get("allow")], [405, "POST"])
    }))

  it.live("refuses everyone outside of its mode", () =>
    Effect.gen(function*() {
      const settings = resolve(
        ["--port", "0", "--database", ":memory:", "--driver=simulated", "--request-log=false"],
        { VPS_SERVICE_LAME_DUCK_MILLIS: "0" }
      )
      const context = yield* Layer.build(Layer.fresh(App.layer(settings)))
      const origin = yield* Effect.provideContext(HttpServer.addressFormattedWith(Effect.succeed), context)
      const reset = yield* Effect.promise(() => fetch(`${origin}/_emulator/reset`, { method: "POST" }))
      assert.strictEqual(reset.status, 404)
      const headers = { authorization: `Bearer ${SEED_KEY}` }
      const whoami = yield* Effect.promise(() => fetch(`${origin}/api/v1/whoami`, { headers }))
      assert.strictEqual(whoami.status, 401)
    }))
})
