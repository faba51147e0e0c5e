/** Changes reach open pages as server-sent events, until the session ends or the service stops. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { openLink, PanelBrowser, signInAs } from "../support/panel.ts"
import { openEvents } from "../support/panelEvents.ts"

const buy = (app: TestApp) =>
  Effect.map(app.api({ method: "POST", path: "/instances", body: { service_id: 1 } }), ({ body }) => String(body.id))

describe("events of the panel", () => {
  it.live("name the instances and the wallet of the account that a program changed, and what operators see", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const customer = yield* openEvents(yield* signInAs(app, "customer"))
      const operator = yield* openEvents(yield* signInAs(app, "operator"), "/operator/events")
      const id = yield* buy(app)
      yield* customer.until(id, "wallet")
      yield* operator.until("money")
      yield* app.api({ method: "POST", path: `/instances/${id}/stop` })
      yield* customer.until(id)
    })))

  it.live("reach all tabs of a person, and the other people of the account", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const owner = yield* signInAs(app, "customer")
      const invited = yield* owner.call({
        method: "POST",
        path: "/accounts/1/invitations",
        body: { email: "colleague@example.test" }
      })
      const colleague = new PanelBrowser(app.origin)
      yield* openLink(colleague, invited.body.link)
      const id = yield* buy(app)
      yield* deployed(app, Number(id))
      const pages = [yield* openEvents(owner), yield* openEvents(owner), yield* openEvents(colleague)]
      const path = `/accounts/1/v1/instances/${id}/stop`
      const both = yield* Effect.forEach([owner, colleague], (one) => one.call({ method: "POST", path }), {
        concurrency: "unbounded"
      })
      // The one that came second finds the instance busy or off, and its response says so.
      assert.include(both.map(({ status }) => status), 200)
      for (const page of pages) yield* page.until(id)
      const { body } = yield* colleague.call({ path: `/accounts/1/instances/${id}/activity` })
      assert.match(body.items[0].by, /@example\.test/)
    })))

  it.live("end with a session that had no other request for too long: an open page does not prolong it", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp([], {
        VPS_SERVICE_EVENTS_HEARTBEAT_MILLIS: "50",
        VPS_SERVICE_SESSION_IDLE_MILLIS: "3000",
        VPS_SERVICE_SESSION_SEEN_MILLIS: "0"
      })
      const page = yield* openEvents(yield* signInAs(app, "customer"))
      yield* page.ended
    })))

  it.live("end when the person signs out, and when the service stops", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const [first, second] = [yield* signInAs(app, "customer"), yield* signInAs(app, "operator")]
      const [own, other] = [yield* openEvents(first), yield* openEvents(second, "/operator/events")]
      yield* first.call({ method: "POST", path: "/sign-out" })
      yield* buy(app)
      yield* own.ended
      yield* app.drain
      yield* other.ended
    })))
})
