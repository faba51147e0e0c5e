/** Common properties of all responses: JSON, times, money, lists, and the shape of refusals. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "#contract/Api"
import { routeOf } from "#service/http/middleware/RouteTable"
import { type Answer, deployed, type Request, startApp, type TestApp } from "../support/app.ts"

const AT = "/instances/1"

/** An account with all that reads show: a snapshot, a backup, an ISO in the drive, a feed, samples. */
const furnished = Effect.gen(function*() {
  const app = yield* startApp()
  yield* app.control("POST", "/clock", { freeze: true })
  yield* app.api({ method: "POST", path: "/instances", body: { service_id: 2, coupon_code: "WELCOME10" } })
  yield* deployed(app, 1)
  yield* app.control("POST", "/clock", { advance_ms: 3 * 86_400_000 })
  yield* app.api({ method: "POST", path: `${AT}/snapshots`, body: { name: "one" } })
  yield* app.api({ method: "POST", path: `${AT}/iso`, body: { iso_id: 1 } })
  yield* app.control("POST", "/clock", { advance_ms: 10_000 })
  return app
})

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, furnished)
}

const LISTS = [
  "/services",
  "/instances",
  ...["snapshots", "backups", "isos", "available-plans"].map((of) => `${AT}/${of}`)
]

const ONES = ["/", "/whoami", "/services/1/os-options", AT, `${AT}/status`, `${AT}/metrics`, `${AT}/tasks`]

const READS: ReadonlyArray<Request> = [...ONES, ...LISTS].map((path) => ({ path }))

/** Calls that show records which no read shows. */
const CALLS: ReadonlyArray<Request> = [
  { method: "POST", path: "/instances?dry_run=true", body: { service_id: 3, coupon_code: "WELCOME10" } },
  { method: "POST", path: `${AT}/resize`, body: { service_id: 3 } }
]

/** A call for each other record. Deployments are instant, so the instance is idle again after each. */
const CHANGES: ReadonlyArray<Request> = [
  { method: "PATCH", path: `${AT}/hostname`, body: { hostname: "db" } },
  { method: "POST", path: `${AT}/reset-password` },
  { method: "POST", path: `${AT}/rescue` },
  { method: "DELETE", path: `${AT}/rescue` }
]

const WRONG: ReadonlyArray<readonly [status: number, request: Request]> = [
  [400, { method: "POST", path: "/instances", body: { service_id: 7 } }],
  [401, { path: "/whoami", key: "" }],
  [404, { path: "/instances/99" }],
  [404, { path: "/nothing" }],
  [405, { method: "PUT", path: "/whoami" }],
  [409, { method: "POST", path: `${AT}/snapshots/1/restore` }],
  [413, { method: "POST", path: "/instances", text: "x".repeat(70_000) }],
  [422, { method: "POST", path: "/instances", body: {} }],
  [422, { method: "POST", path: "/instances", text: "x", headers: { "content-type": "text/plain" } }],
  [422, { path: "/instances/x" }]
]

/** Every value of an answer, under its name; those of a list under the list's. */
const values = (value: unknown, name = ""): ReadonlyArray<readonly [name: string, value: unknown]> => {
  if (Array.isArray(value)) return value.flatMap((each) => values(each, name))
  if (value === null || typeof value !== "object") return [[name, value]]
  return Object.entries(value).flatMap(([key, each]) => values(each, key))
}

const ask = (request: Request): Effect.Effect<Answer, never, App> => Effect.flatMap(App, ({ api }) => api(request))

/** All values in their responses, by name. */
const shown = Effect.map(
  Effect.forEach([...READS, ...CALLS], ask),
  (answers) => answers.flatMap(({ body }) => values(body))
)

const MOMENTS = new Set(["at", "created_at", "expires_at", "paid_at", "started_at", "finished_at", "last_used_at"])
const AMOUNTS = new Set(
  "price gross net vat_amount charge_amount display_amount discount_amount wallet_balance".split(" ")
)

/** The schemas of successful responses, by method, path, and status. */
const SUCCESSES = new Map<string, Schema.Top>()
HttpApi.reflect(Api, {
  onGroup: () => undefined,
  onEndpoint: ({ endpoint: { method, path }, successes }) => {
    for (const [status, [schema]] of successes) {
      SUCCESSES.set(`${method} ${path.replaceAll(/:(\w+)/g, "{$1}").replace(/\/$/, "")} ${status}`, schema!)
    }
  }
})

