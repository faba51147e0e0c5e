/** Passkeys: set up after a link, sign in, confirm; and what is refused: replays, other sites, other people. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { Device } from "../support/authenticator.ts"
import { PanelBrowser, signInAs } from "../support/panel.ts"

/** Passkeys know no addresses, so tests use the name. */
const startLocal = Effect.map(startApp(), (app): TestApp => ({
  ...app,
  origin: app.origin.replace("127.0.0.1", "localhost")
}))

const setUp = Effect.fnUntraced(function*(browser: PanelBrowser, device: Device) {
  const { body: options } = yield* browser.call({ method: "POST", path: "/me/passkeys/options" })
  const credential = device.create(options, browser)
  return yield* browser.call({ method: "POST", path: "/me/passkeys", body: { name: "My device", credential } })
})

/** Signs the challenge of a path with a device. */
const prove = Effect.fnUntraced(function*(browser: PanelBrowser, device: Device, path: string) {
  const { body: options } = yield* browser.call({ method: "POST", path: `${path}/options` })
  return { method: "POST", path, body: { credential: device.get(options, browser) } }
})

const statusOf = ({ status }: { readonly status: number }) => status

describe("a passkey", () => {
  it.live("is set up after a link, then signs in, and is listed with its last use", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startLocal
      const [first, device] = [yield* signInAs(app, "customer"), new Device()]
      const added = yield* setUp(first, device)
      assert.deepStrictEqual([added.status, added.body.name, added.body.backed_up], [200, "My device", false])
      const browser = new PanelBrowser(app.origin)
      const { body, status } = yield* browser.call(yield* prove(browser, device, "/sign-in/passkey"))
      assert.deepStrictEqual([status, body.person.email, body.passkeys], [200, "owner@example.test", true])
      const { body: keys } = yield* browser.call({ path: "/me/passkeys" })
      assert.deepStrictEqual([keys.length, typeof keys[0].last_used_at], [1, "string"])
      const { body: sessions } = yield* browser.call({ path: "/me/sessions" })
      assert.deepStrictEqual(
        sessions.map(({ current, method }: { current: boolean; method: string }) => [method, current]),
        [["passkey", true], ["link", false]]
      )
      assert.strictEqual((yield* browser.call({ method: "DELETE", path: "/me/sessions" })).status, 200)
      assert.strictEqual((yield* first.call({ path: "/session" })).status, 401)
      const rename = { method: "PATCH", path: `/me/passkeys/${keys[0].id}`, body: { name: "Phone" } }
      assert.strictEqual((yield* browser.call(rename)).status, 200)
      assert.strictEqual((yield* browser.call({ path: "/me/passkeys" })).body[0].name, "Phone")
      yield* browser.call({ method: "DELETE", path: `/me/passkeys/${keys[0].id}` })
      assert.strictEqual((yield* browser.call(yield* prove(browser, device, "/sign-in/passkey"))).status, 403)
    })))

  it.live("is refused when its response is replayed, for another site, or made without unlocking the device", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startLocal
      const device = new Device()
      yield* setUp(yield* signInAs(app, "customer"), device)
      const browser = new PanelBrowser(app.origin)
      const proof = yield* prove(browser, device, "/sign-in/passkey")
      assert.strictEqual((yield* browser.call(proof)).status, 200)
      assert.strictEqual((yield* new PanelBrowser(app.origin).call(proof)).status, 403)
      const forged = Effect.fnUntraced(function*(options: { readonly origin: string; readonly verified?: boolean }) {
        const path = "/sign-in/passkey"
        const { body } = yield* browser.call({ method: "POST", path: `${path}/options` })
        return statusOf(yield* browser.call({ method: "POST", path, body: { credential: device.get(body, options) } }))
      })
      assert.strictEqual(yield* forged({ origin: "https://evil.example" }), 403)
      assert.strictEqual(yield* forged({ origin: app.origin, verified: false }), 403)
      assert.strictEqual(yield* forged({ origin: app.origin }), 200)
    })))

  it.live("confirms only its own person, and only the session for which the challenge was made", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startLocal
      const [customer, operator] = [yield* signInAs(app, "customer"), yield* signInAs(app, "operator")]
      const [own, foreign] = [new Device(), new Device()]
      yield* setUp(customer, own)
      yield* setUp(operator, foreign)
      const { body: options } = yield* customer.call({ method: "POST", path: "/session/fresh/options" })
      const credential = foreign.get(options, customer)
      const fresh = { method: "POST", path: "/session/fresh" }
      assert.strictEqual((yield* customer.call({ ...fresh, body: { credential } })).status, 403)
      const proof = yield* prove(customer, own, "/session/fresh")
      const other = yield* signInAs(app, "customer")
      assert.strictEqual((yield* other.call(proof)).status, 403)
      const before = customer.cookie
      assert.strictEqual((yield* customer.call(yield* prove(customer, own, "/session/fresh"))).status, 200)
      assert.notStrictEqual(customer.cookie, before)
      assert.strictEqual((yield* customer.call({ path: "/session" })).status, 200)
      // With a passkey, an emulator's person has to use it.
      assert.strictEqual((yield* customer.call({ ...fresh, body: {} })).status, 409)
    })))

  it.live("does not work at an address, which the service says", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      const { body, status } = yield* browser.call({ method: "POST", path: "/me/passkeys/options" })
      assert.deepStrictEqual([status, body.detail.includes("use localhost instead of an address")], [409, true])
    })))
})
