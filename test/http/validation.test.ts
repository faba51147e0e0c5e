/** 422 in exactly the wording of service.md §7: a create, paths, queries, headers; `bodies.test.ts` has all bodies. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

type Item = readonly [loc: string, type: string, msg: string]

const required: (field: string) => Item = (field) => [`body.${field}`, "missing", "Field required"]
const integer = "Input should be a valid integer"
const text = "Input should be a valid string"
const unicode = `${text}, unable to parse raw data as a unicode string`

/** Bodies of a create, and the items they earn. */
const CREATE: ReadonlyArray<readonly [body: unknown, ...items: ReadonlyArray<Item>]> = [
  [{}, required("service_id")],
  [{ service_id: null }, ["body.service_id", "int_type", integer]],
  [{ service_id: "1" }, ["body.service_id", "int_type", integer]],
  [{ service_id: true }, ["body.service_id", "int_type", integer]],
  [{ service_id: [1] }, ["body.service_id", "int_type", integer]],
  [{ service_id: 1.5 }, ["body.service_id", "int_from_float", `${integer}, got a number with a fractional part`]],
  [{ service_id: 0 }, ["body.service_id", "greater_than", "Input should be greater than 0"]],
  [{ service_id: -1 }, ["body.service_id", "greater_than", "Input should be greater than 0"]],
  [{ service_id: 1, hostname: 5 }, ["body.hostname", "string_type", text]],
  [{ service_id: 1, hostname: "" }, [
    "body.hostname",
    "string_too_short",
    "String should have at least 1 character"
  ]],
  [{ service_id: 1, hostname: "a".repeat(254) }, [
    "body.hostname",
    "string_too_long",
    "String should have at most 253 characters"
  ]],
  [{ service_id: 1, os: "" }, ["body.os", "string_too_short", "String should have at least 1 character"]],
  [{ service_id: 1, os: "a".repeat(65) }, ["body.os", "string_too_long", "String should have at most 64 characters"]],
  [{ service_id: 1, ssh_pubkey: "a".repeat(4097) }, [
    "body.ssh_pubkey",
    "string_too_long",
    "String should have at most 4096 characters"
  ]],
  [{ service_id: 1, root_password: "1234567" }, [
    "body.root_password",
    "string_too_short",
    "String should have at least 8 characters"
  ]],
  [{ service_id: 1, root_password: "a".repeat(21) }, [
    "body.root_password",
    "string_too_long",
    "String should have at most 20 characters"
  ]],
  // Length counts code points: these are 8 characters in 16 UTF-16 units, and 7 in 14.
  [{ service_id: 99, root_password: "🔑".repeat(20) }],
  [{ service_id: 1, root_password: "🔑".repeat(7) }, [
    "body.root_password",
    "string_too_short",
    "String should have at least 8 characters"
  ]],
  [{ service_id: 1, coupon_code: "a".repeat(65) }, [
    "body.coupon_code",
    "string_too_long",
    "String should have at most 64 characters"
  ]],
  [{ service_id: 1, hostname: "a\u0000b" }, ["body.hostname", "string_unicode", unicode]],
  [{ service_id: 1, hostname: "\ud800" }, ["body.hostname", "string_unicode", unicode]],
  [{ service_id: 1, color: "red" }, ["body.color", "extra_forbidden", "Extra inputs are not permitted"]],
  // All problems at once: declared fields in their order, then unknown properties.
  [
    { zzz: 1, os: "", service_id: "x", aaa: 2 },
    ["body.service_id", "int_type", integer],
    ["body.os", "string_too_short", "String should have at least 1 character"],
    ["body.zzz", "extra_forbidden", "Extra inputs are not permitted"],
    ["body.aaa", "extra_forbidden", "Extra inputs are not permitted"]
  ]
]

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

const items = (body: { readonly detail: ReadonlyArray<{ loc: Array<unknown>; type: string; msg: string }> }) =>
  body.detail.map(({ loc, msg, type, ...rest }) => {
    assert.deepStrictEqual(rest, {}, "an item carries loc, msg and type, and never the input")
    return [loc.join("."), type, msg]
  })

layer(App.layer, { excludeTestServices: true })("validation", (it) => {
  describe("a create's body", () => {
    it.effect.each(CREATE)("%j", ([body, ...expected]) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ method: "POST", path: "/instances", body })
        if (expected.length === 0) return assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual<unknown>(items(answer.body), expected)
      }))
  })

  describe("paths and queries", () => {
    it.effect.each(ELSEWHERE)("%s %s", ([method, path, expected]) =>
      Effect.gen(function*() {
        const body = method === "POST" ? { service_id: 1 } : undefined
        const answer = yield* (yield* App).api({ method, path, body })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual<unknown>(items(answer.body), [expected])
      }))

    it.effect.each(["true", "1", "YES", "on", "T", "y"])("dry_run=%s is true", (word) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({
          method: "POST",
          path: `/instances?dry_run=${word}`,
          body: { service_id: 1 }
        })
        assert.strictEqual(answer.status, 200)
        assert.isTrue(answer.body.dry_run)
      }))

    it.effect.each(["0", "-1", "+7777", "99999999999999999999999999"])(
      "an id that names nothing (%s) is 404",
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
  })

  describe("the Idempotency-Key header", () => {
    const KEYS = ["", "with blank", "ü", "a".repeat(256), "\"\"", "a, b"]
    it.effect.each(KEYS)("%j is refused at the header", (key) =>
      Effect.gen(function*() {
        const headers = { "idempotency-key": Buffer.from(key, "utf8").toString("latin1") }
        const answer = yield* (yield* App).api({
          method: "POST",
          path: "/instances",
          body: { service_id: 99 },
          headers
        })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(answer.body.detail[0].loc, ["header", "Idempotency-Key"])
      }))

    it.effect.each(["a", "a".repeat(255), "\"quoted\"", "!~"])("%j is a key", (key) =>
      Effect.gen(function*() {
        const headers = { "idempotency-key": key }
        const answer = yield* (yield* App).api({
          method: "POST",
          path: "/instances",
          body: { service_id: 99 },
          headers
        })
        assert.strictEqual(answer.status, 404)
      }))
  })

  describe("a query at its bounds is taken", () => {
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
    ])("%s: the instance is what is not there", (path) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ path: `/instances/999/${path}` })
        assert.strictEqual(answer.status, 404)
      }))

    it.effect.each(["false", "0", "No", "OFF", "f", "n"])("dry_run=%s is false", (word) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({
          method: "POST",
          path: `/instances?dry_run=${word}`,
          body: { service_id: 1 }
        })
        assert.strictEqual(answer.status, 201)
      }))
  })
})
