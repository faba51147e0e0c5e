/** Bodies made to break what reads them, at every endpoint that takes one. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, startApp, type TestApp } from "../support/app.ts"
import { type Endpoint, ENDPOINTS, fill } from "../support/endpoints.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

const TAKING = ENDPOINTS.filter(({ body }) => body !== undefined)

/** Sent as it is, to an instance that is not there: what is well formed is 404. */
const sendText = (endpoint: Endpoint, text: string, headers: Record<string, string> = {}) =>
  Effect.flatMap(App, ({ api }) => api({ method: endpoint.method, path: fill(endpoint, 999), text, headers }))

const items = ({ body }: Answer): ReadonlyArray<readonly [loc: string, type: string]> =>
  body.detail.map(({ loc, type }: { loc: ReadonlyArray<unknown>; type: string }) => [loc.join("."), type])

/** Names of what every JavaScript object has. */
const INHERITED = ["__proto__", "constructor", "prototype", "hasOwnProperty", "toString", "valueOf"]

const withExtra = (endpoint: Endpoint, name: string, value: string): string =>
  `${JSON.stringify(endpoint.body).slice(0, -1)},${JSON.stringify(name)}:${value}}`

const DEPTH = 30_000

const deep = (open: string, close: string): string => open.repeat(DEPTH) + close.repeat(DEPTH)

/** Values in a field's place: no field is any of them. */
const NEVER: ReadonlyArray<readonly [name: string, json: string]> = [
  ["thirty thousand arrays in each other", deep("[", "]")],
  ["objects in each other", `${"{\"a\":".repeat(9_000)}1${"}".repeat(9_000)}`],
  ["an object with a prototype", "{\"__proto__\":{\"isAdmin\":true}}"],
  ["an object that pretends to be a text", "{\"length\":8,\"toString\":\"x\"}"],
  ["a list of texts", "[\"debian-12\"]"],
  ["true", "true"]
]

const NEGATIVE_ZERO_AND_HUGE = ["-0", "1e400", "-1e400", "1e-400", `1${"0".repeat(5_000)}`, "9007199254740993", "0.1e1"]

layer(App.layer, { excludeTestServices: true })("a hostile body", (it) => {
  describe.each(TAKING)("to $id", (endpoint) => {
    const first = Object.keys(endpoint.body!)[0]!

    it.effect("with names of inherited properties is rejected at these names, and changes no object", () =>
      Effect.gen(function*() {
        for (const name of INHERITED) {
          const answer = yield* sendText(endpoint, withExtra(endpoint, name, "{\"isAdmin\":true}"))
          assert.strictEqual(answer.status, 422, name)
          assert.deepStrictEqual(items(answer), [[`body.${name}`, "extra_forbidden"]])
        }
        assert.notProperty({}, "isAdmin")
      }))

    it.effect.each(NEVER)("with %s in a field is 422 at that field", ([, json]) =>
      Effect.gen(function*() {
        const rest = Object.entries(endpoint.body!).filter(([name]) => name !== first)
        const text = `{${JSON.stringify(first)}:${json}${
          rest.map(([name, value]) => `,${JSON.stringify(name)}:${JSON.stringify(value)}`).join("")
        }}`
        const answer = yield* sendText(endpoint, text)
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual(items(answer).map(([loc]) => loc), [`body.${first}`])
      }))

    it.effect("of only brackets is 422 immediately, closed or not", () =>
      Effect.gen(function*() {
        for (const text of [deep("[", "]"), "[".repeat(60_000), "{\"a\":".repeat(12_000), "\"".padEnd(60_000, "\\")]) {
          assert.strictEqual((yield* sendText(endpoint, text)).status, 422)
        }
      }))

    it.effect("with a duplicate field is 422, however the field is written", () =>
      Effect.gen(function*() {
        const good = JSON.stringify(endpoint.body)
        const escaped = `"\\u${first!.codePointAt(0)!.toString(16).padStart(4, "0")}${first!.slice(1)}"`
        for (const again of [JSON.stringify(first), escaped]) {
          const { body, status } = yield* sendText(endpoint, `{${again}:null,${good.slice(1)}`)
          const item = {
            loc: ["body", first],
            type: "value_error",
            msg: "Value error, this field occurs more than once"
          }
          assert.deepStrictEqual([status, body], [422, { detail: [item] }])
        }
      }))

    it.effect("in a coding is 415, and of a type that is not JSON 422", () =>
      Effect.gen(function*() {
        const text = JSON.stringify(endpoint.body)
        const types = ["text/plain", "application/xml", "multipart/form-data; boundary=x", "text/json", "json", "*/*"]
        for (const type of types) {
          assert.strictEqual((yield* sendText(endpoint, text, { "content-type": type })).status, 422, type)
        }
        for (const coding of ["gzip", "br", "identity, gzip", "x"]) {
          assert.strictEqual((yield* sendText(endpoint, text, { "content-encoding": coding })).status, 415, coding)
        }
        assert.notStrictEqual((yield* sendText(endpoint, text, { "content-encoding": "Identity" })).status, 415)
      }))
  })

  it.effect.each(NEGATIVE_ZERO_AND_HUGE)(
    "with the number %s is an unknown plan, or not an integer",
    (number) =>
      Effect.gen(function*() {
        const create = TAKING.find(({ id }) => id === "instances.create")!
        const answer = yield* sendText(create, `{"service_id":${number},"hostname":"no such host name!"}`)
        // 0.1e1 is 1, which is a plan: then the host name is what is wrong.
        assert.include(number === "0.1e1" ? [422] : [404, 422], answer.status)
      })
  )
})

