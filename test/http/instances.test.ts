/** The life of an instance over HTTP: bought, deployed, named, switched; every answer fits the contract. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { DryRun, Instance } from "#contract/Instance"
import { startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

/** Every field of an answer must be in the contract, and as the contract says. */
const fits = <A, I>(schema: Schema.Codec<A, I>, value: unknown): A =>
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error", errors: "all" })(value)

const create = (body: object, headers: Record<string, string> = {}, query = "") =>
  Effect.flatMap(App, (app) => app.api({ method: "POST", path: `/instances${query}`, body, headers }))

layer(App.layer, { excludeTestServices: true })("instances", (it) => {
  describe("the catalogue", () => {
    it.effect.each([6, 99])("has no images for plan %i, which is not for sale", (id) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* (yield* App).api({ path: `/services/${id}/os-options` })).status, 404)
      }))
  })

  describe("a create", () => {
    it.effect("returns 201 with a location, and marks a replay", () =>
      Effect.gen(function*() {
        const key = { "idempotency-key": "http-1" }
        const first = yield* create({ service_id: 1, hostname: "web" }, key)
        assert.strictEqual(first.status, 201)
        fits(Instance, first.body)
        assert.strictEqual(first.headers.get("location"), `/api/v1/instances/${first.body.id}`)
        assert.isNull(first.headers.get("idempotent-replayed"))
        const again = yield* create({ service_id: 2, hostname: "web" }, { "idempotency-key": "\"http-1\"" })
        assert.strictEqual(again.status, 201)
        assert.strictEqual(again.body.id, first.body.id)
        assert.strictEqual(again.headers.get("location"), first.headers.get("location"))
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        assert.strictEqual(again.headers.get("idempotent-mismatch"), "service_id")
      }))

    it.effect("with dry_run previews and buys nothing", () =>
      Effect.gen(function*() {
        const app = yield* App
        const before = (yield* app.api({ path: "/instances" })).body.length
        const answer = yield* create({ service_id: 2 }, {}, "?dry_run=true")
        assert.strictEqual(answer.status, 200)
        assert.deepInclude(fits(DryRun, answer.body), {
          dry_run: true,
          would_create: true,
          service_id: 2,
          plan_name: "VPS M",
          charge_amount: 9.99,
          discount_amount: 0,
          currency: "EUR"
        })
        assert.lengthOf((yield* app.api({ path: "/instances" })).body, before)
      }))

    it.effect.each(
      [
        [{ service_id: 99 }, 404, "Plan 99 does not exist"],
        [{ service_id: 6 }, 404, "no longer sold"],
        [{ service_id: 7 }, 400, "category hosting"],
        [{ service_id: 1, coupon_code: "EXPIRED" }, 400, "Coupon EXPIRED has expired."]
      ] as const
    )("%j is %i: %s", ([body, status, words]) =>
      Effect.gen(function*() {
        const answer = yield* create(body)
        assert.strictEqual(answer.status, status)
        assert.include(answer.body.detail, words)
      }))
  })
})
