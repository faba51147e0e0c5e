/** Every call of the panel, from its contracts: refused without a session, to other roles, and to other sites. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { PanelRoute } from "#service/panel/http/Handlers"
import { startApp } from "../support/app.ts"
import { PanelBrowser, signInAs } from "../support/panel.ts"
import { pathOf, ROUTES } from "../support/panelRoutes.ts"

const statuses = (browser: PanelBrowser, routes: ReadonlyArray<PanelRoute>, account?: number) =>
  Effect.forEach(routes, (route) =>
    Effect.map(
      browser.call({ method: route.method, path: pathOf(route, account) }),
      ({ status }) => `${route.method} ${route.path} ${status}`
    ))

const all = (routes: ReadonlyArray<PanelRoute>, status: number) =>
  routes.map(({ method, path }) => `${method} ${path} ${status}`)

const withAccess = (access: PanelRoute["access"]) => ROUTES.filter((route) => route.access === access)

describe("the calls of the panel", () => {
  it.live("need a session, except for signing in", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const guarded = ROUTES.filter(({ access }) => access !== "public")
      assert.isAbove(guarded.length, 40)
      assert.deepStrictEqual(yield* statuses(new PanelBrowser(app.origin), guarded), all(guarded, 401))
      assert.isTrue(withAccess("public").every(({ path }) => path.startsWith("/panel/api/sign-in/")))
    })))

  it.live("for operators refuse customers, and those of an account all but its members", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      const [customer, operator] = [yield* signInAs(app, "customer"), yield* signInAs(app, "operator")]
      const [ofOperators, ofAccounts] = [withAccess("operator"), withAccess("account")]
      assert.deepStrictEqual(yield* statuses(customer, ofOperators), all(ofOperators, 403))
      assert.deepStrictEqual(yield* statuses(operator, ofAccounts), all(ofAccounts, 404))
      assert.deepStrictEqual(yield* statuses(customer, ofAccounts, 2), all(ofAccounts, 404))
    })))

  it.live("that change something refuse other sites, forms, and browsers that name neither site nor origin", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const changing = ROUTES.filter(({ method }) => method !== "GET")
      const attacks: ReadonlyArray<Readonly<Record<string, string | undefined>>> = [
        { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
        { "sec-fetch-site": "same-site" },
        { "sec-fetch-site": "none" },
        { "sec-fetch-site": undefined, origin: "https://evil.example" },
        { "sec-fetch-site": undefined, origin: undefined },
        { "sec-fetch-site": undefined, origin: "null" }
      ]
      for (const headers of attacks) {
        const refused = yield* Effect.forEach(
          changing,
          (route) => browser.call({ method: route.method, path: pathOf(route), headers })
        )
        assert.deepStrictEqual([...new Set(refused.map(({ status }) => status))], [403], JSON.stringify(headers))
      }
      const form = { "content-type": "application/x-www-form-urlencoded" }
      const bodies = changing.filter(({ method }) => method !== "DELETE")
      const sent = yield* Effect.forEach(
        bodies,
        (route) => browser.call({ method: route.method, path: pathOf(route), headers: form })
      )
      assert.deepStrictEqual([...new Set(sent.map(({ status }) => status))], [403])
      // A browser without the first header is believed its origin.
      const out = { method: "POST", path: "/sign-out", headers: { "sec-fetch-site": undefined } }
      assert.strictEqual((yield* browser.call(out)).status, 200)
    })))
})
