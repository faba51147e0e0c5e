/** The decoder of requests: 422 in the exact wording of FastAPI; `bodies.test.ts` has all bodies. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as HttpApiEndpoint from "effect/http-api/HttpApiEndpoint"
import * as HttpApiSchema from "effect/http-api/HttpApiSchema"
import * as Schema from "effect/Schema"
import { assert, describe, it, layer } from "@effect/vitest"
import { startApp, type TestApp } from "../support/app.ts"
import { errorOffset } from "#service/http/decoding/JsonOffset"
import { makeRequestDecoder } from "#service/http/decoding/RequestDecoder"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

type Item = readonly [loc: string, type: string, msg: string]

const integer = "Input should be a valid integer"
const parsing = `${integer}, unable to parse string as an integer`

const RANGE: Item = ["query.range", "literal_error", "Input should be '1h', '6h', '24h', '7d' or '30d'"]

/** Requests whose path, header or query is wrong. */
const ELSEWHERE: ReadonlyArray<readonly [method: string, path: string, item: Item]> = [
  ["GET", "/instances/abc", ["path.instance_id", "int_parsing", parsing]],
  ["GET", "/instances/1.0", ["path.instance_id", "int_parsing", parsing]],
  ["GET", "/instances/1e3", ["path.instance_id", "int_parsing", parsing]],
  ["GET", "/services/x/os-options", ["path.service_id", "int_parsing", parsing]],
  ["POST", "/instances/x/start", ["path.instance_id", "int_parsing", parsing]],
  ["GET", "/instances/1/tasks?limit=0", [
    "query.limit",
    "greater_than_equal",
    "Input should be greater than or equal to 1"
  ]],
  ["GET", "/instances/1/tasks?limit=101", [
    "query.limit",
    "less_than_equal",
    "Input should be less than or equal to 100"
  ]],
  ["GET", "/instances/1/tasks?limit=", ["query.limit", "int_parsing", parsing]],
  ["GET", "/instances/1/tasks?limit=x", ["query.limit", "int_parsing", parsing]],
  ["GET", "/instances/1/tasks?limit=1&limit=2", ["query.limit", "int_parsing", parsing]],
  ["GET", "/instances/1/tasks?offset=-1", [
    "query.offset",
    "greater_than_equal",
    "Input should be greater than or equal to 0"
  ]],
  ["GET", "/instances/1/tasks?limit=99999999999999999999", [
    "query.limit",
    "less_than_equal",
    "Input should be less than or equal to 100"
  ]],
  ["GET", "/instances/1/tasks?limit=1.5", ["query.limit", "int_parsing", parsing]],
  ["GET", "/instances/1/tasks?offset=x", ["query.offset", "int_parsing", parsing]],
  ["GET", "/instances/1/metrics?range=", RANGE],
  ["GET", "/instances/1/metrics?range=1H", RANGE],
  ["POST", "/instances?dry_run=", [
    "query.dry_run",
    "bool_parsing",
    "Input should be a valid boolean, unable to interpret input"
  ]],
  ["GET", "/instances/1/metrics?range=2h", RANGE],
  ["POST", "/instances?dry_run=maybe", [
    "query.dry_run",
    "bool_parsing",
    "Input should be a valid boolean, unable to interpret input"
  ]]
]

const EXTRA = ["extra_forbidden", "Extra inputs are not permitted"] as const

const items = (body: { readonly detail: ReadonlyArray<{ loc: Array<unknown>; type: string; msg: string }> }) =>
  body.detail.map(({ loc, msg, type, ...rest }) => {
    assert.deepStrictEqual(rest, {}, "an item carries loc, msg and type, and never the input")
    return [loc.join("."), type, msg]
  })

