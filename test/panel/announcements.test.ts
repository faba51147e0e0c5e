/** Announcements on the pages of a member, in the API, and in the panel of operators. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"
import { openEvents } from "../support/panelEvents.ts"

const HOUR = 3_600_000

const at = (hours: number): string => new Date(Date.now() + hours * HOUR).toISOString()

const command = (browser: PanelBrowser, name: string, body: object = {}) =>
  browser.call({ method: "POST", path: `/operator/commands/announcements.${name}`, body })

const started = Effect.gen(function*() {
  const app = yield* startApp()
  yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname: "web" } })
  const operator = yield* signInAs(app, "operator")
  const customer = yield* signInAs(app, "customer")
  const input = {
    kind: "maintenance",
    title: "Network switch",
    text: "Some minutes.",
    starts_at: at(1),
    ends_at: at(2)
  }
  return { app, operator, customer, input }
})

const whoami = (app: TestApp) => Effect.map(app.api({ path: "/whoami" }), ({ body }) => body.announcements)

describe("an announcement", () => {
  it.live("is on the pages of the account and in the API until it ends, and says whether it has begun", () =>
    Effect.scoped(Effect.gen(function*() {
      const { app, customer, input, operator } = yield* started
      const shown = Effect.map(customer.call({ path: "/accounts/1/announcements" }), ({ body }) => body)
      assert.deepStrictEqual([yield* shown, yield* whoami(app)], [[], []])
      assert.strictEqual((yield* command(operator, "add", input)).status, 200)
      const record = { ...input, id: 1, instances: null }
      assert.deepStrictEqual(yield* shown, [{ ...record, version: 1, running: false }])
      assert.deepStrictEqual(yield* whoami(app), [record])
      yield* app.control("POST", "/clock", { advance_ms: 1.5 * HOUR })
      assert.deepInclude((yield* shown)[0], { running: true })
      yield* command(operator, "change", { id: 1, title: "Another switch" })
      assert.deepInclude((yield* shown)[0], { version: 2, title: "Another switch" })
      yield* app.control("POST", "/clock", { advance_ms: HOUR })
      assert.deepStrictEqual([yield* shown, yield* whoami(app)], [[], []])
    })))

  it.live("appears on open pages as soon as it is announced", () =>
    Effect.scoped(Effect.gen(function*() {
      const { customer, input, operator } = yield* started
      const page = yield* openEvents(customer)
      yield* command(operator, "add", input)
      yield* page.until("announcements")
    })))

  it.live("is made by operators only, with a fresh sign-in, and refused with the field that is wrong", () =>
    Effect.scoped(Effect.gen(function*() {
      const { customer, input, operator } = yield* started
      assert.strictEqual((yield* command(customer, "add", input)).status, 403)
      const refusal = (change: object) =>
        Effect.map(command(operator, "add", { ...input, ...change }), ({ body }) => body.detail)
      assert.match(yield* refusal({ title: "two\nlines" }), /^title: Input should have one line/)
      assert.match(yield* refusal({ title: " " }), /^title: /)
      assert.match(yield* refusal({ text: "" }), /^text: /)
      assert.match(yield* refusal({ starts_at: "tomorrow" }), /^starts_at: /)
      assert.match(yield* refusal({ ends_at: input.starts_at }), /^ends_at: Must be later/)
      assert.deepStrictEqual((yield* command(operator, "list", { all: true, limit: 10 })).body, [])
    })))
})
