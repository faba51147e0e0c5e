/** The life of an instance over HTTP: bought, deployed, named, switched; every answer fits the contract. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Whoami } from "#contract/Account"
import { ActionResult, DryRun, HostnameResult, Instance, RdnsResult } from "#contract/Instance"
import { TaskPage } from "#contract/Monitoring"
import { OsOptions, PublicPlan } from "#contract/Services"
import { deployed, startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

/** Every field of an answer must be in the contract, and as the contract says. */
const fits = <A, I>(schema: Schema.Codec<A, I>, value: unknown): A =>
  Schema.decodeUnknownSync(schema, { onExcessProperty: "error", errors: "all" })(value)

const create = (body: object, headers: Record<string, string> = {}, query = "") =>
  Effect.flatMap(App, (app) => app.api({ method: "POST", path: `/instances${query}`, body, headers }))

const bought = Effect.gen(function*() {
  const { body } = yield* create({ service_id: 1, hostname: "web" })
  return yield* deployed(yield* App, body.id)
})

layer(App.layer, { excludeTestServices: true })("instances", (it) => {
  describe("the catalogue", () => {
    it.effect("lists active plans in stock that can be ordered", () =>
      Effect.gen(function*() {
        const { body } = yield* (yield* App).api({ path: "/services" })
        const plans = fits(Schema.Array(PublicPlan), body)
        assert.deepStrictEqual(plans.map(({ id, price, slug }) => [id, slug, price]), [
          [1, "vps-s", 4.99],
          [2, "vps-m", 9.99],
          [3, "vps-l", 19.99],
          [4, "vps-m-hel", 9.49],
          [5, "ded-1", 59]
        ])
      }))

    it.effect("offers images per data centre: Windows in Frankfurt only", () =>
      Effect.gen(function*() {
        const app = yield* App
        const frankfurt = fits(OsOptions, (yield* app.api({ path: "/services/1/os-options" })).body)
        const helsinki = fits(OsOptions, (yield* app.api({ path: "/services/4/os-options" })).body)
        assert.deepStrictEqual([frankfurt.location_label, helsinki.location_label], ["Frankfurt", "Helsinki"])
        const slugs = (options: OsOptions) => (options.os_options ?? []).map(({ slug }) => slug)
        assert.includeMembers(slugs(frankfurt), ["debian-12", "debian-13", "ubuntu-24.04", "alma-9", "freebsd-14"])
        assert.include(slugs(frankfurt), "windows-2022")
        assert.notInclude(slugs(helsinki), "windows-2022")
      }))

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

    it.effect("with an invalid field is a 422 at that field", () =>
      Effect.gen(function*() {
        const answer = yield* create({ service_id: 1, hostname: "-web-" })
        assert.strictEqual(answer.status, 422)
        assert.deepInclude(answer.body.detail[0], { loc: ["body", "hostname"], type: "value_error" })
      }))
  })

  describe("a deployed instance", () => {
    it.effect("has an address, a provider id and data, and is running", () =>
      Effect.gen(function*() {
        const instance = fits(Instance, yield* bought)
        assert.strictEqual(instance.status, "running")
        assert.match(instance.ipv4 ?? "", /^\d+\.\d+\.\d+\.\d+$/)
        assert.isNotEmpty(instance.provider_id)
        const data = JSON.parse(instance.provider_data!)
        assert.deepInclude(data, { hostname: "web", os: "debian-12" })
        assert.includeMembers(Object.keys(data), ["node", "ipv6"])
      }))

    it.effect("accepts a hostname and shows it in provider_data", () =>
      Effect.gen(function*() {
        const { id } = yield* bought
        const app = yield* App
        const answer = yield* app.api({ method: "PATCH", path: `/instances/${id}/hostname`, body: { hostname: "db" } })
        const result = fits(HostnameResult, answer.body)
        assert.deepInclude(result, { ok: true, action: "set_hostname", status: "running", hostname: "db" })
        assert.isNumber(result.task_id)
        const { body } = yield* app.api({ path: `/instances/${id}` })
        assert.strictEqual(JSON.parse(body.provider_data).hostname, "db")
      }))

    it.effect("accepts a PTR for its own addresses only", () =>
      Effect.gen(function*() {
        const instance = yield* bought
        const app = yield* App
        const set = (body: object) => app.api({ method: "POST", path: `/instances/${instance.id}/rdns`, body })
        const answer = yield* set({ ip: instance.ipv4, ptr: "web.example.test" })
        assert.deepInclude(fits(RdnsResult, answer.body), {
          action: "set_rdns",
          ip: instance.ipv4!,
          ptr: "web.example.test"
        })
        const foreign = yield* set({ ip: "192.0.2.1", ptr: "web.example.test" })
        assert.strictEqual(foreign.status, 422)
        assert.deepStrictEqual(foreign.body.detail[0].loc, ["body", "ip"])
        const nonsense = yield* set({ ip: instance.ipv4, ptr: "not a name" })
        assert.deepStrictEqual(nonsense.body.detail[0].loc, ["body", "ptr"])
      }))

    it.effect("is stopped and started; a repeated request needs no task", () =>
      Effect.gen(function*() {
        const { id } = yield* bought
        const app = yield* App
        const act = (verb: string) => app.api({ method: "POST", path: `/instances/${id}/${verb}` })
        assert.deepInclude(fits(ActionResult, (yield* act("start")).body), { action: "start", task_id: null })
        const stop = fits(ActionResult, (yield* act("stop")).body)
        assert.deepInclude(stop, { ok: true, action: "stop", status: "stopping" })
        assert.strictEqual((yield* deployed(app, id, "stopped")).status, "stopped")
        assert.deepInclude((yield* act("stop")).body, { action: "stop", task_id: null, status: "stopped" })
        assert.strictEqual((yield* act("start")).status, 200)
        assert.strictEqual((yield* deployed(app, id)).status, "running")
      }))

    it.effect("has a feed, newest first, in pages", () =>
      Effect.gen(function*() {
        const { id } = yield* bought
        const app = yield* App
        yield* app.api({
          method: "PATCH",
          path: `/instances/${id}/hostname`,
          body: { hostname: "db" },
          headers: { "x-request-id": "feed-1" }
        })
        const page = fits(TaskPage, (yield* app.api({ path: `/instances/${id}/tasks?limit=1` })).body)
        assert.deepInclude(page, { total: 2, limit: 1, offset: 0 })
        assert.deepInclude(page.items[0], {
          kind: "operation",
          type: "set_hostname",
          status: "succeeded",
          progress: 100,
          actor: "api_key",
          request_id: "feed-1",
          error: null
        })
        const rest = fits(TaskPage, (yield* app.api({ path: `/instances/${id}/tasks?offset=1` })).body)
        assert.deepStrictEqual(rest.items.map(({ type }) => type), ["provision"])
      }))
  })

  it.effect("whoami fits the contract", () =>
    Effect.gen(function*() {
      fits(Whoami, (yield* (yield* App).api({ path: "/whoami" })).body)
    }))
})
