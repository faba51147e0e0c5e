/** Every body: each bound at, below and above, each type, in the wording of FastAPI. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Answer, startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

type Item = readonly [loc: string, type: string, msg: string]
/** Without items, the body is valid, and the response is a 404 for the instance. */
type Row = readonly [path: string, body: unknown, ...items: ReadonlyArray<Item>]

const missing = (field: string): Item => [`body.${field}`, "missing", "Field required"]
const text = (field: string): Item => [`body.${field}`, "string_type", "Input should be a valid string"]
const integer = (field: string): Item => [`body.${field}`, "int_type", "Input should be a valid integer"]
const positive = (field: string): Item => [`body.${field}`, "greater_than", "Input should be greater than 0"]
const whole = (field: string): Item => [
  `body.${field}`,
  "int_from_float",
  "Input should be a valid integer, got a number with a fractional part"
]
const characters = (count: number): string => count === 1 ? "1 character" : `${count} characters`
const short = (field: string, min: number): Item => [
  `body.${field}`,
  "string_too_short",
  `String should have at least ${characters(min)}`
]
const long = (field: string, max: number): Item => [
  `body.${field}`,
  "string_too_long",
  `String should have at most ${characters(max)}`
]
const extra = (field: string): Item => [`body.${field}`, "extra_forbidden", "Extra inputs are not permitted"]

/** A field of a text, at its bounds and beyond, with what else the body needs. */
const textField = (path: string, field: string, min: number, max: number, rest: object = {}): ReadonlyArray<Row> => [
  [path, { ...rest, [field]: "a".repeat(min) }],
  [path, { ...rest, [field]: "a".repeat(max) }],
  // Length counts code points: these are twice as many UTF-16 units.
  [path, { ...rest, [field]: "🔑".repeat(max) }],
  [path, { ...rest, [field]: "🔑".repeat(min - 1) }, short(field, min)],
  [path, { ...rest, [field]: "a".repeat(min - 1) }, short(field, min)],
  [path, { ...rest, [field]: "a".repeat(max + 1) }, long(field, max)],
  [path, { ...rest, [field]: 5 }, text(field)],
  [path, { ...rest, [field]: ["a"] }, text(field)]
]

/** A text that a program inside of the instance reads as a line. */
const secret = (path: string, field: string, rest: object): ReadonlyArray<Row> =>
  ["\n", "\r", "\t", "\u001b", "\u007f", "\u0085", "\u2028", "\u202e"].map((control): Row => [
    path,
    { ...rest, [field]: `secret${control}root:x` },
    [`body.${field}`, "value_error", "Value error, should not contain control characters"]
  ])

/** A field of an integer above 0. */
const integerField = (path: string, field: string, rest: object = {}): ReadonlyArray<Row> => [
  [path, { ...rest, [field]: 1 }],
  [path, { ...rest, [field]: 2 ** 53 }],
  [path, { ...rest, [field]: 0 }, positive(field)],
  [path, { ...rest, [field]: -1 }, positive(field)],
  [path, { ...rest, [field]: 1.5 }, whole(field)],
  [path, { ...rest, [field]: "1" }, integer(field)],
  [path, { ...rest, [field]: true }, integer(field)],
  [path, { ...rest, [field]: [1] }, integer(field)]
]

const required = (path: string, field: string, wrong: Item, rest: object = {}): ReadonlyArray<Row> => [
  [path, { ...rest, [field]: null }, wrong],
  [path, rest, missing(field)],
  [path, { ...rest, color: "red" }, missing(field), extra("color")]
]

const optional = (path: string, field: string, rest: object): ReadonlyArray<Row> => [
  [path, { ...rest, [field]: null }]
]

/** Texts that are invalid at any length. */
const unreadable = (path: string, field: string, rest: object = {}): ReadonlyArray<Row> =>
  ["aaaaaaaa\u0000", "aaaaaaaa\ud800"].map((text): Row => [path, { ...rest, [field]: text }, [
    `body.${field}`,
    "string_unicode",
    "Input should be a valid string, unable to parse raw data as a unicode string"
  ]])

const ORDER = { service_id: 99 }
const ADDRESS = { ip: "192.0.2.1" }
const POINTER = { ptr: "web.example.test" }

const OS = { os: "debian-12" }

