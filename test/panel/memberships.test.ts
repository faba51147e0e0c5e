/** The names of accounts, and the way out of them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { mailServer } from "../support/mailServer.ts"
import { openLink, PanelBrowser, signInAs } from "../support/panel.ts"

const call = (method: string, path: string, body: object = {}) => ({ method, path: `/accounts/1${path}`, body })

const nameOf = (browser: PanelBrowser) =>
  Effect.map(browser.call({ path: "/session" }), ({ body }) => body.accounts[0]?.name as string | undefined)

const operatorOf = Effect.fnUntraced(function*(app: TestApp) {
  const browser = yield* signInAs(app, "operator")
  return (name: string, body: object) =>
    Effect.map(browser.call({ method: "POST", path: `/operator/commands/${name}`, body }), (answer) => answer.body)
})

const join = Effect.fnUntraced(function*(app: TestApp, owner: PanelBrowser, permission = "full") {
  const { body } = yield* owner.call(call("POST", "/invitations", { email: "ada@example.test", permission }))
  const browser = new PanelBrowser(app.origin)
  const { body: { person: { id } } } = yield* openLink(browser, body.link)
  return { browser, id: id as number }
})

describe("the name of an account", () => {
  it.live("is the owner's address until a member gives it one, which invited people see, too", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const rename = (name: string) => owner.call(call("PUT", "/name", { name }))
      assert.strictEqual(yield* nameOf(owner), "owner@example.test")
      assert.strictEqual((yield* rename(" Example Ltd ")).status, 200)
      assert.strictEqual(yield* nameOf(owner), "Example Ltd")
      yield* owner.call(call("POST", "/invitations", { email: "operator@example.test" }))
      const operator = yield* signInAs(app, "operator")
      assert.strictEqual((yield* operator.call({ path: "/session" })).body.invitations[0].account, "Example Ltd")
      assert.strictEqual((yield* rename("x".repeat(65))).status, 422)
      yield* rename("  ")
      assert.strictEqual(yield* nameOf(owner), "owner@example.test")
    })))

  it.live("is in the mail of an invitation, which says if the person may only see it", () =>
    Effect.scoped(Effect.gen(function*() {
      const { mails, url } = yield* mailServer()
      const app = yield* startApp([], { VPS_SERVICE_SMTP_URL: url })
      const owner = yield* signInAs(app, "customer")
      yield* owner.call(call("PUT", "/name", { name: "Example Ltd" }))
      const invite = (permission: string) =>
        owner.call(call("POST", "/invitations", { email: `${permission}@example.test`, permission }))
      yield* Effect.andThen(invite("read"), invite("full"))
      const to = (name: string) =>
        mails.find((mail) => mail.to.includes(`${name}@example.test`))!.content.replaceAll(/=?\r\n/g, "")
      assert.include(to("read"), "owner@example.test invites you to see the account Example Ltd, without changing it.")
      assert.include(to("full"), "owner@example.test invites you to work with the account Example Ltd.")
    })))

  it.live("is set, found, and taken away by operators, beside the address", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const run = yield* operatorOf(app)
      const terms = { currency: "EUR", vat_treatment: "domestic" }
      const { id, name } = yield* run("accounts.create", { email: "b@example.test", name: "Second", ...terms })
      assert.strictEqual(name, "Second")
      const found = yield* run("accounts.list", { search: "secOND", after: 0, limit: 5 })
      assert.deepStrictEqual(found.map((one: { id: number }) => one.id), [id])
      assert.deepInclude(yield* run("accounts.edit", { id, email: "c@example.test" }), { name: "Second" })
      assert.deepInclude(yield* run("accounts.edit", { id, name: "" }), { name: null, email: "c@example.test" })
    })))
})

describe("a member who leaves an account", () => {
  it.live("loses access at once, and decides about the keys that they made", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser } = yield* join(app, owner)
      const key = { name: "ci", scopes: ["vps:read"] }
      const { body: { api_key } } = yield* browser.call(call("POST", "/keys", key))
      const left = yield* browser.call({ method: "DELETE", path: "/me/accounts/1?revoke_keys=true" })
      const names = (keys: ReadonlyArray<{ readonly name: string }>) => keys.map(({ name }) => name)
      assert.deepStrictEqual([names(left.body.revoked), names(left.body.remaining)], [["ci"], ["emulator"]])
      assert.strictEqual((yield* app.api({ key: api_key, path: "/whoami" })).status, 401)
      assert.strictEqual((yield* browser.call({ path: "/accounts/1/v1/instances" })).status, 404)
      assert.isUndefined(yield* nameOf(browser))
      const again = yield* browser.call({ method: "DELETE", path: "/me/accounts/1" })
      assert.deepStrictEqual([again.status, again.body.detail], [404, "Account not found."])
      const run = yield* operatorOf(app)
      const entries = yield* run("audit.list", { account_id: 1, limit: 1 })
      assert.deepInclude(entries[0], { action: "people.leave", actor: "ada@example.test" })
    })))

  it.live("may only read, or is not the last one who can change the account", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser } = yield* join(app, owner, "read")
      const refused = yield* owner.call({ method: "DELETE", path: "/me/accounts/1" })
      assert.strictEqual(refused.status, 409)
      assert.match(
        refused.body.detail,
        /^An account needs a member who can change it\. Give another member full access/
      )
      assert.strictEqual((yield* browser.call({ method: "DELETE", path: "/me/accounts/1" })).status, 200)
    })))
})

describe("an account that is closed", () => {
  it.live("is none of its members' until it is opened again, and invites no one", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const run = yield* operatorOf(app)
      const ids: Array<number> = []
      for (const name of ["b", "c"]) {
        const email = `${name}@example.test`
        const { id } = yield* run("accounts.create", { email, currency: "EUR", vat_treatment: "domestic" })
        yield* run("people.invite", { email: "owner@example.test", role: "customer", account_id: id })
        ids.push(id)
      }
      const { link } = yield* run("people.invite", { email: "b@example.test", role: "customer", account_id: ids[0] })
      const member = new PanelBrowser(app.origin)
      yield* openLink(member, link)
      const idsOf = (list: ReadonlyArray<{ readonly id: number }>) => list.map(({ id }) => id)
      const seen = Effect.gen(function*() {
        const { body: { invitations } } = yield* owner.call({ path: "/session" })
        const { body: { accounts } } = yield* member.call({ path: "/session" })
        const { status } = yield* member.call({ path: `/accounts/${ids[0]}/v1/instances` })
        return { invitations: idsOf(invitations), accounts: idsOf(accounts), status }
      })
      const before = yield* seen
      const [first, second] = before.invitations
      assert.isAbove(second!, first!)
      assert.deepInclude(before, { accounts: [ids[0]!], status: 200 })
      yield* run("accounts.close", { id: ids[0], reason: "asked" })
      assert.deepStrictEqual(yield* seen, { invitations: [second!], accounts: [], status: 404 })
      yield* run("accounts.reopen", { id: ids[0] })
      assert.deepStrictEqual(yield* seen, before)
    })))
})
