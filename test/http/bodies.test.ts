/** Bodies of the machine operations: each bound at, below and above, in the wording of service.md §7. */
import { assert, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

type Item = readonly [loc: string, type: string, msg: string]
/** No items: the form is fine, and the instance of the request is not there. */
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
  [path, { ...rest, [field]: "a".repeat(min - 1) }, short(field, min)],
  [path, { ...rest, [field]: "a".repeat(max + 1) }, long(field, max)],
  [path, { ...rest, [field]: 5 }, text(field)],
  [path, { ...rest, [field]: ["a"] }, text(field)]
]

/** A field of an integer above 0. */
const integerField = (path: string, field: string, rest: object = {}): ReadonlyArray<Row> => [
  [path, { ...rest, [field]: 1 }],
  [path, { ...rest, [field]: 2 ** 53 }],
  [path, { ...rest, [field]: 0 }, positive(field)],
  [path, { ...rest, [field]: -1 }, positive(field)],
  [path, { ...rest, [field]: 1.5 }, whole(field)],
  [path, { ...rest, [field]: "1" }, integer(field)],
  [path, { ...rest, [field]: true }, integer(field)]
]

const required = (path: string, field: string, wrong: Item): ReadonlyArray<Row> => [
  [path, {}, missing(field)],
  [path, { [field]: null }, wrong],
  [path, { color: "red" }, missing(field), extra("color")]
]

const optional = (path: string, field: string, rest: object): ReadonlyArray<Row> => [
  [path, { ...rest, [field]: null }]
]

const OS = { os: "debian-12" }

const ROWS: ReadonlyArray<Row> = [
  ...required("reinstall", "os", text("os")),
  ...textField("reinstall", "os", 1, 64),
  ...integerField("reinstall", "os_id", OS),
  ...optional("reinstall", "os_id", OS),
  ...textField("reinstall", "password", 8, 128, OS),
  ...optional("reinstall", "password", OS),
  ...textField("reinstall", "ssh_pubkey", 1, 4_096, OS),
  ...optional("reinstall", "ssh_pubkey", OS),
  ["reinstall", { zzz: 1, password: "short", os: "" }, short("os", 1), short("password", 8), extra("zzz")],
  ...required("snapshots", "name", text("name")),
  ...textField("snapshots", "name", 1, 64),
  ...required("iso", "iso_id", integer("iso_id")),
  ...integerField("iso", "iso_id"),
  ...required("resize", "service_id", integer("service_id")),
  ...integerField("resize", "service_id")
]

layer(App.layer, { excludeTestServices: true })("bodies", (it) => {
  it.effect.each(ROWS.map((row, index) => [index, ...row] as const))(
    "%i: %s %j",
    ([, path, body, ...items]) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ method: "POST", path: `/instances/999/${path}`, body })
        if (items.length === 0) return assert.strictEqual(answer.status, 404)
        assert.strictEqual(answer.status, 422)
        const found = answer.body.detail.map((item: { loc: Array<unknown>; type: string; msg: string }) => [
          item.loc.join("."),
          item.type,
          item.msg
        ])
        assert.deepStrictEqual(found, items)
      })
  )

  it.effect.each(["reset-password", "rescue", "start", "snapshots/1/restore", "backups/1/restore"])(
    "%s needs no body, and passes over one",
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