/** Bytes where a text should be. */
const BROKEN_TEXTS: ReadonlyArray<readonly [name: string, bytes: ReadonlyArray<number>]> = [
  ["a byte that never occurs in UTF-8", [0xff]],
  ["Latin-1", [0xfc]],
  ["a character that ends early", [0xe2, 0x82]],
  ["a character that is longer than it must be", [0xc0, 0xaf]],
  ["half of a pair", [0xed, 0xa0, 0x80]],
  ["four bytes beyond Unicode", [0xf4, 0x90, 0x80, 0x80]]
]

describe("invalid UTF-8", () => {
  it.live("is rejected in every text field", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      for (const endpoint of TAKING) {
        for (const field of endpoint.texts) {
          for (const [name, bytes] of BROKEN_TEXTS) {
            const [before, after] = JSON.stringify({ ...endpoint.body, [field]: "aaaa@aaaa" }).split("@")
            const body = Buffer.concat([Buffer.from(before!), Buffer.from(bytes), Buffer.from(after!)])
            const answer = yield* Effect.promise(() =>
              fetch(`${app.origin}/api/v1${fill(endpoint, 999)}`, {
                method: endpoint.method,
                headers: { authorization: `Bearer ${app.key}`, "content-type": "application/json" },
                body
              })
            )
            assert.strictEqual(answer.status, 422, `${endpoint.id} ${field}: ${name}`)
            assert.include(yield* Effect.promise(() => answer.text()), "string_unicode")
          }
        }
      }
    }))

  it("is tested at every endpoint with a text field", () =>
    assert.isAbove(TAKING.flatMap(({ texts }) => texts).length, 10))
})

/** Every control that takes a body, with one that its form allows. */
const CONTROLS = [
  ["PUT", "/deploy", { mode: "instant" }],
  ["POST", "/clock", { advance_ms: 0 }],
  ["POST", "/accounts", { email: "c@example.test", wallet: 1 }],
  ["POST", "/keys", { scopes: ["vps:read"] }],
  ["POST", "/wallet", { amount: 1 }],
  ["PUT", "/wallet", { balance: 1 }],
  ["POST", "/faults", { operation: "instances.get", count: 1 }]
] as const

describe("a hostile body to a control of the emulator", () => {
  it.live("is rejected like one to the API", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const sendTo = (method: string, path: string, body: string) =>
        Effect.promise(() => fetch(`${app.origin}/_emulator${path}`, { method, body }).then(({ status }) => status))
      for (const [method, path, good] of CONTROLS) {
        const text = JSON.stringify(good)
        for (const name of INHERITED) {
          assert.strictEqual(yield* sendTo(method, path, `${text.slice(0, -1)},"${name}":{"isAdmin":true}}`), 422, path)
        }
        const first = Object.keys(good)[0]!
        for (const [, json] of NEVER.filter(([, value]) => !value.startsWith("[\""))) {
          assert.strictEqual(yield* sendTo(method, path, `{"${first}":${json}}`), 422, `${path} ${first}`)
        }
        for (const broken of [deep("[", "]"), "[".repeat(60_000), "{", "\u0000", ""]) {
          assert.strictEqual(yield* sendTo(method, path, broken), 422, path)
        }
        assert.strictEqual(yield* sendTo(method, path, `{"a":"${"x".repeat(70_000)}"}`), 413, path)
      }
      assert.notProperty({}, "isAdmin")
      for (const name of [...INHERITED, "..", "%2e%2e", "a%00b", "a'b", "x".repeat(65)]) {
        const status = yield* sendTo("POST", `/states/${name}`, "")
        assert.include([201, 404, 422], status, name)
      }
      assert.strictEqual((yield* app.api({ path: "/whoami" })).status, 200)
    }))
})
