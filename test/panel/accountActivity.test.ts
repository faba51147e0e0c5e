/** The activity of an account: all of it, newest first, and nothing that is the host's own business. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { openLink, PanelBrowser, signInAs } from "../support/panel.ts"

interface Item {
  readonly id: string
  readonly action: string
  readonly by: { readonly kind: string; readonly name: string | null }
  readonly subject: string | null
  readonly instance: { readonly id: number } | null
  readonly request_id: string | null
}

const call = (method: string, path: string, body: object = {}) => ({ method, path: `/accounts/1${path}`, body })

const read = (browser: PanelBrowser, query = "") =>
  Effect.map(
    browser.call(call("GET", `/activity${query}`)),
    ({ body }) => body as { readonly items: ReadonlyArray<Item>; readonly next: string | null }
  )

const join = Effect.fnUntraced(function*(app: TestApp, owner: PanelBrowser, permission: string) {
  const { body } = yield* owner.call(call("POST", "/invitations", { email: "ada@example.test", permission }))
  const browser = new PanelBrowser(app.origin)
  const { body: { person } } = yield* openLink(browser, body.link)
  return { browser, id: person.id as number }
})

const OWNER = { kind: "person", name: "owner@example.test" }

describe("the activity of an account", () => {
  it.live("says who signed in, made keys, bought, and did what to people, also to those who only read", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser } = yield* join(app, owner, "read")
      yield* owner.call(call("POST", "/keys", { name: "ci", scopes: ["vps:read"] }))
      yield* owner.call(call("POST", "/v1/instances", { service_id: 1, hostname: "web.example.com" }))
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      const { items, next } = yield* read(browser)
      assert.isNull(next)
      const shown = items.map(({ action, by, instance, subject }) => ({ action, by, subject, instance: instance?.id }))
      const ada = { kind: "person", name: "ada@example.test" }
      const none = { subject: null, instance: undefined }
      assert.deepStrictEqual(shown, [
        { action: "provision", by: { kind: "api_key", name: "emulator" }, subject: null, instance: 2 },
        { action: "provision", by: OWNER, subject: null, instance: 1 },
        { action: "keys.create", by: OWNER, ...none, subject: "ci" },
        { action: "sign_in.link", by: ada, ...none },
        { action: "invitations.accept", by: ada, ...none, subject: ada.name },
        { action: "invitations.send", by: OWNER, ...none, subject: ada.name },
        { action: "sign_in.link", by: OWNER, ...none }
      ])
      assert.isTrue(items.every((one) => one.request_id !== null))
    })))

  it.live("names the host, and neither operators nor their reasons and addresses", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const operator = yield* signInAs(app, "operator")
      const run = (name: string, body: object) =>
        operator.call({ method: "POST", path: `/operator/commands/${name}`, body })
      yield* run("wallet.debit", { account_id: 1, amount: 5, reason: "SECRET", payout: false, reference: "d" })
      yield* run("accounts.edit", { id: 1, name: "Example Ltd" })
      yield* run("accounts.limits", { id: 1, creates_per_hour: 5 })
      yield* run("keys.create", { account_id: 1, name: "by the host", scopes: ["vps:read"] })
      yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
      yield* run("instances.suspend", { id: 1, reason: "spam", note: "SECRET" })
      const answer = yield* read(owner)
      const host = answer.items.filter(({ by }) => by.kind === "host")
      assert.deepStrictEqual(
        host.map(({ action, by, request_id: id, subject }) => [action, by.name, id === null, subject]).slice(-3),
        [
          ["keys.create", null, true, "by the host"],
          ["accounts.edit", null, true, null],
          ["wallet.debit", null, true, null]
        ]
      )
      assert.notMatch(JSON.stringify(answer), /SECRET|operator@|limits/)
    })))

  it.live("has pages without gaps, and filters", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser, id } = yield* join(app, owner, "full")
      for (const name of ["a", "b"]) {
        yield* browser.call(call("POST", "/keys", { name, scopes: ["vps:read"] }))
        yield* owner.call(call("POST", "/v1/instances", { service_id: 1 }))
      }
      const all = (yield* read(owner)).items.map((one) => one.id)
      const paged: Array<string> = []
      let after = ""
      do {
        const { items, next } = yield* read(owner, `?limit=2${after}`)
        assert.isAtMost(items.length, 2)
        paged.push(...items.map((one) => one.id))
        after = next === null ? "" : `&after=${next}`
      } while (after !== "")
      assert.deepStrictEqual(paged, all)
      const actions = (query: string) =>
        Effect.map(read(owner, query), ({ items }) => items.map(({ action }) => action))
      assert.deepStrictEqual(yield* actions(`?person=${id}`), [
        "keys.create",
        "keys.create",
        "sign_in.link",
        "invitations.accept"
      ])
      assert.deepStrictEqual(yield* actions("?kind=instances"), ["provision", "provision"])
      assert.deepStrictEqual(yield* actions(`?kind=instances&person=${id}`), [])
      yield* owner.call(call("POST", "/v1/instances", { service_id: 1 }))
      const newest = (yield* read(owner, "?kind=instances&limit=1")).items.map(({ instance }) => instance?.id)
      assert.deepStrictEqual(newest, [3])
      assert.notInclude(yield* actions("?kind=account"), "provision")
      assert.strictEqual((yield* owner.call(call("GET", "/activity?after=1"))).status, 422)
    })))

  it.live("has no sign-ins of a person before they joined, or after they left", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      yield* signInAs(app, "operator")
      const { browser: operator } = { browser: yield* signInAs(app, "operator") }
      yield* owner.call(call("POST", "/invitations", { email: "operator@example.test" }))
      const { body: { invitations } } = yield* operator.call({ path: "/session" })
      yield* operator.call({ method: "POST", path: `/me/invitations/${invitations[0].id}/accept` })
      const signIns = Effect.map(
        read(owner),
        ({ items }) =>
          items.filter(({ action, by }) => action.startsWith("sign_in.") && by.name === "operator@example.test").length
      )
      assert.strictEqual(yield* signIns, 0)
      yield* signInAs(app, "operator")
      assert.strictEqual(yield* signIns, 1)
      yield* operator.call({ method: "DELETE", path: "/me/accounts/1" })
      assert.strictEqual(yield* signIns, 0)
    })))
})
