/** Invalid settings and arguments fail with a clear error before anything is sent. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { settingsOf } from "#sdk/client/options/Config"
import type { Client } from "#sdk/client/Client"
import type { ClientOptions } from "#sdk/client/options/Options"
import { failureOf, script, settle } from "./support/scripted.ts"

const BASE = "https://server.test/api/v1"
const ok = { status: 200, body: { id: 7 } }

const problem = (options: ClientOptions) =>
  Effect.gen(function*() {
    const server = script([ok], options)
    const error = yield* failureOf(server.client.instances.get(7))
    assert.deepStrictEqual([error._tag, server.sent.length, error.attempts], ["ConfigurationError", 0, 0])
    return error
  })

describe("maxCharge", () => {
  it.effect("is sent as a header with a create and a resize, never more than it says", () =>
    Effect.gen(function*() {
      for (
        const [amount, sent] of [[5, "5.00 EUR"], [4.99, "4.99 EUR"], [0.29, "0.29 EUR"], [1.999, "1.99 EUR"]] as const
      ) {
        const server = script([ok, ok], { apiKey: "k" })
        const maxCharge = { amount, currency: "EUR" }
        yield* server.client.instances.create({ service_id: 1 }, { maxCharge })
        yield* server.client.instances.resize(7, { service_id: 2 }, { maxCharge })
        assert.deepStrictEqual(server.sent.map(({ request }) => request.headers["vps-max-charge"]), [sent, sent])
      }
    }))

  it.effect.each([
    { amount: -1, currency: "EUR" },
    { amount: Number.NaN, currency: "EUR" },
    { amount: 1e15, currency: "EUR" },
    { amount: "5" as unknown as number, currency: "EUR" },
    { amount: 5, currency: "euro" }
  ])("%j is rejected before anything is sent", (maxCharge) =>
    Effect.gen(function*() {
      const server = script([ok], { apiKey: "k" })
      const error = yield* failureOf(server.client.instances.create({ service_id: 1 }, { maxCharge }))
      assert.deepStrictEqual([error._tag, server.sent.length], ["ArgumentError", 0])
      assert.include(error.message, "maxCharge.")
    }))
})

describe("the API key", () => {
  it.effect.each(["", "  ", "\n"])(
    "%j counts as missing: the error names VPS_API_KEY",
    (apiKey) =>
      Effect.map(
        problem({ apiKey }),
        ({ message }) => assert.strictEqual(message, "Missing API key. Pass apiKey or set VPS_API_KEY.")
      )
  )

  it.effect("is trimmed: a key from a file ends with a line break", () =>
    Effect.gen(function*() {
      const server = script([ok], { apiKey: "key-2\n" })
      yield* server.client.instances.get(7)
      assert.strictEqual(server.sent[0]?.request.headers["authorization"], "Bearer key-2")
    }))

  it.effect.each(["two words", "line\nbreak", "ключ"])(
    "%j is rejected and not shown",
    (apiKey) => Effect.map(problem({ apiKey }), ({ message }) => assert.notInclude(message, apiKey))
  )

  it.effect("may be a function, called once per call: all attempts send the same key", () =>
    Effect.gen(function*() {
      let calls = 0
      const apiKey = async () => `key-${++calls}`
      const server = script(["refused", "refused", ok], { apiKey })
      yield* Effect.flatten(settle(server.client.instances.get(7)))
      yield* Effect.flatten(settle(server.client.instances.get(7)))
      const keys = server.sent.map(({ request }) => request.headers["authorization"])
      assert.deepStrictEqual(keys, ["Bearer key-1", "Bearer key-1", "Bearer key-1", "Bearer key-2"])
    }))

  it.effect("fails clearly if its function fails or returns nothing", () =>
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
      ["ftp://server.test/api/v1", /must be an http or https URL/],
      ["https://server.test", /for example https:\/\/server\.test\/api\/v1$/],
      ["https://server.test/", /must include the path prefix/],
      ["https://user:secret@server.test/api/v1", /must not contain a user/],
      ["https://server.test/api/v1?key=1", /must not contain a user, query/],
      ["https://server.test/api/v1#x", /fragment/]
    ] as const
  )("%j is rejected", ([baseUrl, message]) =>
    Effect.map(problem({ baseUrl }), (error) => {
      assert.match(error.message, message)
      assert.notInclude(error.message, "secret")
    }))

  it.effect.each(
    [
      ["https://server.test/api/v1/", "https://server.test", "/api/v1/instances/7"],
      ["http://127.0.0.1:8787/api/v1", "http://127.0.0.1:8787", "/api/v1/instances/7"],
      [" https://server.test/vps ", "https://server.test", "/vps/instances/7"]
    ] as const
  )("%j is accepted", ([baseUrl, origin, target]) =>
    Effect.gen(function*() {
      const server = script([ok], { baseUrl })
      yield* server.client.instances.get(7)
      assert.deepInclude(server.sent[0]?.request, { origin, target })
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

  it.effect("the options take precedence", () =>
    Effect.map(
      read({ apiKey: "of-options", baseUrl: BASE }, env),
      ([key, { origin }]) => assert.deepStrictEqual([key, origin], ["of-options", "https://server.test"])
    ))
})

type Rejected = readonly [name: string, (client: Client) => Effect.Effect<unknown, { readonly _tag: string }>, RegExp]

const REJECTED: ReadonlyArray<Rejected> = [
  [
    "an ID with a path in it",
    (client) => client.power.stop("7/../8" as never),
    /instance_id must be an integer, got str/
  ],
  ["a fraction", (client) => client.instances.get(1.5), /instance_id must be an integer, got 1.5/],
  ["NaN", (client) => client.instances.get(Number.NaN), /got NaN/],
  ["an unsafe integer", (client) => client.instances.get(2 ** 53), /instance_id must be an integer/],
  ["no ID", (client) => client.instances.waitUntilDeployed(undefined as never), /got undefined/],
  ["null for an ID", (client) => client.services.osOptions(null as never), /service_id must be an integer, got null/],
  ["a fraction in a query", (client) => client.monitoring.tasks(7, { limit: 1.5 }), /limit must be an integer/],
  ["no body", (client) => client.instances.create(undefined as never), /body must be an object/],
  ["an array for a body", (client) => client.instances.create([] as never), /body must be an object/],
  [
    "a body that cannot be serialized",
    (client) => client.instances.create({ service_id: 1n } as never),
    /serialized as JSON/
  ],
  [
    "an empty key",
    (client) => client.instances.create({ service_id: 1 }, { idempotencyKey: "" }),
    /1 to 255 visible ASCII/
  ],
  [
    "a key with a space",
    (client) => client.instances.create({ service_id: 1 }, { idempotencyKey: "a b" }),
    /visible ASCII/
  ],
  [
    "a key that is too long",
    (client) => client.instances.create({ service_id: 1 }, { idempotencyKey: "k".repeat(256) }),
    /1 to 255/
  ],
  [
    "a timeout of 0",
    (client) => client.instances.get(7, { timeout: 0 }),
    /timeout must be a number of milliseconds above 0/
  ],
  [
    "a timeout beyond the maximum of a timer",
    (client) => client.instances.get(7, { timeout: 2 ** 31 }),
    /at most 2147483647/
  ],
  [
    "a negative number of retries",
    (client) => client.instances.get(7, { maxRetries: -1 }),
    /maxRetries must be an integer/
  ],
  ["a fraction of a retry", (client) => client.instances.get(7, { maxRetries: 0.5 }), /maxRetries must be an integer/],
  [
    "an authorization header",
    (client) => client.instances.get(7, { headers: { Authorization: "x" } }),
    /authorization header is set by the client/
  ],
  [
    "an idempotency key as a header",
    (client) => client.instances.get(7, { headers: { "Idempotency-Key": "x" } }),
    /idempotencyKey/
  ],
  [
    "a header with a line break",
    (client) => client.instances.get(7, { headers: { "x-a": "1\r\nx-b: 2" } }),
    /x-a header contains invalid/
  ],
  [
    "a header name with a line break",
    (client) => client.instances.get(7, { headers: { "x-a: 1\r\nx-b": "2" } }),
    /header name contains invalid/
  ]
]

describe("an invalid argument is rejected before anything is sent", () => {
  it.effect.each(REJECTED)("%s", ([, call, message]) =>
    Effect.gen(function*() {
      const server = script([ok])
      const error = yield* failureOf(call(server.client))
      assert.deepStrictEqual([error._tag, server.sent.length], ["ArgumentError", 0])
      assert.match((error as unknown as Error).message, message)
    }))

  it.effect("null and absent fields are sent as they are", () =>
    Effect.gen(function*() {
      const server = script([{ status: 201, body: { id: 7 } }])
      yield* server.client.instances.create({ service_id: 1, hostname: null, os: undefined as never })
      assert.strictEqual(server.sent[0]?.request.body, "{\"service_id\":1,\"hostname\":null}")
    }))
})
