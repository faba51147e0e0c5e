/** Signing in by link, the session, and the API's endpoints with a session instead of an API key. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { join } from "node:path"
import { startApp } from "../support/app.ts"
import { openLink, PanelBrowser, seededLinks, signInAs, tokenIn } from "../support/panel.ts"
import { temporaryFolder } from "../support/temporary.ts"

describe("a link", () => {
  it.live("signs in once, and says who that is", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const { customer } = yield* seededLinks(app)
      const browser = new PanelBrowser(app.origin)
      assert.strictEqual((yield* browser.call({ path: "/session" })).status, 401)
      const sign = { method: "POST", path: "/sign-in/link", body: { token: tokenIn(customer) } }
      const { body, headers, status } = yield* browser.call(sign)
      assert.strictEqual(status, 200)
      assert.match(
        headers.get("set-cookie")!,
        /^__Host-session=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Lax; Max-Age=604800$/
      )
      assert.deepInclude(body.person, { email: "owner@example.test", role: "customer" })
      const email = "owner@example.test"
      const account = { id: 1, name: email, email, currency: "EUR", permission: "full", frozen: null }
      assert.deepStrictEqual(body.accounts, [account])
      assert.deepStrictEqual((yield* browser.call({ path: "/session" })).body, body)
      const again = yield* new PanelBrowser(app.origin).call(sign)
      assert.deepInclude(again, { status: 403 })
      assert.match(again.body.detail, /This link is not valid/)
    })))

  it.live("ends the session that the browser had, and signing out ends the new one", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const old = new PanelBrowser(app.origin)
      old.cookie = browser.cookie
      const { customer } = yield* seededLinks(app)
      yield* browser.call({ method: "POST", path: "/sign-in/link", body: { token: tokenIn(customer) } })
      assert.notStrictEqual(browser.cookie, old.cookie)
      assert.strictEqual((yield* old.call({ path: "/session" })).status, 401)
      const copy = browser.cookie
      assert.strictEqual((yield* browser.call({ method: "POST", path: "/sign-out" })).status, 200)
      assert.strictEqual(browser.cookie, "")
      browser.cookie = copy
      assert.strictEqual((yield* browser.call({ path: "/session" })).status, 401)
    })))
})

describe("guessing links", () => {
  it.live("is limited for each address", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp(["--rate-limits"], { VPS_SERVICE_SIGN_INS_PER_HOUR: "3" })
      const browser = new PanelBrowser(app.origin)
      const guess = browser.call({ method: "POST", path: "/sign-in/link", body: { token: "x".repeat(43) } })
      const statuses = yield* Effect.forEach([1, 2, 3, 4], () => Effect.map(guess, ({ status }) => status))
      assert.deepStrictEqual(statuses, [403, 403, 403, 429])
      const { body } = yield* guess
      assert.match(body.detail, /^Too many refused attempts to sign in: 3 per hour are allowed/)
    })))

  it.live("leaves room for those who know one: what succeeds does not count", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp(["--rate-limits"], { VPS_SERVICE_SIGN_INS_PER_HOUR: "2" })
      const browser = new PanelBrowser(app.origin)
      const guess = browser.call({ method: "POST", path: "/sign-in/link", body: { token: "x".repeat(43) } })
      assert.strictEqual((yield* guess).status, 403)
      for (let count = 0; count < 5; count++) {
        assert.strictEqual((yield* browser.call({ method: "POST", path: "/sign-in/passkey/options" })).status, 409)
        assert.strictEqual((yield* openLink(browser, (yield* seededLinks(app)).customer)).status, 200)
      }
      assert.deepStrictEqual([(yield* guess).status, (yield* guess).status], [403, 429])
    })))
})

describe("a session", () => {
  it.live("continues when the service was restarted, and an order whose response was lost is bought once", () =>
    Effect.scoped(Effect.gen(function*() {
      const database = ["--database", join(yield* temporaryFolder, "emulator.db")]
      const order = {
        method: "POST",
        path: "/accounts/1/v1/instances",
        body: { service_id: 1 },
        headers: { "idempotency-key": "form" }
      }
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const browser = yield* signInAs(yield* startApp(database), "customer")
        return { bought: (yield* browser.call(order)).body.id, cookie: browser.cookie }
      }))
      const browser = new PanelBrowser((yield* startApp(database)).origin)
      browser.cookie = before.cookie
      assert.strictEqual((yield* browser.call({ path: "/session" })).body.person.email, "owner@example.test")
      assert.strictEqual((yield* browser.call(order)).body.id, before.bought)
      assert.strictEqual((yield* browser.call({ path: "/accounts/1/v1/instances" })).body.length, 1)
    })))
})

describe("errors that a page of the panel helps with", () => {
  it.live("name it where the panel has a public address", () =>
    Effect.scoped(Effect.gen(function*() {
      const details = yield* Effect.forEach([[], ["--panel-url", "https://vps.example.test/"]], (flags) =>
        Effect.scoped(Effect.gen(function*() {
          const app = yield* startApp(flags)
          yield* app.control("PUT", "/wallet", { balance: 0 })
          const { body, status } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
          assert.strictEqual(status, 402)
          const root = yield* app.api({ path: "/" })
          return [body.detail, root.body.panel_url === `${app.origin}/panel`, root.body.panel_url]
        })))
      assert.match(details[0]![0], /Top it up and try again\.$/)
      assert.isTrue(details[0]![1])
      assert.match(details[1]![0], /try again\. Its statement is at https:\/\/vps\.example\.test\/panel\/wallet\.$/)
      assert.strictEqual(details[1]![2], "https://vps.example.test/panel")
    })))
})

describe("the API's endpoints in the panel", () => {
  it.live("buy once per key of the account, also after signing in again, and name the panel", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const order = {
        method: "POST",
        path: "/accounts/1/v1/instances",
        body: { service_id: 1, hostname: "web" },
        headers: { "idempotency-key": "order-form-1" }
      }
      const first = yield* (yield* signInAs(app, "customer")).call(order)
      assert.strictEqual(first.status, 201)
      const again = yield* signInAs(app, "customer")
      const second = yield* again.call(order)
      assert.deepStrictEqual([second.body.id, second.headers.get("idempotent-replayed")], [first.body.id, "true"])
      assert.strictEqual((yield* again.call({ path: "/accounts/1/v1/instances" })).body.length, 1)
      const { body } = yield* again.call({ path: `/accounts/1/v1/instances/${first.body.id}/tasks` })
      assert.deepInclude(body.items[0], { type: "provision", actor: "panel", api_key_id: null })
      // The same key of an API key is another one.
      const { headers, path } = order
      const byKey = yield* app.api({ ...order, path: path.replace("/accounts/1/v1", ""), headers })
      assert.notStrictEqual(byKey.body.id, first.body.id)
    })))

  it.live("are those of members only, and know no API key", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const other = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      const customer = yield* signInAs(app, "customer")
      const statuses = yield* Effect.forEach(
        [`/accounts/${other.body.account_id}/v1/instances`, "/accounts/99/v1/instances", "/accounts/1/v1/whoami"],
        (path) => Effect.map(customer.call({ path }), ({ status }) => status)
      )
      assert.deepStrictEqual(statuses, [404, 404, 404])
      assert.strictEqual((yield* (yield* signInAs(app, "operator")).call({ path: "/accounts/1/v1" })).status, 404)
      assert.strictEqual((yield* customer.call({ path: "/accounts/1/v1" })).body.name, "vps-service")
    })))
})
