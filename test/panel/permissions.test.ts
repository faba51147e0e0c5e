/** Members who may only read an account: what they see, what is refused, and who gives and takes full access. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { PanelRoute } from "#service/panel/http/Handlers"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { ageSignIn, openLink, PanelBrowser, signInAs } from "../support/panel.ts"
import { pathOf, ROUTES } from "../support/panelRoutes.ts"

const call = (method: string, path: string, body: object = {}) => ({ method, path: `/accounts/1${path}`, body })

/** Invites a person to account 1, who accepts in a browser of their own. */
const join = Effect.fnUntraced(function*(
  app: TestApp,
  owner: PanelBrowser,
  email = "reader@example.test",
  permission = "read"
) {
  const { body } = yield* owner.call(call("POST", "/invitations", { email, permission }))
  const browser = new PanelBrowser(app.origin)
  const { body: { accounts, person } } = yield* openLink(browser, body.link)
  return { browser, id: person.id as number, accounts, invited: body }
})

const OF_ACCOUNT = ROUTES.filter(({ access }) => access === "account")
const EVENTS = "/panel/api/accounts/:account/events"

const LAST = "An account needs a member who can change it. Give another member full access first, or invite one."

describe("a member who may only read", () => {
  it.live("gets a 403 for every call that changes something, never for a read, and without a fresh sign-in", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const { browser } = yield* join(app, yield* signInAs(app, "customer"))
      yield* ageSignIn(app, browser)
      const answer = Effect.fnUntraced(function*(route: PanelRoute) {
        const { body, status } = yield* browser.call({ method: route.method, path: pathOf(route) })
        return `${route.method} ${route.path} ${status === 403 ? body.reason : "allowed"}`
      })
      // The mails that the member gets are not part of the account.
      const expected = ({ method, path }: PanelRoute) =>
        `${method} ${path} ${method === "GET" || path.endsWith("/mails") ? "allowed" : "read_only"}`
      const routes = OF_ACCOUNT.filter(({ path }) => path !== EVENTS)
      assert.isAbove(routes.filter(({ method }) => method !== "GET").length, 25)
      assert.deepStrictEqual(yield* Effect.forEach(routes, answer), routes.map(expected))
    })))

  it.live("may preview an order, and nothing is bought", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const { browser } = yield* join(app, yield* signInAs(app, "customer"))
      const order = (query: string) => browser.call(call("POST", `/v1/instances${query}`, { service_id: 1 }))
      assert.strictEqual((yield* order("?dry_run=true")).status, 200)
      for (const query of ["", "?dry_run=false"]) {
        assert.deepInclude((yield* order(query)).body, {
          detail: "You can see this account, but not change it. Ask a member with full access.",
          reason: "read_only"
        })
      }
      assert.deepStrictEqual((yield* browser.call(call("GET", "/v1/instances"))).body, [])
    })))

  it.live("gets this permission from the invitation, also when it is sent again, and may end own sessions", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const input = { email: "r@example.test", permission: "read" }
      const { body: sent } = yield* owner.call(call("POST", "/invitations", input))
      const { body: again } = yield* owner.call(call("POST", `/invitations/${sent.id}/send`))
      assert.strictEqual(again.permission, "read")
      const browser = new PanelBrowser(app.origin)
      const { body: { accounts } } = yield* openLink(browser, again.link)
      assert.deepInclude(accounts[0], { id: 1, permission: "read" })
      assert.strictEqual((yield* browser.call({ method: "DELETE", path: "/me/sessions" })).status, 200)
      const bad = yield* owner.call(call("POST", "/invitations", { email: "x@example.test", permission: "admin" }))
      assert.strictEqual(bad.status, 422)
      assert.include((yield* owner.call(call("POST", "/invitations", { email: "y@example.test" }))).body, {
        permission: "full"
      })
    })))
})