const ROWS: ReadonlyArray<Row> = [
  ...required("create", "service_id", integer("service_id")),
  // An id that no plan has: what passes is 404.
  ...integerField("create", "service_id").filter(([, body]) => (body as { service_id: unknown }).service_id !== 1),
  ...textField("create", "hostname", 1, 253, ORDER),
  ...textField("create", "os", 1, 64, ORDER),
  ...textField("create", "ssh_pubkey", 1, 4_096, ORDER),
  ...textField("create", "root_password", 8, 20, ORDER),
  ...secret("create", "root_password", ORDER),
  ...textField("create", "coupon_code", 1, 64, ORDER),
  ...["hostname", "os", "ssh_pubkey", "root_password", "coupon_code"].flatMap((field) => [
    ...optional("create", field, ORDER),
    ...unreadable("create", field, ORDER)
  ]),
  // All errors at once: declared fields in their order, then unknown properties.
  [
    "create",
    { zzz: 1, os: "", service_id: "x", aaa: 2 },
    integer("service_id"),
    short("os", 1),
    extra("zzz"),
    extra("aaa")
  ],
  ...required("hostname", "hostname", text("hostname")),
  ...textField("hostname", "hostname", 1, 253),
  ...unreadable("hostname", "hostname"),
  ...required("rdns", "ip", text("ip"), POINTER),
  ...textField("rdns", "ip", 3, 45, POINTER),
  ...unreadable("rdns", "ip", POINTER),
  ...required("rdns", "ptr", text("ptr"), ADDRESS),
  ...textField("rdns", "ptr", 1, 253, ADDRESS),
  ...unreadable("rdns", "ptr", ADDRESS),
  ...required("reinstall", "os", text("os")),
  ...textField("reinstall", "os", 1, 64),
  ...integerField("reinstall", "os_id", OS),
  ...optional("reinstall", "os_id", OS),
  ...textField("reinstall", "password", 8, 128, OS),
  ...secret("reinstall", "password", OS),
  ...optional("reinstall", "password", OS),
  ...textField("reinstall", "ssh_pubkey", 1, 4_096, OS),
  ...optional("reinstall", "ssh_pubkey", OS),
  ...["os", "password", "ssh_pubkey"].flatMap((field) => unreadable("reinstall", field, OS)),
  ...unreadable("snapshots", "name"),
  ["reinstall", { zzz: 1, password: "short", os: "" }, short("os", 1), short("password", 8), extra("zzz")],
  ...required("snapshots", "name", text("name")),
  ...["a\u001b[2J", "a\nb", "a\u007f", "a\u0085b", "a\u2028b", "a\u202eb", "a\u2066b"].map((name): Row => [
    "snapshots",
    { name },
    ["body.name", "value_error", "Value error, should not contain control characters"]
  ]),
  ["snapshots", { name: "größer 🔑 \u200fשלום" }],
  ...textField("snapshots", "name", 1, 64),
  ...required("iso", "iso_id", integer("iso_id")),
  ...integerField("iso", "iso_id"),
  ...required("resize", "service_id", integer("service_id")),
  ...integerField("resize", "service_id")
]

const itemsOf = ({ body }: Answer): ReadonlyArray<unknown> =>
  body.detail.map(({ loc, msg, type, ...rest }: { loc: Array<unknown>; type: string; msg: string }) => {
    assert.deepStrictEqual(rest, {}, "an item has loc, msg and type, and never the input")
    return [loc.join("."), type, msg]
  })

/** The request for a body, to an instance that does not exist. */
const request = (name: string) =>
  name === "create"
    ? { method: "POST", path: "/instances" }
    : { method: name === "hostname" ? "PATCH" : "POST", path: `/instances/999/${name}` }

/** Every endpoint that takes a body: each broken body meets each of them. */
const TAKING = ["create", "reinstall", "hostname", "rdns", "resize", "snapshots", "iso"]

const DICTIONARY = "Input should be a valid dictionary or object to extract fields from"

/** Bodies that are not objects, each with its single error item. */
const NO_OBJECT: ReadonlyArray<readonly [text: string, type: string, item: Item]> = [
  ["", "application/json", ["body", "missing", "Field required"]],
  ["null", "application/json", ["body", "missing", "Field required"]],
  ["[]", "application/json", ["body", "model_attributes_type", DICTIONARY]],
  ["\"x\"", "application/json", ["body", "model_attributes_type", DICTIONARY]],
  ["{\"os\": }", "application/json", ["body.7", "json_invalid", "JSON decode error"]],
  ["5", "application/json", ["body", "model_attributes_type", DICTIONARY]],
  ["{\"os\": 1", "application/json", ["body.8", "json_invalid", "JSON decode error"]],
  ["os=1", "application/x-www-form-urlencoded", ["body", "model_attributes_type", DICTIONARY]],
  ["{}", "text/plain", ["body", "model_attributes_type", DICTIONARY]],
  // JSON by another spelling of its name: what is wrong is the text.
  ["5 x", "Application/JSON ; charset=utf-8", ["body.2", "json_invalid", "JSON decode error"]]
]

layer(App.layer, { excludeTestServices: true })("bodies", (it) => {
  it.effect.each(ROWS.map((row, index) => [index, ...row] as const))(
    "%i: %s %j",
    ([, path, body, ...items]) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ ...request(path), body })
        if (items.length === 0) return assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual<unknown>(itemsOf(answer), items)
      })
  )

  it.effect.each(TAKING.flatMap((name) => NO_OBJECT.map((row) => [name, ...row] as const)))(
    "%s given %j as %s",
    ([name, sent, type, expected]) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ ...request(name), text: sent, headers: { "content-type": type } })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual<unknown>(itemsOf(answer), [expected])
      })
  )

  it.effect.each([["create", "service_id"], ["resize", "service_id"], ["iso", "iso_id"]] as const)(
    "%s with a %s beyond the range of numbers",
    ([name, field]) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ ...request(name), text: `{"${field}": 1e400}` })
        assert.strictEqual(answer.status, 422)
        assert.deepStrictEqual<unknown>(itemsOf(answer), [integer(field)])
      })
  )

  it.effect.each(["1", "1.0", "1.000", "10e-1", "0.1e1", "1E0"])(
    "may have an integer written as %s",
    (number) =>
      Effect.gen(function*() {
        const text = `{"service_id": ${number}}`
        const { body, status } = yield* (yield* App).api({ method: "POST", path: "/instances?dry_run=true", text })
        assert.deepStrictEqual([status, body.service_id], [200, 1])
      })
  )

  it.effect.each(["reset-password", "rescue", "start", "snapshots/1/restore", "backups/1/restore"])(
    "%s needs no body, and ignores one",
    (path) =>
      Effect.gen(function*() {
        const app = yield* App
        for (const body of [undefined, {}]) {
          const answer = yield* app.api({ method: "POST", path: `/instances/999/${path}`, body })
          assert.strictEqual(answer.status, 404)
        }
      })
  )
})
