/** API keys: made and revoked by the controls; expiry, last use, RFC 6750 answers. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { KEY_LAST_USED_MILLIS } = DEFAULT_LIMITS

const whoami = (app: TestApp, key: string) => app.api({ path: "/whoami", key })
const mint = (app: TestApp, body: object) => Effect.map(app.control("POST", "/keys", body), (answer) => answer.body)

describe("a key", () => {
  it.live("is made with its scopes and its end, for the seeded account by default", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const until = "2100-01-01T00:00:00.000Z"
      const made = yield* app.control("POST", "/keys", { scopes: ["vps:read", "vps:write"], expires_at: until })
      assert.strictEqual(made.status, 201)
      assert.hasAllKeys(made.body, ["id", "api_key"])
      const { body } = yield* whoami(app, made.body.api_key)
      assert.deepInclude(body, { account_id: 1 })
      assert.deepInclude(body.key, { id: made.body.id, scopes: ["vps:read", "vps:write"], expires_at: until })
    }))

  it.live("that is revoked opens nothing from that moment on, and says so", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { api_key: key, id } = yield* mint(app, { scopes: ["vps:read"] })
      assert.strictEqual((yield* whoami(app, key)).status, 200)
      assert.strictEqual((yield* app.control("DELETE", `/keys/${id}`)).status, 200)
      const { body, headers, status } = yield* whoami(app, key)
      assert.deepStrictEqual([status, body.detail], [401, "The API key has been revoked. Create a new one."])
      assert.include(headers.get("www-authenticate"), "error=\"invalid_token\"")
      assert.strictEqual((yield* app.control("DELETE", `/keys/${id}`)).status, 404)
      assert.strictEqual((yield* whoami(app, app.key)).status, 200)
    }))

  it.live("says when it was last used, to the minute", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body: clock } = yield* app.control("POST", "/clock", { freeze: true })
      const lastUse = (key: string) =>
        Effect.map(whoami(app, key), ({ body }) => body.key.last_used_at as string | null)
      const { api_key: key } = yield* mint(app, { scopes: ["vps:read"] })
      yield* whoami(app, key)
      yield* app.control("POST", "/clock", { advance_ms: 0 })
      assert.strictEqual(yield* lastUse(key), clock.now)
      yield* app.control("POST", "/clock", { advance_ms: KEY_LAST_USED_MILLIS - 1 })
      yield* app.control("POST", "/keys", { scopes: ["vps:read"] })
      assert.strictEqual(yield* lastUse(key), clock.now)
    }))

  it.live.each([
    [{ scopes: [] }, ["body", "scopes"], "too_short"],
    [{ scopes: ["vps:all"] }, ["body", "scopes", 0], "literal_error"],
    [{}, ["body", "scopes"], "missing"],
    [{ scopes: ["vps:read"], expires_at: "tomorrow" }, ["body", "expires_at"], "datetime_parsing"],
    [{ scopes: ["vps:read"], expires_at: "2026-13-01T00:00:00Z" }, ["body", "expires_at"], "datetime_parsing"]
  ])("%j is refused", ([sent, loc, type]) =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body, status } = yield* app.control("POST", "/keys", sent)
      assert.strictEqual(status, 422)
      assert.deepStrictEqual([body.detail[0].loc, body.detail[0].type], [loc, type])
    }))

  it.live.each(["x", "0", "99", "9".repeat(30), "-1"])(
    "revoking %s, which does not exist, is 404",
    (id) =>
      Effect.gen(function*() {
        const app = yield* startApp()
        assert.strictEqual((yield* app.control("DELETE", `/keys/${id}`)).status, 404)
      })
  )
})
