/** The transport by `fetch`: what it sends, and what its errors say about the request. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { RESPONSE_MAX_BYTES } from "#sdk/client/options/Limits"
import type { ClientOptions, FetchLike } from "#sdk/client/options/Options"
import { clientOf, json, startServer } from "./support/server.ts"
import { fixedRandom } from "./support/scripted.ts"

const platform: FetchLike = (url, init) => fetch(url, init)

/** A client whose `fetch` does this; counts the calls. */
const doing = (behave: FetchLike, options: ClientOptions = {}) => {
  const sent: Array<string> = []
  const own: FetchLike = (url, init) => {
    sent.push(`${init.method} ${url}`)
    return behave(url, init)
  }
  return Effect.map(clientOf("https://api.vps.test/api/v1", { ...options, fetch: own }), (client) => ({ client, sent }))
}

const failed = (code: string, syscall?: string) =>
  Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code, syscall }) })

describe("a client with fetch", () => {
  it.live("sends every part of a purchase, and reads the response", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* startServer((_, response) => {
        response.setHeader("x-request-id", "r1")
        json(response, 201, { id: 7, name: "Zoë" })
      })
      const client = yield* clientOf(baseUrl, { fetch: platform })
      const { data, response } = yield* client.instances.create({ service_id: 1 }, { idempotencyKey: "web-1" })
      assert.deepStrictEqual(data as unknown, { id: 7, name: "Zoë" })
      assert.strictEqual(response.requestId, "r1")
      const [request] = seen
      assert.deepStrictEqual(request, {
        method: "POST",
        url: "/api/v1/instances",
        key: "web-1",
        authorization: "Bearer key-1"
      })
    }))

  it.live("does not follow a redirect with the key of the account", () =>
    Effect.gen(function*() {
      const { baseUrl, seen } = yield* startServer((_, response) => {
        response.writeHead(302, { location: "/elsewhere" }).end()
      })
      const client = yield* clientOf(baseUrl, { fetch: platform })
      const error = yield* Effect.flip(client.instances.list())
      assert.deepStrictEqual([error._tag, seen.length], ["UnexpectedStatusError", 1])
    }))

  it.live.each(
    [
      ["refused", () => failed("ECONNREFUSED", "connect"), false, 5],
      ["not found", () => failed("ENOTFOUND", "getaddrinfo"), false, 5],
      ["reset", () => failed("ECONNRESET", "read"), true, 1],
      ["lost, as a browser says it", () => new TypeError("Failed to fetch"), true, 1],
      ["not trusted", () => failed("SELF_SIGNED_CERT_IN_CHAIN"), false, 1]
    ] as const
  )(
    "sends a restart whose connection is %s only again if nothing was sent",
    ([, make, lost, attempts]) =>
      Effect.gen(function*() {
        const { client, sent } = yield* doing(() => Promise.reject(make()))
        const error = yield* Effect.flip(client.power.restart(7).pipe(fixedRandom(0)))
        assert(error._tag === "ConnectionError")
        assert.deepStrictEqual([error.responseLost, error.attempts, sent.length], [lost, attempts, attempts])
      })
  )

  it.live("ends at the timeout, and counts as sent", () =>
    Effect.gen(function*() {
      let signal: AbortSignal | undefined
      const never: FetchLike = (_, init) => {
        signal = init.signal
        return new Promise(() => {})
      }
      const { client } = yield* doing(never, { timeout: 20 })
      const error = yield* Effect.flip(client.power.restart(7))
      assert(error._tag === "TimeoutError")
      assert.deepStrictEqual([error.responseLost, signal?.aborted], [true, true])
    }))

  it.live("refuses a response that is too large", () =>
    Effect.gen(function*() {
      const { client } = yield* doing(() => Promise.resolve(new Response(new Uint8Array(RESPONSE_MAX_BYTES + 1))))
      const error = yield* Effect.flip(client.instances.list())
      assert.match(error.message, /larger than 33554432 bytes/)
    }))
})

describe("client options", () => {
  it.live.each<readonly [options: object, message: RegExp]>([
    [{ maxRetrys: 1 }, /maxRetrys is not an option of a client\. It has: apiKey, baseUrl, timeout, maxRetries,/],
    [{ fetch: "fetch" }, /fetch must be a function/],
    [{ fetch: platform, dispatcher: { dispatch: () => true } }, /Pass dispatcher or fetch, not both/]
  ])("%o are refused before anything is sent", ([options, message]) =>
    Effect.gen(function*() {
      const client = yield* clientOf("https://api.vps.test/api/v1", options as ClientOptions)
      const error = yield* Effect.flip(client.instances.list())
      assert.strictEqual(error._tag, "ConfigurationError")
      assert.match(error.message, message)
    }))
})
