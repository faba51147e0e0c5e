/** The controls of wallets: filled, set and shown, with books that stay balanced. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"

const create = (app: TestApp) => app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
const set = (app: TestApp, body: unknown) => app.control("PUT", "/wallet", body)
const show = (app: TestApp, path = "/wallet") => app.control("GET", path)

const isBalanced = (app: TestApp) => Effect.map(app.control("GET", "/ledger"), ({ body }) => body.balanced as boolean)

describe("a wallet", () => {
  it.live("is set to more, to less and to nothing, and the books explain it", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const balance of [2_000, 4.98, 4.98, 0, 0.01]) {
        assert.deepStrictEqual((yield* set(app, { balance })).body, { balance })
      }
      const { body } = yield* show(app)
      const lines = body.statement.map(({ amount, kind }: { amount: number; kind: string }) => [kind, amount])
      assert.deepStrictEqual(lines, [
        ["top_up", 0.01],
        ["payout", -4.98],
        ["payout", -1_995.02],
        ["top_up", 1_000],
        ["top_up", 1_000]
      ])
      assert.isTrue(yield* isBalanced(app))
    }))

  it.live("that is set pays for what had expired, as a payment would", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* set(app, { balance: 4.99 })
      const { body } = yield* create(app)
      yield* app.control("POST", "/clock", { advance_ms: 31 * 86_400_000 })
      const status = app.api({ path: `/instances/${body.id}` })
      assert.strictEqual((yield* status).body.status, "expired")
      assert.deepStrictEqual((yield* set(app, { balance: 5 })).body, { balance: 0.01 })
      assert.notStrictEqual((yield* status).body.status, "expired")
      assert.isTrue(yield* isBalanced(app))
    }))
})