layer(App.layer, { excludeTestServices: true })("validation", (it) => {
  describe("paths and queries", () => {
    it.effect.each(ELSEWHERE)("%s %s", ([method, path, expected]) =>
      Effect.gen(function*() {
        const body = method === "POST" ? { service_id: 1 } : undefined
        const answer = yield* (yield* App).api({ method, path, body })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual<unknown>(items(answer.body), [expected])
      }))

    it.effect.each(["0", "-1", "+7777", "99999999999999999999999999"])(
      "an unknown id (%s) is 404",
      (id) =>
        Effect.gen(function*() {
          const answer = yield* (yield* App).api({ path: `/instances/${id}` })
          assert.strictEqual(answer.status, 404)
          assert.deepStrictEqual(answer.body, { detail: "Instance not found." })
        })
    )

    it.effect("the first failing part alone is reported: path before query before body", () =>
      Effect.gen(function*() {
        const app = yield* App
        const both = yield* app.api({ path: "/instances/x/tasks?limit=0" })
        assert.deepStrictEqual(items(both.body).map(([loc]) => loc), ["path.instance_id"])
        const query = yield* app.api({ method: "POST", path: "/instances?dry_run=maybe", body: {} })
        assert.deepStrictEqual(items(query.body).map(([loc]) => loc), ["query.dry_run"])
      }))

    it.effect.each<readonly [path: string, names: ReadonlyArray<string>]>([
      ["/instances?a=1&b&a=2", ["a", "b"]],
      ["/instances?__proto__=1&=2", ["__proto__", ""]],
      ["/instances/1/metrics?RANGE=1h&range=1h", ["RANGE"]]
    ])(
      "unknown parameters are reported once each, after the declared ones: %s",
      ([path, names]) =>
        Effect.gen(function*() {
          const answer = yield* (yield* App).api({ path })
          assert.strictEqual(answer.status, 422)
          assert.deepStrictEqual<unknown>(items(answer.body), names.map((name) => [`query.${name}`, ...EXTRA]))
        })
    )

    it.effect("unknown parameters come after errors in declared ones", () =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ path: "/instances/1/tasks?page=2&limit=0" })
        assert.deepStrictEqual(items(answer.body).map(([loc]) => loc), ["query.limit", "query.page"])
      }))
  })

  describe("the Idempotency-Key header", () => {
    const withKey = (key: string) =>
      Effect.flatMap(
        App,
        ({ api }) =>
          api({ method: "POST", path: "/instances", body: { service_id: 99 }, headers: { "idempotency-key": key } })
      )

    it.effect.each(["", "with blank", "ü", "a".repeat(256), "\"\"", "a, b"])(
      "%j is rejected at the header",
      (key) =>
        Effect.gen(function*() {
          const answer = yield* withKey(Buffer.from(key, "utf8").toString("latin1"))
          assert.strictEqual(answer.status, 422)
          assert.deepStrictEqual(answer.body.detail[0].loc, ["header", "Idempotency-Key"])
        })
    )

    it.effect.each(["a", "a".repeat(255), "\"quoted\"", "!~"])(
      "%j is a key",
      (key) => Effect.map(withKey(key), ({ status }) => assert.strictEqual(status, 404))
    )
  })

  describe("a query at its bounds is valid", () => {
    it.effect.each([
      "tasks?limit=1",
      "tasks?limit=100",
      "tasks?limit=%2B5",
      "tasks?offset=0",
      "tasks?offset=9007199254740991",
      "tasks?offset=99999999999999999999",
      "tasks",
      ...["1h", "6h", "24h", "7d", "30d"].map((range) => `metrics?range=${range}`),
      "metrics"
    ])("%s: the 404 is for the instance", (path) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ path: `/instances/999/${path}` })
        assert.strictEqual(answer.status, 404)
      }))

    const WORDS = ["true", "1", "YES", "on", "T", "y"].map((word) => [word, 200] as const)
    const OPPOSITES = ["false", "0", "No", "OFF", "f", "n"].map((word) => [word, 201] as const)
    it.effect.each([...WORDS, ...OPPOSITES])("dry_run=%s is %i", ([word, status]) =>
      Effect.gen(function*() {
        const path = `/instances?dry_run=${word}`
        const answer = yield* (yield* App).api({ method: "POST", path, body: { service_id: 1 } })
        assert.deepStrictEqual([answer.status, answer.body.dry_run], [status, status === 200 ? true : undefined])
      }))
  })
})

describe("where a text stops being JSON", () => {
  it.each([
    ["{\"a\": }", 6],
    ["{\"a\": 1", 7],
    ["{\"a\" 1}", 5],
    ["{\"a", 3],
    ["{\"a\"", 4],
    ["{\"a\": tru}", 9],
    ["{\"a\": trux}", 9],
    ["{\"a\": \"x", 8],
    ["{\"a\": \"x\ny\"}", 8],
    ["{\"a\": \"\\u12\"}", 11],
    ["[\"a1\n\"]", 4],
    ["{\"a\": 1.x}", 8],
    ["{\"a\": 1.e5}", 8],
    ["{\"a\": 1e}", 8],
    ["{\"a\": 1e+}", 9],
    ["{\"a\": -}", 7],
    ["{\"a\": .5}", 6],
    ["{\"a\": 1,}", 8],
    ["{a: 1}", 1],
    ["[1, 2", 5],
    ["[1,, 2]", 3],
    ["[1 2]", 3],
    ["\"open", 5],
    ["tru", 3],
    ["01", 1],
    ["{} x", 3],
    ["[}", 1],
    ["{\"a\": \"\\x\"}", 8]
  ])("is, for %j, at %i", (text, offset) => {
    assert.throws(() => JSON.parse(text))
    assert.strictEqual(errorOffset(text), offset)
  })

  it("does not tire of brackets", () => {
    assert.strictEqual(errorOffset("[".repeat(65_536)), 65_536)
  })
})

const TEXT = Schema.String.pipe(HttpApiSchema.asText())
const NAME = Schema.Struct({ name: Schema.String })
const SIZE = Schema.Struct({ size: Schema.Number })

const read = (endpoint: Parameters<typeof makeRequestDecoder>[0]) => () => makeRequestDecoder(endpoint, Context.empty())

describe("an endpoint", () => {
  it.each([
    ["text", HttpApiEndpoint.post("write", "/x", { payload: TEXT })],
    ["JSON of two schemas", HttpApiEndpoint.post("write", "/x", { payload: [NAME, SIZE] })],
    ["JSON, or text", HttpApiEndpoint.post("write", "/x", { payload: [NAME, TEXT] })]
  ])("whose body is %s is refused when the service starts", (_, endpoint) => {
    assert.throws(read(endpoint), "write: unsupported body. Only JSON with a single schema can be decoded.")
  })

  it("whose body is JSON of one schema is read, and one without a body has none read", () => {
    assert.isDefined(read(HttpApiEndpoint.post("write", "/x", { payload: NAME }))().body)
    assert.isUndefined(read(HttpApiEndpoint.get("look", "/x"))().body)
  })
})
