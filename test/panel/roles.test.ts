/** Every call of the panel, from its contracts: refused without a session, to other roles, and to other sites. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { PanelRoute } from "#service/panel/http/Handlers"
import { digestOf } from "#service/people/Tokens"
import { Sessions } from "#service/persistence/people/Sessions"
import { Transaction } from "#service/persistence/Transaction"
import { startApp, type TestApp } from "../support/app.ts"
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

/** Makes a session's sign-in as old as a week of work allows, but not fresh. */
const grow = (app: TestApp, browser: PanelBrowser) =>
  app.inside(Effect.gen(function*() {
    const sessions = yield* Sessions
    const session = yield* sessions.find(digestOf(browser.cookie))
    const longAgo = Date.now() - 3_600_000
    yield* (yield* Transaction).run(sessions.refresh(session!.id, digestOf(browser.cookie), longAgo))
  }))

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

  it.live("that need a fresh sign-in refuse an old one, and say so", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      for (const role of ["customer", "operator"] as const) {
        const browser = yield* signInAs(app, role)
        yield* grow(app, browser)
        const own = role === "customer" ? ["person", "account"] : ["person", "operator"]
        const routes = ROUTES.filter(({ access, needsFresh }) => needsFresh && own.includes(access))
        assert.isAbove(routes.length, 0)
        assert.deepStrictEqual(yield* statuses(browser, routes), all(routes, 403))
        const { body } = yield* browser.call({ method: routes[0]!.method, path: pathOf(routes[0]!) })
        assert.strictEqual(body.reason, "fresh_sign_in")
      }
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
