/** The mails that members choose, each for themselves and for each account. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Mails } from "#service/persistence/Mails"
import { startApp, type TestApp } from "../support/app.ts"
import { openLink, PanelBrowser, signInAs } from "../support/panel.ts"
import { until } from "../support/until.ts"

const mailsOf = (browser: PanelBrowser) => Effect.map(browser.call({ path: "/accounts/1/mails" }), ({ body }) => body)

const choose = (browser: PanelBrowser, ...wanted: ReadonlyArray<string>) =>
  browser.call({ method: "PUT", path: "/accounts/1/mails", body: { wanted } })

const wantedBy = (browser: PanelBrowser) =>
  Effect.map(
    mailsOf(browser),
    ({ kinds }) =>
      (kinds as ReadonlyArray<{ kind: string; wanted: boolean }>).filter(({ wanted }) => wanted).map(({ kind }) => kind)
  )

const REQUIRED = [
  "renewal_due",
  "expired",
  "deletion_due",
  "deleted",
  "suspended",
  "price_announced",
  "payment_taken_back",
  "corrected"
]

/** A member who may only read. */
const joined = Effect.fnUntraced(function*(app: TestApp, owner: PanelBrowser) {
  const body = { email: "ada@example.test", permission: "read" }
  const { body: sent } = yield* owner.call({ method: "POST", path: "/accounts/1/invitations", body })
  const browser = new PanelBrowser(app.origin)
  const { body: { person } } = yield* openLink(browser, sent.link)
  return { browser, id: person.id as number }
})

/** The addresses that got a mail of each order since the list was cleared. */
const recipients = Effect.fnUntraced(function*(app: TestApp) {
  yield* app.control("DELETE", "/mails")
  yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
  yield* app.control("POST", "/clock", { advance_ms: 60_000 })
  // On PostgreSQL the delivery may still wait for an answer.
  const count = Effect.flatMap(Mails, ({ waiting }) => Effect.map(waiting, (mails) => mails.count))
  yield* Effect.promise(() => until(() => Effect.runPromise(app.inside(count)), (mails) => mails === 0))
  const { body } = yield* app.control("GET", "/mails")
  return (body as ReadonlyArray<{ subject: string; to: string }>).filter(({ subject }) =>
    subject.startsWith("Your order")
  )
    .map(({ to }) => to).toSorted()
})

describe("the mails of a member", () => {
  it.live("are all for the owner, who can turn off those that cost neither data nor money", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { email, kinds, owner_email: address } = yield* mailsOf(owner)
      assert.deepStrictEqual([email, address], ["owner@example.test", "owner@example.test"])
      assert.lengthOf(yield* wantedBy(owner), kinds.length)
      const required = kinds.filter((one: { required: boolean }) => one.required)
      assert.deepStrictEqual(required.map(({ kind }: { kind: string }) => kind), REQUIRED)
      assert.deepStrictEqual(yield* recipients(app), ["owner@example.test"])
      assert.strictEqual((yield* choose(owner)).status, 200)
      assert.deepStrictEqual(yield* wantedBy(owner), REQUIRED)
      assert.deepStrictEqual(yield* recipients(app), [])
      yield* choose(owner, "ordered")
      assert.deepStrictEqual(yield* recipients(app), ["owner@example.test"])
    })))

  it.live("are none for another member, also one who only reads, until they choose, and end with the membership", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const { browser, id } = yield* joined(app, owner)
      assert.deepStrictEqual(yield* wantedBy(browser), [])
      assert.deepStrictEqual(yield* recipients(app), ["owner@example.test"])
      assert.strictEqual((yield* choose(browser, "ordered", "expired")).status, 200)
      assert.deepStrictEqual(yield* wantedBy(browser), ["ordered", "expired"])
      assert.deepStrictEqual(yield* recipients(app), ["ada@example.test", "owner@example.test"])
      yield* owner.call({ method: "DELETE", path: `/accounts/1/people/${id}` })
      assert.deepStrictEqual(yield* recipients(app), ["owner@example.test"])
      assert.strictEqual((yield* choose(browser)).status, 404)
      assert.strictEqual((yield* choose(owner, "nothing")).status, 422)
    })))

  it.live("that the emulator would have sent are in its panel", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const browser = yield* signInAs(app, "customer")
      yield* recipients(app)
      const { body } = yield* browser.call({ path: "/emulator/mails" })
      assert.deepInclude(body[0], { to: "owner@example.test", subject: "Your order of VPS S: instance 1" })
      yield* browser.call({ method: "DELETE", path: "/emulator/mails" })
      assert.deepStrictEqual((yield* browser.call({ path: "/emulator/mails" })).body, [])
    })))
})
