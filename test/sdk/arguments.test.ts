/** Settings and arguments: what is wrong with them is said clearly, and before anything is sent. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { settingsOf } from "#sdk/client/options/Config"
import type { Client } from "#sdk/client/Client"
import type { ClientOptions } from "#sdk/client/options/Options"
import { failureOf, script, settle } from "./support/scripted.ts"

const BASE = "https://host.test/api/v1"
const ok = { status: 200, body: { id: 7 } }

const problem = (options: ClientOptions) =>
  Effect.gen(function*() {
    const host = script([ok], options)
    const error = yield* failureOf(host.core.instances.get(7))
    assert.deepStrictEqual([error._tag, host.sent.length, error.attempts], ["ConfigurationError", 0, 0])
    return error
  })

describe("the API key", () => {
  it.effect.each(["", "  ", "\n"])(
    "%j is none: the error names VPS_API_KEY",
    (apiKey) =>
      Effect.map(
        problem({ apiKey }),
        ({ message }) => assert.strictEqual(message, "Missing API key. Pass apiKey or set VPS_API_KEY.")
      )
  )

  it.effect("is trimmed: a key from a file ends with a line break", () =>
    Effect.gen(function*() {
      const host = script([ok], { apiKey: "key-2\n" })
      yield* host.core.instances.get(7)
      assert.strictEqual(host.sent[0]?.request.headers["authorization"], "Bearer key-2")
    }))

  it.effect.each(["two words", "line\nbreak", "ключ"])(
    "%j cannot be sent, and is not shown",
    (apiKey) => Effect.map(problem({ apiKey }), ({ message }) => assert.notInclude(message, apiKey))
  )

  it.effect("may be a function, asked once per call: all attempts carry one key", () =>
    Effect.gen(function*() {
      let asked = 0
      const apiKey = async () => `key-${++asked}`
      const host = script(["refused", "refused", ok], { apiKey })
      yield* Effect.flatten(settle(host.core.instances.get(7)))
      yield* Effect.flatten(settle(host.core.instances.get(7)))
      const keys = host.sent.map(({ request }) => request.headers["authorization"])
      assert.deepStrictEqual(keys, ["Bearer key-1", "Bearer key-1", "Bearer key-1", "Bearer key-2"])
    }))

  it.effect("a function that fails or gives nothing is a clear error", () =>
    Effect.gen(function*() {
      const cause = new Error("vault is sealed")
      const failed = yield* problem({ apiKey: () => Promise.reject(cause) })
      assert.deepStrictEqual([failed.message, failed.cause], ["The apiKey function failed", cause])
      const thrown = yield* problem({
        apiKey: () => {
          throw cause
        }
      })
      assert.strictEqual(thrown.cause, cause)
      const nothing = yield* problem({ apiKey: () => undefined as unknown as string })
      assert.include(nothing.message, "VPS_API_KEY")
    }))
})

describe("the base URL", () => {
  it.effect.each(
    [
      ["", /VPS_BASE_URL/],
      ["host.test/api/v1", /must be an http or https URL/],
      ["ftp://host.test/api/v1", /must be an http or https URL/],
      ["https://host.test", /for example https:\/\/host\.test\/api\/v1$/],
      ["https://host.test/", /must include the path prefix/],
      ["https://user:secret@host.test/api/v1", /must not contain a user/],
      ["https://host.test/api/v1?key=1", /must not contain a user, query/],
      ["https://host.test/api/v1#x", /fragment/]
    ] as const
  )("%j is refused", ([baseUrl, message]) =>
    Effect.map(problem({ baseUrl }), (error) => {
      assert.match(error.message, message)
      assert.notInclude(error.message, "secret")
    }))

  it.effect.each(
    [
      ["https://host.test/api/v1/", "https://host.test", "/api/v1/instances/7"],
      ["http://127.0.0.1:8787/api/v1", "http://127.0.0.1:8787", "/api/v1/instances/7"],
      [" https://host.test/vps ", "https://host.test", "/vps/instances/7"]
    ] as const
  )("%j is taken", ([baseUrl, origin, target]) =>
    Effect.gen(function*() {
      const host = script([ok], { baseUrl })
      yield* host.core.instances.get(7)
      assert.deepInclude(host.sent[0]?.request, { origin, target })
    }))
})

describe("settings", () => {
  const read = (options: ClientOptions, env: NodeJS.ProcessEnv) => {
    const settings = settingsOf(options, env)
    return Effect.all([settings.apiKey, settings.baseUrl])
  }
  const env = { VPS_API_KEY: "of-env", VPS_BASE_URL: "https://env.test/api/v1" }

  it.effect("come from the environment", () =>
    Effect.map(
      read({}, env),
      (found) => assert.deepStrictEqual(found, ["of-env", { origin: "https://env.test", prefix: "/api/v1" }])
    ))

  it.effect("and the options win", () =>
    Effect.map(
      read({ apiKey: "of-options", baseUrl: BASE }, env),
      ([key, { origin }]) => assert.deepStrictEqual([key, origin], ["of-options", "https://host.test"])
    ))
})

type Refused = readonly [name: string, (core: Client) => Effect.Effect<unknown, { readonly _tag: string }>, RegExp]

const REFUSED: ReadonlyArray<Refused> = [
  [
    "an id with a path in it",
    (core) => core.power.stop("7/../8" as never),
    /instance_id must be an integer, got str/
  ],
  ["a fraction", (core) => core.instances.get(1.5), /instance_id must be an integer, got 1.5/],
  ["NaN", (core) => core.instances.get(Number.NaN), /got NaN/],
  ["an id beyond what a number holds", (core) => core.instances.get(2 ** 53), /instance_id must be an integer/],
  ["no id", (core) => core.instances.waitUntilDeployed(undefined as never), /got undefined/],
  ["null for an id", (core) => core.services.osOptions(null as never), /service_id must be an integer, got null/],
  ["a fraction in a query", (core) => core.monitoring.tasks(7, { limit: 1.5 }), /limit must be an integer/],
  ["no body", (core) => core.instances.create(undefined as never), /body must be an object/],
  ["an array for a body", (core) => core.instances.create([] as never), /body must be an object/],
  ["a body that is no JSON", (core) => core.instances.create({ service_id: 1n } as never), /serialized as JSON/],
  [
    "an empty key",
    (core) => core.instances.create({ service_id: 1 }, { idempotencyKey: "" }),
    /1 to 255 visible ASCII/
  ],
  [
    "a key with a blank",
    (core) => core.instances.create({ service_id: 1 }, { idempotencyKey: "a b" }),
    /visible ASCII/
  ],
  [
    "a key that is too long",
    (core) => core.instances.create({ service_id: 1 }, { idempotencyKey: "k".repeat(256) }),
    /1 to 255/
  ],
  ["no time", (core) => core.instances.get(7, { timeout: 0 }), /timeout must be a number of milliseconds above 0/],
  ["more time than a timer holds", (core) => core.instances.get(7, { timeout: 2 ** 31 }), /at most 2147483647/],
  ["fewer than no retries", (core) => core.instances.get(7, { maxRetries: -1 }), /maxRetries must be an integer/],
  ["half a retry", (core) => core.instances.get(7, { maxRetries: 0.5 }), /maxRetries must be an integer/],
  [
    "another key",
    (core) => core.instances.get(7, { headers: { Authorization: "x" } }),
    /authorization header is set by the client/
  ],
  ["a key as a header", (core) => core.instances.get(7, { headers: { "Idempotency-Key": "x" } }), /idempotencyKey/],
  [
    "a header that splits",
    (core) => core.instances.get(7, { headers: { "x-a": "1\r\nx-b: 2" } }),
    /x-a header contains invalid/
  ],
  [
    "a name that splits",
    (core) => core.instances.get(7, { headers: { "x-a: 1\r\nx-b": "2" } }),
    /header name contains invalid/
  ]
]

describe("an argument that is wrong is refused before anything is sent", () => {
  it.effect.each(REFUSED)("%s", ([, call, message]) =>
    Effect.gen(function*() {
      const host = script([ok])
      const error = yield* failureOf(call(host.core))
      assert.deepStrictEqual([error._tag, host.sent.length], ["ArgumentError", 0])
      assert.match((error as unknown as Error).message, message)
    }))

  it.effect("null and absent fields go out as they are", () =>
    Effect.gen(function*() {
      const host = script([{ status: 201, body: { id: 7 } }])
      yield* host.core.instances.create({ service_id: 1, hostname: null, os: undefined as never })
      assert.strictEqual(host.sent[0]?.request.body, "{\"service_id\":1,\"hostname\":null}")
    }))
})
