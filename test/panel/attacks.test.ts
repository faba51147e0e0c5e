/** Attacks on the panel by other sites, with planted cookies, with additional fields, and with the ids of others. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { PanelBrowser, type PanelRequest, seededLinks, signInAs, tokenIn } from "../support/panel.ts"
import { pathOf, ROUTES } from "../support/panelRoutes.ts"

const statusOf = (browser: PanelBrowser, request: PanelRequest) =>
  Effect.map(browser.call(request), ({ status }) => status)

const linkOf = (app: TestApp) => Effect.map(seededLinks(app), ({ customer }) => tokenIn(customer))

describe("a cookie that an attacker planted", () => {
  it.live("is not the one of the session that begins, whether it was made up or is the attacker's own", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const attacker = yield* signInAs(app, "operator")
      for (const planted of ["a".repeat(43), attacker.cookie]) {
        const victim = new PanelBrowser(app.origin)
        victim.cookie = planted
        const sign = { method: "POST", path: "/sign-in/link", body: { token: yield* linkOf(app) } }
        assert.strictEqual((yield* victim.call(sign)).body.person.email, "owner@example.test")
        assert.notStrictEqual(victim.cookie, planted)
        const copy = new PanelBrowser(app.origin)
        copy.cookie = planted
        assert.strictEqual(yield* statusOf(copy, { path: "/session" }), 401)
      }
    })))

  it.live("beside the person's own makes both worthless", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const [victim, attacker] = [yield* signInAs(app, "customer"), yield* signInAs(app, "operator")]
      const cookie = `__Host-session=${attacker.cookie}; __Host-session=${victim.cookie}`
      assert.strictEqual(yield* statusOf(victim, { path: "/session", headers: { cookie } }), 401)
    })))
})

describe("another site", () => {
  it.live("can read nothing, also after a preflight, and no page of it contains the panel", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const foreign = { origin: "https://evil.example", "sec-fetch-site": "cross-site" }
      const read = yield* browser.call({ path: "/session", headers: foreign })
      const asked = { ...foreign, "access-control-request-method": "POST", "access-control-request-headers": "x" }
      const preflight = yield* browser.call({ method: "OPTIONS", path: "/session", headers: asked })
      for (const { headers } of [read, preflight]) {
        assert.deepStrictEqual([...headers.keys()].filter((name) => name.startsWith("access-control-")), [])
      }
      assert.isAbove(preflight.status, 399)
    })))
})

describe("every call with a body", () => {
  const withBody = ROUTES.filter(({ access, decoder, path }) =>
    decoder.body !== undefined && access !== "operator" && !path.includes("/emulator/")
  )

  it.live("refuses fields that it does not have, like a role or an account", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      assert.isAbove(withBody.length, 15)
      for (const route of withBody) {
        const { method, path } = route
        const body = { role: "operator", account_id: 2, wallet: 1_000_000 }
        const { body: answer, status } = yield* browser.call({ method, path: pathOf(route), body })
        assert.strictEqual(status, 422, `${method} ${path}`)
        const named = answer.detail.map(({ loc }: { readonly loc: ReadonlyArray<string> }) => loc.at(-1))
        assert.includeMembers(named, Object.keys(body), `${method} ${path}`)
      }
    })))
})

describe("ids of another account and of other people", () => {
  it.live("are not found among a person's own", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const { body: other } = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 100 })
      const key = other.api_key as string
      const bought = yield* app.api({ method: "POST", path: "/instances", key, body: { service_id: 1 } })
      assert.strictEqual(bought.status, 201)
      const [victim, attacker] = [yield* signInAs(app, "operator"), yield* signInAs(app, "customer")]
      const { body: { person } } = yield* victim.call({ path: "/session" })
      const { body: [session] } = yield* victim.call({ path: "/me/sessions" })
      const { body: [{ id: keyId }] } = yield* victim.call({
        method: "POST",
        path: "/operator/commands/keys.list",
        body: { account_id: other.account_id, limit: 1 }
      })
      const { id } = bought.body
      const attempts: ReadonlyArray<PanelRequest> = [
        { path: `/accounts/1/v1/instances/${id}` },
        { method: "POST", path: `/accounts/1/v1/instances/${id}/stop` },
        { path: `/accounts/1/instances/${id}/activity` },
        { method: "PUT", path: `/accounts/1/instances/${id}/auto-renew`, body: { auto_renew: false } },
        { method: "POST", path: `/accounts/1/instances/${id}/console` },
        { method: "DELETE", path: `/accounts/1/keys/${keyId}` },
        { method: "POST", path: `/accounts/1/keys/${keyId}/rotate`, body: { overlap_hours: 0 } },
        { method: "DELETE", path: `/accounts/1/people/${person.id}` },
        { method: "DELETE", path: `/me/sessions/${session.id}` }
      ]
      for (const attempt of attempts) {
        assert.strictEqual(yield* statusOf(attacker, attempt), 404, `${attempt.method ?? "GET"} ${attempt.path}`)
      }
      assert.strictEqual(yield* statusOf(victim, { path: "/session" }), 200)
      assert.strictEqual((yield* app.api({ path: "/whoami", key })).status, 200)
    })))
})
