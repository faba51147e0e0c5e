/** Creates over HTTP: what they order, charge at most, and return when they are repeated. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { assert, describe, it, layer } from "@effect/vitest"
import { DryRun, Instance } from "#contract/Instance"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { request as httpRequest } from "node:http"
import { machineOf } from "../support/machineTag.ts"

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

const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd me@example.test"

const BODY = {
  service_id: 2,
  hostname: "web.example.test",
  os: "alma-9",
  ssh_pubkey: KEY,
  root_password: "correct-horse",
  coupon_code: "WELCOME10"
}

describe("a create with every field", () => {
  it.live("orders and builds according to each of them, and returns no secret", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const preview = yield* app.api({ method: "POST", path: "/instances?dry_run=true", body: BODY })
      assert.deepInclude(preview.body, {
        service_id: 2,
        charge_amount: 8.99,
        discount_amount: 1,
        wallet_balance: 1_000
      })
      const { body: bought, status } = yield* app.api({ method: "POST", path: "/instances", body: BODY })
      assert.strictEqual(status, 201)
      const config = JSON.parse(bought.order.config)
      assert.deepInclude(config, {
        service_id: 2,
        hostname: "web.example.test",
        os: "alma-9",
        coupon_code: "WELCOME10"
      })
      assert.match(config.ssh_key_fingerprint, /^SHA256:/)
      const shown = yield* deployed(app, bought.id)
      assert.deepInclude(JSON.parse(shown.provider_data!), { hostname: "web.example.test", os: "alma-9" })
      const machine = yield* app.inside(
        Effect.map(machineOf(1), (found) => found ?? null)
      )
      assert.deepInclude(machine, { hostname: "web.example.test", os: "alma-9", plan: "vps-m", sshKey: KEY })
      assert.strictEqual((yield* app.control("GET", "/wallet")).body.balance, 1_000 - 8.99)
      const { body: tasks } = yield* app.api({ path: "/instances/1/tasks" })
      assert.notInclude(JSON.stringify([bought, shown, tasks]), "correct-horse")
    }))

  it.live("does not take an address for a host name", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const hostname of ["198.51.100.7", "1.2", "42"]) {
        const { body, status } = yield* app.api({ method: "POST", path: "/instances", body: { ...BODY, hostname } })
        assert.strictEqual(status, 422)
        assert.deepInclude(body.detail[0], { loc: ["body", "hostname"], type: "value_error" })
      }
      assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
    }))

  it.live("may set optional fields to null", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const none = Object.fromEntries(Object.keys(BODY).slice(1).map((name) => [name, null]))
      const bought = yield* Effect.forEach([{}, none], (more) =>
        Effect.map(
          app.api({ method: "POST", path: "/instances", body: { service_id: 1, ...more } }),
          ({ body, status }) => [status, body.order.config] as const
        ))
      assert.deepStrictEqual(bought[0], bought[1])
      assert.strictEqual(bought[0]![0], 201)
    }))
})

const send = (app: TestApp, path: string, limit: string, headers: Readonly<Record<string, string>> = {}) =>
  app.api({
    method: "POST",
    path,
    body: { service_id: path === "/instances" ? 1 : 2 },
    headers: { "vps-max-charge": limit, ...headers }
  })

const wallet = (app: TestApp) => Effect.map(app.control("GET", "/wallet"), ({ body }) => body.balance)

describe("the most that may be charged", () => {
  it.live("refuses a higher charge of a create with both amounts, and nothing happens", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const limit of ["4.98 EUR", "0 EUR", "5.00 USD"]) {
        const { body, headers, status } = yield* send(app, "/instances", limit, { "idempotency-key": "web-1" })
        assert.strictEqual(status, 409)
        assert.include(body.detail, "This costs 4.99 EUR, but at most ")
        assert.include(body.detail, "may be charged (VPS-Max-Charge). Nothing was charged.")
        assert.strictEqual(headers.get("vps-charge"), "4.99 EUR")
        assert.isNull(headers.get("retry-after"), "clients do not retry it")
      }
      assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
      assert.strictEqual(yield* wallet(app), 1_000)
      const bought = yield* send(app, "/instances", "4.99 EUR", { "idempotency-key": "web-1" })
      assert.deepStrictEqual([bought.status, bought.body.id], [201, 1])
      const again = yield* send(app, "/instances", "0.01 EUR", { "idempotency-key": "web-1" })
      assert.deepStrictEqual([again.status, again.body.id], [201, 1], "a replay charges nothing")
    }))

  it.live("refuses a higher charge of a resize, and counts neither on a dry run", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* send(app, "/instances", "5 EUR")
      yield* deployed(app, 1)
      const before = yield* wallet(app)
      const refused = yield* send(app, "/instances/1/resize", "1.00 EUR")
      assert.strictEqual(refused.status, 409)
      assert.match(refused.headers.get("vps-charge")!, /^[45]\.\d\d EUR$/)
      assert.strictEqual(yield* wallet(app), before)
      assert.strictEqual((yield* app.api({ path: "/instances/1" })).body.order.service_id, 1)
      const resized = yield* send(app, "/instances/1/resize", refused.headers.get("vps-charge")!)
      assert.strictEqual(resized.status, 200)
      assert.strictEqual((yield* send(app, "/instances?dry_run=true", "0.01 EUR")).status, 200)
    }))

  it.live("is an amount with a currency", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const limit of ["5", "5.001 EUR", "-1 EUR", "5.00 eur", "EUR 5", "1e3 EUR", ""]) {
        const { body, status } = yield* send(app, "/instances", limit)
        assert.strictEqual(status, 422, limit)
        assert.deepStrictEqual(body.detail[0].loc, ["header", "VPS-Max-Charge"])
        assert.include(body.detail[0].msg, "like 5.00 EUR")
      }
    }))
})

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