describe("the access of a member", () => {
  it.live("is changed by a member with full access, at once, and recorded", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser, id } = yield* join(app, owner)
      const change = (permission: string, query = "") =>
        owner.call(call("PUT", `/people/${id}/permission${query}`, { permission }))
      const make = browser.call(call("POST", "/keys", { name: "ci", scopes: ["vps:write"] }))
      assert.strictEqual((yield* make).status, 403)
      assert.strictEqual((yield* change("full")).status, 200)
      const { body: { api_key: key } } = yield* make
      const works = Effect.map(app.api({ key, path: "/whoami" }), ({ status }) => status === 200)
      // Keys belong to the account: they are revoked on request.
      assert.include((yield* change("read")).body.remaining.map(({ name }: { name: string }) => name), "ci")
      assert.deepStrictEqual([(yield* make).status, yield* works], [403, true])
      const { body } = yield* change("read", "?revoke_keys=true")
      assert.deepStrictEqual([body.revoked.length, yield* works], [1, false])
      const { body: people } = yield* browser.call(call("GET", "/people"))
      assert.deepStrictEqual(people.map((one: { permission: string }) => one.permission), ["full", "read"])
      assert.strictEqual((yield* owner.call(call("PUT", "/people/99/permission", { permission: "read" }))).status, 404)
      const operator = yield* signInAs(app, "operator")
      const list = { method: "POST", path: "/operator/commands/audit.list", body: { account_id: 1, limit: 20 } }
      const { body: entries } = yield* operator.call(list)
      const changes = entries.filter(({ action }: { action: string }) => action === "people.permission")
      assert.lengthOf(changes, 3)
      assert.deepInclude(changes[2].details, { person_id: id, permission: "full", before: "read" })
    })))

  it.live("stays full for the last one who has it", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { body: { person: { id } } } = yield* owner.call({ path: "/session" })
      const { id: reader } = yield* join(app, owner)
      const demote = owner.call(call("PUT", `/people/${id}/permission`, { permission: "read" }))
      const refused = yield* demote
      assert.deepStrictEqual([refused.status, refused.body.detail], [409, LAST])
      assert.strictEqual((yield* owner.call(call("DELETE", `/people/${id}`))).body.detail, LAST)
      yield* owner.call(call("PUT", `/people/${reader}/permission`, { permission: "full" }))
      assert.strictEqual((yield* demote).status, 200)
      assert.strictEqual((yield* owner.call(call("DELETE", `/people/${reader}`))).body.reason, "read_only")
    })))

  it.live("of an operator's invitation is the chosen one", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const operator = yield* signInAs(app, "operator")
      const run = (name: string, body: object) =>
        Effect.map(operator.call({ method: "POST", path: `/operator/commands/${name}`, body }), (one) => one.body)
      const input = { email: "r@example.test", role: "customer", account_id: 1, permission: "read" }
      const { link, permission } = yield* run("people.invite", input)
      assert.strictEqual(permission, "read")
      yield* openLink(new PanelBrowser(app.origin), link)
      yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      yield* openLink(new PanelBrowser(app.origin), (yield* run("people.invite", { ...input, account_id: 2 })).link)
      const readerIn = (accountId: number) =>
        Effect.map(
          run("people.list", { account_id: accountId, limit: 10 }),
          (listed) => listed.find(({ email }: { email: string }) => email === input.email)
        )
      const reader = yield* readerIn(1)
      assert.strictEqual(reader.permission, "read")
      const full = { id: reader.id, account_id: 1, permission: "full" }
      assert.deepStrictEqual(yield* run("people.permission", full), full)
      assert.strictEqual((yield* readerIn(1)).permission, "full")
      assert.strictEqual((yield* readerIn(2)).permission, "read", "in another account")
      assert.match((yield* run("people.permission", { ...full, id: 99 })).detail, /^Person 99 is not a member/)
    })))
})

describe("the console", () => {
  it.live("refuses a member who may only read", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser } = yield* join(app, owner)
      const { body: { id } } = yield* owner.call(call("POST", "/v1/instances", { service_id: 1 }))
      yield* deployed(app, id)
      const open = call("POST", `/instances/${id}/console`)
      assert.strictEqual((yield* browser.call(open)).body.reason, "read_only")
      // The emulator's instances have no console.
      assert.strictEqual((yield* owner.call(open)).status, 409)
    })))
})