layer(App.layer, { excludeTestServices: true })("on the wire", (it) => {
  it.effect("every successful response has exactly the fields of the contract", () =>
    Effect.gen(function*() {
      for (const request of [...READS, ...CALLS.slice(0, 1), ...CHANGES]) {
        const { method = "GET", path } = request
        const { body, status } = yield* ask(request)
        const pattern = routeOf(`/api/v1${path.split("?")[0]}`)!.pattern.replace(/\/$/, "")
        const schema = SUCCESSES.get(`${method} ${pattern} ${status}`) as Schema.Codec<unknown>
        assert.isDefined(schema, `${method} ${path} ${status}`)
        Schema.decodeUnknownSync(schema, { onExcessProperty: "error", errors: "all" })(body)
      }
    }))

  it.effect("every response is JSON, successful or not", () =>
    Effect.gen(function*() {
      for (const request of [...READS, ...CALLS.slice(0, 1), ...WRONG.map(([, each]) => each)]) {
        const { headers } = yield* ask(request)
        assert.strictEqual(headers.get("content-type"), "application/json", request.path)
      }
    }))

  it.effect("an error has only a detail: a text, or a list for 422", () =>
    Effect.gen(function*() {
      const app = yield* App
      const { body: reader } = yield* app.control("POST", "/keys", { scopes: ["vps:read"] })
      const { body: poor } = yield* app.control("POST", "/accounts", { email: "poor@example.test", wallet: 0 })
      const buy = { method: "POST", path: "/instances", body: { service_id: 1 } }
      // Blocks all other changes of the instance.
      yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1_000 })
      yield* app.api({ method: "POST", path: `${AT}/restart` })
      const rows = [...WRONG, [403, { ...buy, key: reader.api_key }], [402, { ...buy, key: poor.api_key }]] as const
      for (const [expected, request] of rows) {
        const { body, status } = yield* ask(request)
        assert.deepStrictEqual([status, Object.keys(body)], [expected, ["detail"]], request.path)
        if (expected !== 422) assert.match(body.detail, /^\S.{9,}$/)
        else assert.isNotEmpty(body.detail as Array<unknown>)
      }
      yield* app.control("POST", "/clock", { advance_ms: 1_000 })
      yield* app.control("PUT", "/deploy", { mode: "instant" })
    }))

  it.effect("every timestamp is ISO 8601 in UTC, with milliseconds and Z", () =>
    Effect.gen(function*() {
      const found = (yield* shown).filter(([name]) => MOMENTS.has(name))
      assert.sameMembers([...new Set(found.map(([name]) => name))], [...MOMENTS])
      for (const [name, value] of found.filter(([, moment]) => moment !== null)) {
        assert.match(String(value), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/, name)
      }
    }))

  it.effect("every amount is a number with at most two decimals", () =>
    Effect.gen(function*() {
      // Only tasks that charge have an amount in the feed.
      const found = (yield* shown).filter(([name, value]) => AMOUNTS.has(name) && value !== null)
      assert.sameMembers([...new Set(found.map(([name]) => name))], [...AMOUNTS])
      for (const [name, value] of found) {
        assert.isNumber(value, name)
        assert.match(String(value), /^\d+(?:\.\d\d?)?$/, name)
      }
    }))

  it.effect("lists are bare arrays, and the feed alone comes in pages", () =>
    Effect.gen(function*() {
      for (const path of LISTS) {
        const { body } = yield* ask({ path })
        assert.isArray(body, path)
        assert.isNotEmpty(body, path)
      }
      const { body } = yield* ask({ path: `${AT}/tasks` })
      assert.hasAllKeys(body, ["items", "total", "limit", "offset"])
    }))

  it.effect("a feed without a query is its newest 20", () =>
    Effect.gen(function*() {
      for (let number = 0; number < 22; number++) {
        yield* ask({ method: "PATCH", path: `${AT}/hostname`, body: { hostname: `h${number}` } })
      }
      const { body } = yield* ask({ path: `${AT}/tasks` })
      assert.deepInclude(body, { limit: 20, offset: 0 })
      assert.isAbove(body.total, 22)
      const { body: all } = yield* ask({ path: `${AT}/tasks?limit=100&offset=0` })
      assert.deepStrictEqual(body.items, all.items.slice(0, 20))
    }))

  it.effect("metrics without a query are those of the last hour", () =>
    Effect.gen(function*() {
      const { body, status } = yield* ask({ path: `${AT}/metrics` })
      assert.deepStrictEqual([status, body.range], [200, "1h"])
    }))

  it.effect("an account's id in whoami is the user_id of its instances", () =>
    Effect.gen(function*() {
      const app = yield* App
      const { body: other } = yield* app.control("POST", "/accounts", { email: "other@example.test", wallet: 5 })
      const key = other.api_key
      const { body: bought } = yield* ask({ method: "POST", path: "/instances", body: { service_id: 1 }, key })
      const { body: whoami } = yield* ask({ path: "/whoami", key })
      assert.deepStrictEqual([bought.user_id, bought.order.user_id], [whoami.account_id, whoami.account_id])
      assert.notStrictEqual(whoami.account_id, (yield* ask({ path: "/whoami" })).body.account_id)
    }))
})
