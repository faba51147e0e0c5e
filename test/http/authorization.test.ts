/** Who may do what: RFC 6750 answers, scopes, and other people's things. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { tokenOf } from "#service/auth/ApiKeyToken"
import { createKey } from "#service/auth/Keys"
import type { Scope } from "#contract/Scope"
import { Transaction } from "#service/persistence/Transaction"
import { type Answer, startApp, type TestApp } from "../support/app.ts"

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

/** 401 for a key that opens nothing, in the words of RFC 6750 and in ours. */
const refusedFor = ({ body, headers, status }: Answer, detail: string) => {
  assert.deepStrictEqual([status, body], [401, { detail }])
  assert.strictEqual(
    headers.get("www-authenticate"),
    `Bearer realm="vps", error="invalid_token", error_description="${detail}"`
  )
}

layer(App.layer, { excludeTestServices: true })("authorization", (it) => {
  describe("401", () => {
    it.effect("nothing presented: a challenge without an error", () =>
      Effect.gen(function*() {
        const answer = yield* whoami("")
        assert.strictEqual(answer.status, 401)
        assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer realm=\"vps\"")
        assert.deepStrictEqual(answer.body, {
          detail: "An API key is required. Send it as `Authorization: Bearer <key>`."
        })
      }))

    it.effect.each([
      ["a word", "nonsense"],
      ["a wrong checksum", `${tokenOf("A".repeat(32)).slice(0, -1)}_`],
      ["a well-formed key that nobody has", tokenOf("B".repeat(32))]
    ])("%s is invalid_token", ([, key]) =>
      Effect.gen(function*() {
        const answer = yield* whoami(key!)
        refusedFor(answer, "The API key is invalid.")
      }))

    it.effect("a key that has expired, or was revoked, says so", () =>
      Effect.gen(function*() {
        refusedFor(yield* whoami((yield* keyWith(["vps:read"], 1)).token), "The API key has expired. Create a new one.")
        const { id, token } = yield* keyWith(["vps:read"])
        yield* (yield* App).control("DELETE", `/keys/${id}`)
        refusedFor(yield* whoami(token), "The API key has been revoked. Create a new one.")
      }))

    it.effect.each(["Basic eDp5", "OtherBearer eDp5", "Bearer"])(
      "another scheme presents nothing: %s",
      (authorization) =>
        Effect.gen(function*() {
          const app = yield* App
          const answer = yield* app.api({ path: "/whoami", key: "", headers: { authorization } })
          assert.strictEqual(answer.headers.get("www-authenticate"), "Bearer realm=\"vps\"")
        })
    )

    it.effect("the scheme is told in any case, with any number of spaces (RFC 9110 §11.1)", () =>
      Effect.gen(function*() {
        const app = yield* App
        const authorization = `bEARER   ${app.key}`
        assert.strictEqual((yield* app.api({ path: "/whoami", key: "", headers: { authorization } })).status, 200)
      }))

    it.effect("comes before the body, the query and the path are looked at", () =>
      Effect.gen(function*() {
        const app = yield* App
        const create = { method: "POST", path: "/instances?dry_run=maybe", key: "", text: "{broken" }
        assert.strictEqual((yield* app.api(create)).status, 401)
        assert.strictEqual((yield* app.api({ path: "/instances/abc", key: "" })).status, 401)
      }))
  })

  describe("403", () => {
    it.effect.each<readonly [Scope, string, string, string | undefined]>([
      ["vps:read", "GET", "/instances", undefined],
      ["vps:read", "POST", "/instances/999/start", "vps:write"],
      ["vps:read", "POST", "/instances", "vps:create"],
      ["vps:write", "GET", "/instances", undefined],
      ["vps:write", "PATCH", "/instances/999/hostname", undefined],
      ["vps:write", "POST", "/instances", "vps:create"],
      ["vps:create", "GET", "/instances", undefined],
      ["vps:create", "POST", "/instances/999/stop", undefined],
      ["vps:create", "POST", "/instances", undefined]
    ])("%s on %s %s lacks %s", ([scope, method, path, missing]) =>
      Effect.gen(function*() {
        const app = yield* App
        const { token } = yield* keyWith([scope])
        const answer = yield* app.api({ method, path, key: token, ...(method === "GET" ? {} : { body: {} }) })
        if (missing === undefined) return assert.notStrictEqual(answer.status, 403)
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(answer.body.detail, `The API key lacks the scope ${missing}.`)
        assert.strictEqual(
          answer.headers.get("www-authenticate"),
          `Bearer realm="vps", error="insufficient_scope", scope="${missing}"`
        )
      }))

    it.effect("comes before the form of the request is checked", () =>
      Effect.gen(function*() {
        const app = yield* App
        const { token } = yield* keyWith(["vps:read"])
        assert.strictEqual((yield* app.api({ method: "POST", path: "/instances", key: token, body: {} })).status, 403)
      }))
  })

  it.effect("an emulator's fault meets whoever is let in, and nobody else", () =>
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
