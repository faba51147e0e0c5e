/** Replays of a create over HTTP: their content, and invalid keys. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { request as httpRequest } from "node:http"
import { deployed, startApp, type TestApp } from "../support/app.ts"

const DAY = 86_400_000

const buy = (app: TestApp, key: string) =>
  app.api({ method: "POST", path: "/instances", body: { service_id: 1 }, headers: { "idempotency-key": key } })

describe("a repeat", () => {
  it.live("returns the complete current state of the original, even if it is deleted", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body: first } = yield* buy(app, "k1")
      const { id } = yield* deployed(app, first.id)
      yield* app.api({ method: "PATCH", path: `/instances/${id}/hostname`, body: { hostname: "db" } })
      const { body: shown } = yield* app.api({ path: `/instances/${id}` })
      const again = yield* buy(app, "k1")
      assert.deepStrictEqual([again.status, again.body], [201, shown])
      assert.strictEqual(JSON.parse(again.body.provider_data).hostname, "db")
      yield* app.control("PUT", "/wallet", { balance: 0 })
      yield* app.control("POST", "/clock", { advance_ms: 31 * DAY })
      assert.strictEqual((yield* buy(app, "k1")).body.status, "expired")
      yield* app.control("POST", "/clock", { advance_ms: 8 * DAY })
      assert.strictEqual((yield* app.api({ path: `/instances/${id}` })).status, 404)
      const last = yield* buy(app, "k1")
      assert.deepStrictEqual([last.status, last.body.id, last.body.status], [201, id, "deleted"])
      assert.strictEqual(last.headers.get("location"), `/api/v1/instances/${id}`)
      assert.strictEqual(last.headers.get("idempotent-replayed"), "true")
    }))
})

describe("a dry run with a key that was used", () => {
  it.live("says in which fields its body differs", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const headers = { "idempotency-key": "k1" }
      const preview = (body: object) => app.api({ method: "POST", path: "/instances?dry_run=true", body, headers })
      assert.isFalse((yield* preview({ service_id: 1 })).headers.has("idempotent-mismatch"))
      yield* buy(app, "k1")
      assert.isFalse((yield* preview({ service_id: 1 })).headers.has("idempotent-mismatch"))
      const { body, headers: received, status } = yield* preview({ service_id: 2, hostname: "db" })
      assert.strictEqual(status, 200)
      assert.deepInclude(body, { service_id: 1, would_create: false, charge_amount: 0 })
      assert.strictEqual(received.get("idempotent-mismatch"), "hostname, service_id")
    }))
})

describe("two headers with a key", () => {
  /** Each in a line of its own, as fetch would not send them. */
  const twice = ({ key, origin }: TestApp, keys: ReadonlyArray<string>) =>
    Effect.promise(() =>
      new Promise<{ readonly status: number; readonly text: string }>((resolve, reject) => {
        const headers = ["Authorization", `Bearer ${key}`, "Host", new URL(origin).host, "Content-Type"]
        const lines = keys.flatMap((each) => ["Idempotency-Key", each])
        const options = { method: "POST", headers: [...headers, "application/json", ...lines], agent: false }
        const sent = httpRequest(`${origin}/api/v1/instances`, options, (response) => {
          let text = ""
          response.on("data", (chunk) => text += chunk).on("end", () => resolve({ status: response.statusCode!, text }))
        })
        sent.on("error", reject).end(JSON.stringify({ service_id: 1 }))
      })
    )

  it.live("are 422 at the header, and buy nothing", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const keys of [["a", "b"], ["a", "a"]]) {
        const { status, text } = yield* twice(app, keys)
        assert.strictEqual(status, 422, text)
        assert.deepStrictEqual(JSON.parse(text).detail[0].loc, ["header", "Idempotency-Key"])
      }
      assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
      assert.strictEqual((yield* twice(app, ["a"])).status, 201)
    }))
})
