/** The controls over HTTP. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { hash } from "node:crypto"
import { deployed, startApp, type TestApp } from "../support/app.ts"

const create = (app: TestApp, more: { readonly key?: string; readonly headers?: Record<string, string> } = {}) =>
  app.api({ method: "POST", path: "/instances", body: { service_id: 1 }, ...more })

const balance = (app: TestApp) =>
  Effect.map(
    app.api({ method: "POST", path: "/instances?dry_run=true", body: { service_id: 1 } }),
    ({ body }) => body.wallet_balance as number
  )

describe("reset", () => {
  it.live("goes back to the seed, with the same key and ids from 1", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* create(app)
      yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 1 })
      yield* app.control("PUT", "/deploy", { mode: "after_polls", value: 1000 })
      yield* create(app)
      const { body, status } = yield* app.control("POST", "/reset")
      assert.deepStrictEqual([status, body], [200, { ok: true, account_id: 1, api_key: app.key }])
      assert.strictEqual(yield* balance(app), 1000)
      assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
      assert.deepStrictEqual((yield* app.control("GET", "/tasks")).body, [])
      yield* app.control("PUT", "/deploy", { mode: "instant" })
      const { body: first } = yield* create(app)
      assert.strictEqual(first.id, 1)
      assert.strictEqual((yield* deployed(app, 1)).provider_id, "sim-1")
    }))

  it.live("forgets keys that were made since, at once", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body } = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      assert.strictEqual((yield* app.api({ path: "/whoami", key: body.api_key })).status, 200)
      yield* app.control("POST", "/reset")
      assert.strictEqual((yield* app.api({ path: "/whoami", key: body.api_key })).status, 401)
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
    }))

  it.live("in the middle of work leaves nothing of it behind", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 20 })
      for (let round = 0; round < 5; round++) {
        const buys = Array.from({ length: 20 }, () => create(app))
        yield* Effect.all([...buys, app.control("POST", "/reset"), ...buys], { concurrency: "unbounded" })
      }
      yield* app.control("POST", "/reset")
      const { body } = yield* create(app)
      const instance = yield* deployed(app, body.id)
      assert.deepInclude(instance, { id: 1, provider_id: "sim-1" })
      const { body: ledger } = yield* app.control("GET", "/ledger")
      assert.isTrue(ledger.balanced)
      assert.deepStrictEqual(ledger.journals.map(({ kind }: { kind: string }) => kind), ["top_up", "instance_create"])
    }))
})

describe("deploy", () => {
  it.live("after_polls is shown as deployed by the read that completes the count", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("PUT", "/deploy", { mode: "after_polls", value: 3 })
      const { body } = yield* create(app)
      const statuses = []
      for (let read = 0; read < 3; read++) {
        statuses.push((yield* app.api({ path: `/instances/${body.id}` })).body.status)
      }
      assert.include(["pending", "provisioning"], statuses[0])
      assert.deepStrictEqual(statuses.slice(1), ["provisioning", "running"])
    }))

  it.live("after_polls does not count reads of those who are not shown the instance", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("PUT", "/deploy", { mode: "after_polls", value: 2 })
      const path = `/instances/${(yield* create(app)).body.id}`
      const { body: other } = yield* app.control("POST", "/accounts", { email: "other@example.test", wallet: 0 })
      assert.strictEqual((yield* app.api({ path, key: other.api_key })).status, 404)
      assert.notStrictEqual((yield* app.api({ path })).body.status, "running")
      assert.strictEqual((yield* app.api({ path })).body.status, "running")
    }))

  it.live("instant completes any operation before the first read", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("POST", "/clock", { freeze: true })
      const { body } = yield* create(app)
      const status = Effect.map(app.api({ path: `/instances/${body.id}` }), (answer) => answer.body.status as string)
      assert.strictEqual(yield* status, "running")
      yield* app.api({ method: "POST", path: `/instances/${body.id}/stop` })
      assert.strictEqual(yield* status, "stopped")
      yield* app.control("POST", "/faults", { operation: "driver.provision", driver: "rejected" })
      const { body: other } = yield* create(app)
      assert.strictEqual((yield* app.api({ path: `/instances/${other.id}` })).body.status, "failed")
    }))

  it.live("instant has no read wait for what is held up", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("POST", "/clock", { freeze: true })
      yield* app.control("POST", "/faults", { operation: "driver.provision", driver: "busy" })
      const { body } = yield* create(app)
      assert.include(["pending", "provisioning"], (yield* app.api({ path: `/instances/${body.id}` })).body.status)
    }))

  it.live.each([
    [{ mode: "instant" }, { mode: "instant", value: 0 }],
    [{ mode: "instant", value: 7 }, { mode: "instant", value: 0 }],
    [{ mode: "after_ms" }, { mode: "after_ms", value: 1000 }],
    [{ mode: "after_ms", value: 5 }, { mode: "after_ms", value: 5 }],
    [{ mode: "after_polls" }, { mode: "after_polls", value: 1 }]
  ])("%j is answered in full", ([sent, answered]) =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body, status } = yield* app.control("PUT", "/deploy", sent)
      assert.deepStrictEqual([status, body], [200, answered])
    }))
})

describe("accounts and wallets", () => {
  it.live("an account has its own wallet, key and VAT", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const asked = { email: "b@example.test", wallet: 4.2, vat_treatment: "reverse_charge", vat_rate: 19 }
      const { body, status } = yield* app.control("POST", "/accounts", asked)
      assert.strictEqual(status, 201)
      assert.strictEqual(body.account_id, 2)
      const whoami = yield* app.api({ path: "/whoami", key: body.api_key })
      assert.deepInclude(whoami.body, { account_id: 2, email: "b@example.test" })
      const bought = yield* create(app, { key: body.api_key })
      assert.strictEqual(bought.status, 201)
      assert.strictEqual(bought.body.order.service.pricing.charge_amount, 4.19)
    }))

  it.live("an account has euros, domestic VAT of 19 %, and a key that may create by default", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body } = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      const { body: whoami } = yield* app.api({ path: "/whoami", key: body.api_key })
      assert.deepStrictEqual(whoami.key.scopes, ["vps:create"])
      const { body: bought } = yield* create(app, { key: body.api_key })
      assert.deepInclude(bought.order.service.pricing, { treatment: "domestic", vat_rate: 19, charge_amount: 4.99 })
      assert.strictEqual((yield* app.control("GET", `/wallet/${body.account_id}`)).body.currency, "EUR")
    }))
})

describe("the emulator's record", () => {
  it.live("has the ledger in minor units", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* create(app)
      const { body } = yield* app.control("GET", "/ledger")
      assert.deepStrictEqual(body, {
        balanced: true,
        journals: [
          {
            id: 1,
            kind: "top_up",
            reference: "top_up:seed",
            entries: [{ account: "wallet:1", amount: 100_000 }, { account: "bank", amount: -100_000 }]
          },
          {
            id: 2,
            kind: "instance_create",
            reference: "instance_create:order:1",
            entries: [
              { account: "wallet:1", amount: -499 },
              { account: "revenue", amount: 419 },
              { account: "vat", amount: 80 }
            ]
          }
        ]
      })
    }))

  it.live("has requests with the digest of their idempotency key, not the key", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const headers = { "idempotency-key": "my-key" }
      yield* create(app, { headers })
      yield* create(app, { headers })
      yield* app.api({ path: "/instances/1?x=1", key: "" })
      const { body } = yield* app.control("GET", "/requests")
      const digest = hash("sha256", "my-key", "hex")
      const post = { method: "POST", path: "/api/v1/instances", query: "", status: 201, idempotency_key_sha256: digest }
      assert.deepStrictEqual(body, [
        { ...post, replayed: false },
        { ...post, replayed: true },
        {
          method: "GET",
          path: "/api/v1/instances/1",
          query: "x=1",
          status: 401,
          idempotency_key_sha256: null,
          replayed: false
        }
      ])
    }))
})
