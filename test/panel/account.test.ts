/** The calls of an account's members that the API does not have: keys, people, renewal, activity. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { openLink, PanelBrowser, signInAs } from "../support/panel.ts"

const SSH_KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIBk2N7fTXzF6jZ2lHkZ0r6uUu4aLzXWJ6yGg7KXvQ5mE"
const post = (path: string, body: object = {}) => ({ method: "POST", path: `/accounts/1${path}`, body })
const remove = (path: string) => ({ method: "DELETE", path: `/accounts/1${path}` })

/** Makes account 2, and the person of a browser a member of it. */
const joinAccount2 = Effect.fnUntraced(function*(app: TestApp, browser: PanelBrowser, email: string) {
  yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
  const operator = yield* signInAs(app, "operator")
  const body = { email, role: "customer", account_id: 2 }
  const invited = yield* operator.call({ method: "POST", path: "/operator/commands/people.invite", body })
  yield* openLink(browser, invited.body.link)
})

describe("API keys in the panel", () => {
  it.live("are shown once, work, are revoked, and those of other accounts stay", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const made = yield* browser.call(post("/keys", { name: "ci", scopes: ["vps:read"], expires_in_days: 30 }))
      assert.match(made.body.api_key, /^vps_live_/)
      assert.deepInclude(made.body, { name: "ci", state: "active", last4: made.body.api_key.slice(-4) })
      const { body: keys } = yield* browser.call({ path: "/accounts/1/keys" })
      assert.deepStrictEqual(keys.map(({ name }: { name: string }) => name), ["ci", "emulator"])
      assert.isUndefined(keys[0].api_key)
      const { api_key: key, id } = made.body
      assert.strictEqual((yield* app.api({ key, path: "/whoami" })).status, 200)
      assert.strictEqual((yield* browser.call(remove(`/keys/${id}`))).status, 200)
      assert.strictEqual((yield* app.api({ key, path: "/whoami" })).status, 401)
      assert.strictEqual((yield* browser.call(remove(`/keys/${id}`))).status, 409)
      const other = yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      assert.strictEqual((yield* browser.call(remove(`/keys/${id + 1}`))).status, 404)
      assert.strictEqual((yield* app.api({ key: other.body.api_key, path: "/whoami" })).status, 200)
      const refused = yield* browser.call(post("/keys", { name: "x", scopes: ["vps:read"], account_id: 2 }))
      assert.deepStrictEqual([refused.status, refused.body.detail[0].loc], [422, ["body", "account_id"]])
    })))

  it.live("are rotated with an overlap, after which only the new one works", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const { body: old } = yield* browser.call(post("/keys", { name: "ci", scopes: ["vps:write"] }))
      const { body: next } = yield* browser.call(post(`/keys/${old.id}/rotate`, { overlap_hours: 1 }))
      assert.deepInclude(next, { name: "ci", scopes: ["vps:write"], expires_at: null })
      const status = (key: string) => Effect.map(app.api({ key, path: "/whoami" }), (answer) => answer.status)
      assert.deepStrictEqual([yield* status(old.api_key), yield* status(next.api_key)], [200, 200])
      yield* app.control("POST", "/clock", { advance_ms: 3_600_001 })
      assert.deepStrictEqual([yield* status(old.api_key), yield* status(next.api_key)], [401, 200])
      const { body: last } = yield* browser.call(post(`/keys/${next.id}/rotate`, { overlap_hours: 0 }))
      assert.deepStrictEqual([yield* status(next.api_key), yield* status(last.api_key)], [401, 200])
    })))
})

describe("SSH keys in the panel", () => {
  it.live("are stored once without their comment, and removed", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const add = post("/ssh-keys", { name: "laptop", public_key: `${SSH_KEY} me@laptop` })
      const { body, status } = yield* browser.call(add)
      assert.deepStrictEqual([status, body.public_key, body.fingerprint.slice(0, 7)], [200, SSH_KEY, "SHA256:"])
      assert.strictEqual((yield* browser.call(add)).status, 409)
      const bad = yield* browser.call(post("/ssh-keys", { name: "x", public_key: "ssh-dss AAAA" }))
      assert.match(bad.body.detail, /unsupported type/)
      const stranger = new PanelBrowser(app.origin)
      yield* joinAccount2(app, stranger, "b@example.test")
      const foreign = { method: "DELETE", path: `/accounts/2/ssh-keys/${body.id}` }
      assert.strictEqual((yield* stranger.call(foreign)).status, 404)
      assert.strictEqual((yield* browser.call({ path: "/accounts/1/ssh-keys" })).body.length, 1)
      yield* browser.call(remove(`/ssh-keys/${body.id}`))
      assert.deepStrictEqual((yield* browser.call({ path: "/accounts/1/ssh-keys" })).body, [])
    })))
})

describe("people of an account", () => {
  it.live("are invited, become members, and lose their access at once when they are removed", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { body: invited } = yield* owner.call(post("/invitations", { email: "New@Example.test" }))
      const colleague = new PanelBrowser(app.origin)
      const { body: { person: member } } = yield* openLink(colleague, invited.link)
      assert.deepInclude(member, { email: "new@example.test", name: "new", role: "customer" })
      assert.strictEqual((yield* colleague.call({ path: "/accounts/1/v1/instances" })).status, 200)
      assert.strictEqual((yield* owner.call(remove(`/people/${member.id}`))).status, 200)
      assert.strictEqual((yield* colleague.call({ path: "/accounts/1/v1/instances" })).status, 404)
      const { body: { person } } = yield* owner.call({ path: "/session" })
      const { body } = yield* owner.call(remove(`/people/${person.id}`))
      assert.strictEqual(
        body.detail,
        "An account needs a member who can change it. Give another member full access first, or invite one."
      )
    })))
})

