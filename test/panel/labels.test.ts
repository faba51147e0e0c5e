/** Labels of instances, which members set and filter by; the API does not have them. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"
import { openEvents } from "../support/panelEvents.ts"

const buy = (app: TestApp) =>
  Effect.map(app.api({ method: "POST", path: "/instances", body: { service_id: 1 } }), ({ body }) => body.id as number)

const put = (browser: PanelBrowser, id: number, labels: ReadonlyArray<unknown>) =>
  browser.call({ method: "PUT", path: `/accounts/1/instances/${id}/labels`, body: { labels } })

const all = (browser: PanelBrowser) => Effect.map(browser.call({ path: "/accounts/1/labels" }), ({ body }) => body)

describe("labels of instances", () => {
  it.live("are replaced together, sorted, each once, and listed for those that have some", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const [first, second] = [yield* buy(app), yield* buy(app)]
      assert.deepStrictEqual(yield* all(owner), [])
      const { body } = yield* put(owner, first, ["web", "env:prod", "web"])
      assert.deepStrictEqual(body, { instance_id: first, labels: ["env:prod", "web"] })
      yield* put(owner, second, ["a_b.c-d"])
      yield* put(owner, first, ["db"])
      assert.deepStrictEqual(yield* all(owner), [
        { instance_id: first, labels: ["db"] },
        { instance_id: second, labels: ["a_b.c-d"] }
      ])
      yield* put(owner, second, [])
      assert.deepStrictEqual(yield* all(owner), [{ instance_id: first, labels: ["db"] }])
      const { body: items } = yield* owner.call({ path: "/accounts/1/activity?kind=account" })
      assert.deepInclude(items.items[0], { action: "instances.labels", subject: null })
      assert.notInclude(JSON.stringify((yield* app.api({ path: `/instances/${first}` })).body), "label")
    })))

  it.live("have a form and a number, and only for the account's own instances", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const id = yield* buy(app)
      const ten = Array.from({ length: 10 }, (_, index) => `l${index}`)
      assert.strictEqual((yield* put(owner, id, ten)).status, 200)
      for (const labels of [[...ten, "more"], [""], ["a b"], ["x".repeat(33)], ["ä"], [1]]) {
        assert.strictEqual((yield* put(owner, id, labels)).status, 422, JSON.stringify(labels))
      }
      assert.strictEqual((yield* put(owner, 99, ["x"])).status, 404)
    })))

  it.live("are gone with the instance", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const operator = yield* signInAs(app, "operator")
      const id = yield* buy(app)
      yield* put(owner, id, ["web"])
      const terminate = { method: "POST", path: "/operator/commands/instances.terminate", body: { id, reason: "x" } }
      yield* operator.call(terminate)
      yield* app.control("POST", "/clock", { advance_ms: 60_000 })
      while ((yield* owner.call({ path: `/accounts/1/v1/instances/${id}` })).status === 200) yield* Effect.sleep(20)
      assert.deepStrictEqual(yield* all(owner), [])
    })))

  it.live("reach open pages", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const id = yield* buy(app)
      const page = yield* openEvents(owner)
      yield* put(owner, id, ["web"])
      yield* page.until("labels")
    })))
})
