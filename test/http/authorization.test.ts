/** The order and details of authorization; `test/security/accessMatrix.test.ts` has every key at every endpoint. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { createKey } from "#service/auth/Keys"
import type { Scope } from "#contract/Scope"
import { Transaction } from "#service/persistence/Transaction"
import { startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

const DAY = 86_400_000

const keyWith = Effect.fnUntraced(function*(scopes: ReadonlyArray<Scope>, expiresAt: number | null = null) {
  const app = yield* App
  const mint = createKey({ accountId: 1, name: "test", scopes, expiresAt, at: 0 })
  const { id, token } = yield* app.inside(Effect.flatMap(Transaction, ({ run }) => run(mint)))
  return { id, token }
})

const whoami = (key: string) => Effect.flatMap(App, (app) => app.api({ path: "/whoami", key }))

layer(App.layer, { excludeTestServices: true })("authorization", (it) => {
  describe("401", () => {
    it.effect("the scheme is case-insensitive, with any number of spaces (RFC 9110 §11.1)", () =>
      Effect.gen(function*() {
        const app = yield* App
        const authorization = `bEARER   ${app.key}`
        assert.strictEqual((yield* app.api({ path: "/whoami", key: "", headers: { authorization } })).status, 200)
      }))

    it.effect("comes before the body, the query and the path are validated", () =>
      Effect.gen(function*() {
        const app = yield* App
        const create = { method: "POST", path: "/instances?dry_run=maybe", key: "", text: "{broken" }
        assert.strictEqual((yield* app.api(create)).status, 401)
        assert.strictEqual((yield* app.api({ path: "/instances/abc", key: "" })).status, 401)
      }))
  })

  describe("403", () => {
    it.effect("comes before the form of the request is checked", () =>
      Effect.gen(function*() {
        const app = yield* App
        const { token } = yield* keyWith(["vps:read"])
        assert.strictEqual((yield* app.api({ method: "POST", path: "/instances", key: token, body: {} })).status, 403)
      }))
  })

  it.effect("a fault of the emulator affects authorized requests only", () =>
    Effect.gen(function*() {
      const app = yield* App
      yield* app.control("POST", "/faults", { operation: "account.whoami", status: 503 })
      const statuses = yield* Effect.forEach(["", app.key], (key) => Effect.map(whoami(key), ({ status }) => status))
      const { status: elsewhere } = yield* app.api({ path: "/instances" })
      yield* app.control("DELETE", "/faults")
      assert.deepStrictEqual([...statuses, elsewhere], [401, 503, 200])
    }))

  it.effect("whoami shows the key as granted and what it implies, and needs no scope", () =>
    Effect.gen(function*() {
      const expiresAt = 4_000 * DAY * 10
      const { id, token } = yield* keyWith(["vps:write"], expiresAt)
      const { body, status } = yield* whoami(token)
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { account_id: 1, email: "owner@example.test" })
      assert.deepInclude(body.key, {
        id,
        name: "test",
        prefix: "vps_live_",
        last4: token.slice(-4),
        scopes: ["vps:write"],
        effective_scopes: ["vps:write", "vps:read"],
        expires_at: new Date(expiresAt).toISOString()
      })
    }))
})
