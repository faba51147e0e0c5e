/** Changes reach open pages as server-sent events, until the session ends or the service stops. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { type PanelBrowser, signInAs } from "../support/panel.ts"

interface Events {
  /** Reads until an event names all of these. */
  readonly until: (...names: ReadonlyArray<string>) => Effect.Effect<void>
  /** Reads to the end of the stream. */
  readonly ended: Effect.Effect<void>
}

/** Opens a stream, closed with the scope; the test's own timeout bounds each read. */
const open = Effect.fnUntraced(function*(browser: PanelBrowser, path = "/accounts/1/events") {
  const { signal } = yield* Effect.acquireRelease(
    Effect.sync(() => new AbortController()),
    (controller) => Effect.sync(() => controller.abort())
  )
  return yield* Effect.promise(async (): Promise<Events> => {
    const response = await fetch(`${browser.origin}/panel/api${path}`, {
      signal,
      headers: { cookie: `__Host-session=${browser.cookie}`, "sec-fetch-site": "same-origin" }
    })
    assert.deepStrictEqual([response.status, response.headers.get("content-type")], [200, "text/event-stream"])
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    const missing = new Set<string>()
    const read = async (): Promise<boolean> => {
      const { done, value = "" } = await reader.read()
      for (const [, data] of value.matchAll(/^data: (.*)$/gm)) {
        for (const name of JSON.parse(data!).changed) missing.delete(name)
      }
      return !done
    }
    await read()
    return {
      until: (...names) =>
        Effect.promise(async () => {
          for (const name of names) missing.add(name)
          while (missing.size > 0) assert.isTrue(await read(), "the stream ended")
        }),
      ended: Effect.promise(async () => {
        while (await read());
      })
    }
  })
})

const buy = (app: TestApp) =>
  Effect.map(app.api({ method: "POST", path: "/instances", body: { service_id: 1 } }), ({ body }) => String(body.id))

describe("events of the panel", () => {
  it.live("name the instances and the wallet of the account that a program changed, and what operators see", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const customer = yield* open(yield* signInAs(app, "customer"))
      const operator = yield* open(yield* signInAs(app, "operator"), "/operator/events")
      const id = yield* buy(app)
      yield* customer.until(id, "wallet")
      yield* operator.until("money")
      yield* app.api({ method: "POST", path: `/instances/${id}/stop` })
      yield* customer.until(id)
    })))

  it.live("end when the person signs out, and when the service stops", () =>
    Effect.scoped(Effect.gen(function*() {
      const app = yield* startApp()
      const [first, second] = [yield* signInAs(app, "customer"), yield* signInAs(app, "operator")]
      const [own, other] = [yield* open(first), yield* open(second, "/operator/events")]
      yield* first.call({ method: "POST", path: "/sign-out" })
      yield* buy(app)
      yield* own.ended
      yield* app.drain
      yield* other.ended
    })))
})
