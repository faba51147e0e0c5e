/** The catalogue over HTTP: what is listed is what can be bought, under the names that bodies use. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { PublicPlan } from "#contract/Services"
import { importCatalogue } from "#service/admin/catalogue/CatalogueImport"
import { deployed, startApp, type TestApp } from "../support/app.ts"

const PLAN = { currency: "EUR", category: "vps" as const, data_center: "Frankfurt" }

const DOCUMENT = {
  data_centers: [{ id: 9, label: "Oslo" }],
  plans: [
    { ...PLAN, id: 20, slug: "gone", name: "Gone", price: 1, out_of_stock: true },
    { ...PLAN, id: 21, slug: "bare", name: "Bare", price: 1 },
    { ...PLAN, id: 22, slug: "open", name: "Open", price: 1, specs: { vcpu: 2, ram: null, gpu: "1x L4" } },
    // A data center with plans for sale needs an image; hosting plans are not orderable.
    { ...PLAN, id: 24, slug: "dollars", name: "Dollars", price: 1, currency: "USD" },
    { ...PLAN, id: 23, slug: "north", name: "North", price: 1, data_center: "Oslo", category: "hosting" as const }
  ]
}

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(
    App,
    Effect.tap(startApp(), (app) => app.inside(importCatalogue({ document: DOCUMENT, dry_run: false })))
  )
}

const get = (path: string) => Effect.map(Effect.flatMap(App, ({ api }) => api({ path })), ({ body }) => body)
const post = (path: string, body: object) => Effect.flatMap(App, ({ api }) => api({ method: "POST", path, body }))
const create = (body: object) => post("/instances", body)
const preview = (body: object) => post("/instances?dry_run=true", body)

const planOf = (id: number) =>
  Effect.map(get("/services"), (plans: ReadonlyArray<PublicPlan>) => plans.find((plan) => plan.id === id))

layer(App.layer, { excludeTestServices: true })("the catalogue", (it) => {
  it.effect("does not list a plan that is out of stock, and a create says why it is 404", () =>
    Effect.gen(function*() {
      assert.isUndefined(yield* planOf(20))
      for (const answer of [yield* create({ service_id: 20 }), yield* preview({ service_id: 20 })]) {
        assert.strictEqual(answer.status, 404)
        assert.match(answer.body.detail, /^Plan 20 is out of stock/)
      }
    }))

  it.effect("lists the plans in the currency of the account", () =>
    Effect.gen(function*() {
      const { api, control } = yield* App
      const account = { email: "us@example.test", wallet: 100, currency: "USD" }
      const { body: dollars } = yield* control("POST", "/accounts", account)
      const answer = yield* api({ path: "/services", key: dollars.api_key })
      assert.deepStrictEqual(answer.body.map(({ id }: PublicPlan) => id), [24])
      assert.isUndefined(yield* planOf(24))
    }))

  it.effect("lists plans by the id that a create and its order call service_id", () =>
    Effect.gen(function*() {
      for (const { id, name } of yield* get("/services")) {
        const { body } = yield* preview({ service_id: id })
        assert.deepInclude(body, { service_id: id, plan_name: name })
      }
      const { body } = yield* create({ service_id: 21 })
      assert.deepInclude(body.order, { service_id: 21 })
      assert.deepInclude(body.order.service, { id: 21, slug: "bare" })
    }))

  it.effect("shows the specs that a plan declares, including additional ones, and null for missing ones", () =>
    Effect.gen(function*() {
      assert.deepInclude(yield* planOf(21), { specs: null, description: null })
      const specs = { vcpu: 2, ram: null, gpu: "1x L4" }
      assert.deepInclude(yield* planOf(22), { specs })
      const { body } = yield* create({ service_id: 22 })
      assert.strictEqual(body.order.service.specs, JSON.stringify(specs))
      assert.isNull((yield* create({ service_id: 21 })).body.order.service.specs)
    }))

  it.effect("has an empty list for a data center without images", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* get("/services/23/os-options"), { location_label: "Oslo", os_options: [] })
    }))

  it.effect("offers exactly the slugs that a create and a reinstall accept", () =>
    Effect.gen(function*() {
      const app = yield* App
      const slugsOf = (id: number) =>
        Effect.map(
          get(`/services/${id}/os-options`),
          ({ os_options: options }) => options.map(({ slug }: { slug: string }) => slug) as ReadonlyArray<string>
        )
      const everywhere = yield* slugsOf(1)
      assert.isAbove(everywhere.length, 4)
      for (const plan of [1, 4]) {
        const offered = yield* slugsOf(plan)
        const { body: { id } } = yield* create({ service_id: plan })
        yield* deployed(app, id)
        for (const os of [...everywhere, "plan9"]) {
          const answers = [yield* preview({ service_id: plan, os }), yield* post(`/instances/${id}/reinstall`, { os })]
          yield* deployed(app, id)
          const expected = offered.includes(os) ? 200 : 422
          assert.deepStrictEqual(answers.map(({ status }) => status), [expected, expected], `${plan} ${os}`)
          if (expected === 422) {
            assert.deepStrictEqual(answers.map(({ body }) => body.detail[0].loc), [["body", "os"], ["body", "os"]])
          }
        }
      }
    }))
})