describe("the keys of a member who is removed", () => {
  const member = Effect.fnUntraced(function*(app: TestApp, owner: PanelBrowser) {
    const { body: invited } = yield* owner.call(post("/invitations", { email: "new@example.test" }))
    const browser = new PanelBrowser(app.origin)
    const { body } = yield* openLink(browser, invited.link)
    const { body: key } = yield* browser.call(post("/keys", { name: "ci", scopes: ["vps:read"] }))
    const works = Effect.map(app.api({ key: key.api_key, path: "/whoami" }), ({ status }) => status === 200)
    return { browser, id: body.person.id as number, key, works }
  })
  const names = (keys: ReadonlyArray<{ readonly name: string }>) => keys.map(({ name }) => name)

  it.live("show their maker, also afterwards; they are revoked on request, and the response says which remain", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      yield* owner.call(post("/keys", { name: "mine", scopes: ["vps:read"] }))
      const first = yield* member(app, owner)
      // Those that open nothing any more, and one of another account, are not named below.
      const { body: revoked } = yield* first.browser.call(post("/keys", { name: "revoked", scopes: ["vps:read"] }))
      yield* first.browser.call(remove(`/keys/${revoked.id}`))
      yield* first.browser.call(post("/keys", { name: "expired", scopes: ["vps:read"], expires_in_days: 1 }))
      yield* app.control("POST", "/clock", { advance_ms: 86_400_000 })
      yield* joinAccount2(app, first.browser, "new@example.test")
      const elsewhere = { method: "POST", path: "/accounts/2/keys", body: { name: "elsewhere", scopes: ["vps:read"] } }
      assert.strictEqual((yield* first.browser.call(elsewhere)).status, 200)
      assert.deepInclude(first.key, { made_by: "new@example.test", made_by_id: first.id })
      const kept = yield* owner.call(remove(`/people/${first.id}`))
      assert.deepStrictEqual([names(kept.body.revoked), names(kept.body.remaining)], [[], ["emulator", "ci"]])
      assert.isTrue(yield* first.works)
      const { body: keys } = yield* owner.call({ path: "/accounts/1/keys" })
      const active = keys.filter(({ state }: { state: string }) => state === "active")
      assert.deepStrictEqual(active.map((one: { made_by: string | null }) => one.made_by), [
        "new@example.test",
        "owner@example.test",
        null
      ])
      const again = yield* member(app, owner)
      const ended = yield* owner.call(remove(`/people/${again.id}?revoke_keys=true`))
      assert.deepStrictEqual([names(ended.body.revoked), names(ended.body.remaining)], [["ci", "ci"], ["emulator"]])
      assert.deepStrictEqual([yield* first.works, yield* again.works], [false, false])
    })))

  it.live("by an operator, are revoked in all accounts on request", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const { id, works } = yield* member(app, yield* signInAs(app, "customer"))
      yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 10 })
      const operator = yield* signInAs(app, "operator")
      const command = { method: "POST", path: "/operator/commands/people.remove" }
      const { body } = yield* operator.call({ ...command, body: { id, revoke_keys: true } })
      assert.deepStrictEqual([body.removed, names(body.revoked), names(body.remaining)], [true, ["ci"], ["emulator"]])
      assert.isFalse(yield* works)
    })))
})

describe("an instance in the panel", () => {
  it.live("is renewed or not, by whom its activity says", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const { body: { id } } = yield* browser.call(post("/v1/instances", { service_id: 1 }))
      yield* deployed(app, id)
      const path = `/accounts/1/instances/${id}/auto-renew`
      const { body } = yield* browser.call({ method: "PUT", path, body: { auto_renew: false } })
      assert.deepInclude(body, { instance_id: id, auto_renew: false, renewed: false })
      assert.isFalse((yield* app.api({ path: `/instances/${id}` })).body.auto_renew)
      yield* app.api({ method: "POST", path: `/instances/${id}/stop` })
      const activity = yield* browser.call({ path: `/accounts/1/instances/${id}/activity` })
      assert.deepStrictEqual(
        activity.body.items.map(({ by, type }: { by: string; type: string }) => [type, by]),
        [
          ["stop", "API key emulator"],
          ["set_auto_renew", "Emulated customer (owner@example.test)"],
          ["provision", "Emulated customer (owner@example.test)"]
        ]
      )
      assert.strictEqual(activity.body.total, 3)
      assert.strictEqual((yield* browser.call({ path: "/accounts/1/instances/99/activity" })).status, 404)
    })))
})

describe("the names of an instance's addresses in the panel", () => {
  it.live("are those that reverse DNS has, for members of its account", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const { body: { id } } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      const { ipv4, provider_data } = yield* deployed(app, id)
      const { ipv6 } = JSON.parse(provider_data!) as { readonly ipv6: string }
      const records = Effect.map(
        browser.call({ path: `/accounts/1/instances/${id}/ptr-records` }),
        ({ body }) => body
      )
      assert.deepStrictEqual(yield* records, [{ ip: ipv4, ptr: null }, { ip: ipv6, ptr: null }])
      yield* app.api({ method: "POST", path: `/instances/${id}/rdns`, body: { ip: ipv6, ptr: "web.example.com" } })
      assert.deepStrictEqual(yield* records, [{ ip: ipv4, ptr: null }, { ip: ipv6, ptr: "web.example.com" }])
      assert.strictEqual((yield* browser.call({ path: "/accounts/1/instances/9/ptr-records" })).status, 404)
    })))
})
