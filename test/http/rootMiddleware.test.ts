/** The steps of each request before its endpoint: routes, addresses, and requests outside the API. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Headers from "effect/http/Headers"
import * as Option from "effect/Option"
import { assert, describe, it, layer } from "@effect/vitest"
import { SEED_KEY } from "#service/emulator/Seed"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { receive as received, startApp, type TestApp } from "../support/app.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { routeOf } from "#service/http/middleware/RouteTable"
import { make } from "#service/http/connection/ClientAddress"
import { isNetwork } from "#service/config/Networks"
import { gunzipSync } from "node:zlib"

const { BODY_BYTES_MAX } = DEFAULT_LIMITS

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

const fetchFrom = (app: TestApp, path: string) => Effect.promise(() => fetch(`${app.origin}${path}`))

layer(App.layer, { excludeTestServices: true })("the root middleware", (it) => {
  describe("unknown paths and methods", () => {
    it.effect("an unknown path is 404, with and without a key", () =>
      Effect.gen(function*() {
        const app = yield* App
        for (const key of [undefined, ""]) {
          const answer = yield* app.api({ path: "/nothing/here", ...(key === undefined ? {} : { key }) })
          assert.strictEqual(answer.status, 404)
          assert.deepStrictEqual(answer.body, { detail: "Path not found: /api/v1/nothing/here" })
        }
      }))

    it.effect("a path that cannot be decoded is 404", () =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ path: "/instances/%ff" })
        assert.strictEqual(answer.status, 404)
        assert.deepStrictEqual(answer.body, { detail: "Path not found: /api/v1/instances/%ff" })
      }))

    it.effect.each([
      ["DELETE", "/instances", "GET, POST"],
      ["PUT", "/instances/1", "GET"],
      ["GET", "/instances/1/rescue", "POST, DELETE"],
      ["POST", "/whoami", "GET"]
    ])("%s %s is 405 and allows %s", ([method, path, allow]) =>
      Effect.gen(function*() {
        const answer = yield* (yield* App).api({ method: method!, path: path! })
        assert.strictEqual(answer.status, 405)
        assert.strictEqual(answer.headers.get("allow"), allow)
        assert.include(answer.body.detail, allow!)
      }))

    it.effect("the root of the API describes it, with and without a slash", () =>
      Effect.gen(function*() {
        const app = yield* App
        for (const path of ["", "/"]) {
          const { body, status } = yield* app.api({ path })
          assert.strictEqual(status, 200, path)
          assert.deepStrictEqual(body, {
            name: "vps-service",
            version: "1.0.0",
            documentation_url: `${app.origin}/docs`,
            openapi_url: `${app.origin}/openapi.json`,
            panel_url: `${app.origin}/panel`
          })
        }
      }))
  })

  describe("large bodies", () => {
    const LARGE = "x".repeat(BODY_BYTES_MAX)

    it.effect("over 64 KiB are 413", () =>
      Effect.gen(function*() {
        const body = { service_id: 1, hostname: LARGE }
        const answer = yield* (yield* App).api({ method: "POST", path: "/instances", body })
        assert.strictEqual(answer.status, 413)
        assert.include(answer.body.detail, String(BODY_BYTES_MAX))
      }))

    it.effect("of exactly 64 KiB are read", () =>
      Effect.gen(function*() {
        const text = `{"service_id":1,"hostname":"${LARGE}`.slice(0, BODY_BYTES_MAX - 2) + "\"}"
        assert.strictEqual(text.length, BODY_BYTES_MAX)
        assert.strictEqual((yield* (yield* App).api({ method: "POST", path: "/instances", text })).status, 422)
      }))

    it.effect("of a caller without a key are 401, and not read", () =>
      Effect.gen(function*() {
        const request = { method: "POST", path: "/instances", key: "", text: LARGE + LARGE }
        assert.strictEqual((yield* (yield* App).api(request)).status, 401)
      }))
  })

  describe("request ids", () => {
    it.effect("are generated when absent and echoed when present", () =>
      Effect.gen(function*() {
        const app = yield* App
        const made = yield* app.api({ path: "/whoami" })
        assert.match(made.headers.get("x-request-id") ?? "", /^req-[0-9a-f]{16}-\d+$/)
        const given = yield* app.api({ path: "/whoami", headers: { "x-request-id": "req-7" } })
        assert.strictEqual(given.headers.get("x-request-id"), "req-7")
      }))

    it.effect("that could not be logged safely are replaced", () =>
      Effect.gen(function*() {
        const headers = { "x-request-id": "a b" }
        const app = yield* App
        const answer = yield* app.api({ path: "/whoami", headers })
        assert.notStrictEqual(answer.headers.get("x-request-id"), "a b")
        for (const id of [SEED_KEY, `trace-${SEED_KEY}`]) {
          const made = yield* app.api({ path: "/whoami", headers: { "x-request-id": id } })
          assert.match(made.headers.get("x-request-id") ?? "", /^req-[0-9a-f]{16}-\d+$/)
        }
      }))
  })

  describe("health and documents", () => {
    it.effect.each(["/livez", "/readyz"])("%s is 200 without a key", (path) =>
      Effect.gen(function*() {
        assert.strictEqual((yield* fetchFrom(yield* App, path)).status, 200)
      }))

    it.effect("/openapi.json is the contract's document", () =>
      Effect.gen(function*() {
        const response = yield* fetchFrom(yield* App, "/openapi.json")
        const document = (yield* Effect.promise(() => response.json())) as ReturnType<typeof openApiDocument>
        assert.strictEqual(document.openapi, "3.0.3")
        assert.deepInclude(document.info, { title: "VPS instance management", version: "1.0.0" })
        assert.strictEqual(Object.values<object>(document.paths).flatMap((item) => Object.keys(item)).length, 30)
      }))
  })
})

describe("a service that shuts down", () => {
  it.live("is alive and not ready: every request is 503, and closes its connection", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.drain
      const health = (path: string) => Effect.promise(() => fetch(`${app.origin}${path}`))
      assert.strictEqual((yield* health("/livez")).status, 200)
      assert.strictEqual((yield* health("/readyz")).status, 503)
      for (const request of [{ path: "/whoami" }, { method: "POST", path: "/instances", body: { service_id: 1 } }]) {
        const answer = yield* app.api(request)
        assert.strictEqual(answer.status, 503)
        assert.deepStrictEqual(answer.body, { detail: "The service is shutting down. Retry shortly." })
        assert.strictEqual(answer.headers.get("connection"), "close")
      }
    }))
})

describe("the route of a path", () => {
  it("exists for every operation of the contract, with the pattern of the OpenAPI document", () => {
    for (const [pattern, item] of Object.entries(openApiDocument().paths)) {
      const route = routeOf(pattern.replace(/\{\w+\}/g, "12"))
      assert.strictEqual(route?.pattern.replace(/\/$/, ""), pattern.replace(/\/$/, ""))
      assert.sameMembers(route!.methods, Object.keys(item).map((method) => method.toUpperCase()))
    }
  })
  it.each([
    ["/api/v1/instances/7?x=1", "/api/v1/instances/{instance_id}"],
    ["/api/v1/instances/abc", "/api/v1/instances/{instance_id}"],
    ["/api/v1/", "/api/v1"],
    ["/API/v1/instances", undefined],
    ["/api/v1//instances", undefined],
    ["/api/v1/instances/", undefined],
    ["/api/v1/instances;x", undefined],
    ["/livez#x", undefined],
    ["/api/v1/instances/7/nothing", undefined],
    ["/api/v1/instances/7/snapshots/3", "/api/v1/instances/{instance_id}/snapshots/{snap_id}"],
    ["/panel", "/panel"],
    ["/panel/instances/7", "/panel/*"],
    ["/panels", undefined],
    ["/", undefined],
    ["/wp-login.php", undefined]
  ])("%s is %s", (url, pattern) => {
    assert.strictEqual(routeOf(url)?.pattern, pattern)
  })
})

const from = (remoteAddress: string, headers: Record<string, string> = {}) => ({
  remoteAddress: Option.some(remoteAddress),
  headers: Headers.fromInput(headers)
})

const forwardedFor = (peer: string, list: string) => from(peer, { "x-forwarded-for": list })

describe("the client's address", () => {
  const nobody = make([])
  const proxied = make(["10.0.0.0/8", "2001:db8::1", "127.0.0.1"])

  it("is the peer's when no proxy is trusted, with any header", () => {
    assert.strictEqual(nobody.clientAddress(forwardedFor("10.0.0.1", "198.51.100.7")), "10.0.0.1")
  })
  it("is the peer's when the peer is not a trusted proxy", () => {
    assert.strictEqual(proxied.clientAddress(forwardedFor("192.0.2.9", "198.51.100.7")), "192.0.2.9")
  })
  it.each([
    ["the one the proxy saw", "10.0.0.1", "198.51.100.7", "198.51.100.7"],
    ["not the one that the client invented", "10.0.0.1", "6.6.6.6, 198.51.100.7", "198.51.100.7"],
    ["before a chain of trusted proxies", "10.0.0.1", "6.6.6.6, 198.51.100.7, 10.1.1.1, 10.2.2.2", "198.51.100.7"],
    ["the first proxy's when all are trusted", "10.0.0.1", "10.1.1.1, 10.2.2.2", "10.1.1.1"],
    ["the last that can be read", "10.0.0.1", "198.51.100.7, unknown", "10.0.0.1"],
    ["the proxy's without a header", "10.0.0.1", "", "10.0.0.1"],
    ["without port and brackets", "10.0.0.1", "[2001:db8::5]:4711", "2001:db8::5"],
    ["without port", "10.0.0.1", "198.51.100.7:4711", "198.51.100.7"],
    ["IPv4 also from a dual-stack socket", "::ffff:10.0.0.1", "::ffff:198.51.100.7", "198.51.100.7"],
    ["IPv6 of a trusted IPv6 proxy", "2001:db8::1", "2001:DB8::ABCD", "2001:db8::abcd"]
  ])("is %s", (_, peer, list, expected) => {
    assert.strictEqual(proxied.clientAddress(forwardedFor(peer, list)), expected)
  })
  it("is empty when the connection is gone", () => {
    assert.strictEqual(nobody.clientAddress({ ...from(""), remoteAddress: Option.none() }), "")
  })
})

describe("the origin of links", () => {
  const proxied = make(["10.0.0.1"])
  const forwarded = { host: "inner:8787", "x-forwarded-proto": "https", "x-forwarded-host": "api.example.test" }

  it("is the host that the client named", () => {
    assert.strictEqual(make([]).origin(from("192.0.2.1", { host: "vps.test:8787" })), "http://vps.test:8787")
  })
  it("follows a trusted proxy, and no other", () => {
    assert.strictEqual(proxied.origin(from("10.0.0.1", forwarded)), "https://api.example.test")
    assert.strictEqual(proxied.origin(from("10.0.0.2", forwarded)), "http://inner:8787")
  })
  it("keeps the host that the proxy passes through", () => {
    const headers = { host: "api.example.test", "x-forwarded-proto": "https" }
    assert.strictEqual(proxied.origin(from("10.0.0.1", headers)), "https://api.example.test")
  })
  it.each(["evil.test/path", "user@evil.test", "a b", "\"><script>"])("is not taken from the host %s", (host) => {
    assert.strictEqual(make([]).origin(from("192.0.2.1", { host })), "http://127.0.0.1")
    const headers = { host: "inner:1", "x-forwarded-host": host }
    assert.strictEqual(proxied.origin(from("10.0.0.1", headers)), "http://inner:1")
  })
})

it.each(["10.0.0.1", "10.0.0.0/8", "::1", "2001:db8::/32", "0.0.0.0/0"])("%s is a network", (network) => {
  assert.isTrue(isNetwork(network))
})
it.each(["", "proxy", "10.0.0.0/33", "10.0.0.0/", "10.0.0.0/8/8", "2001:db8::/129", "10.0.0.0/-1", "10.0.0"])(
  "%j is not a network",
  (network) => {
    assert.isFalse(isNetwork(network))
  }
)

describe("GET /", () => {
  const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "api.example.test" }
  it.live("links to the public name behind a trusted proxy", () =>
    Effect.gen(function*() {
      const app = yield* startApp(["--trusted-proxies", "10.0.0.1, 127.0.0.0/8"])
      const { body } = yield* app.api({ path: "/", headers })
      assert.strictEqual(body.documentation_url, "https://api.example.test/docs")
      assert.strictEqual(body.openapi_url, "https://api.example.test/openapi.json")
    }).pipe(Effect.scoped))
  it.live("links to the requested host otherwise", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      assert.strictEqual((yield* app.api({ path: "/", headers })).body.documentation_url, `${app.origin}/docs`)
    }).pipe(Effect.scoped))
})

const receive = (path: string, headers?: Record<string, string>) =>
  Effect.flatMap(App, (app) => received(app, path, headers))

/** Every address that a page loads something from. */
const addresses = (html: string) =>
  [...html.matchAll(/(?:src|href|data-url)="([^"]*)"/g)].map(([, address]) => address!)

layer(App.layer, { excludeTestServices: true })("the page for people", (it) => {
  it.effect("loads only what this service serves, and may load nothing else", () =>
    Effect.gen(function*() {
      const page = yield* receive("/docs")
      assert.strictEqual(page.headers["content-type"], "text/html; charset=utf-8")
      const loaded = addresses(page.body.toString()).filter((address) => address !== "data:,")
      assert.strictEqual(loaded.length, 3)
      for (const address of loaded) {
        assert.notMatch(address, /^(?:[a-z]+:)?\/\//)
        assert.strictEqual((yield* receive(`/${address}`)).status, 200, address)
      }
      const policy = page.headers["content-security-policy"] ?? ""
      assert.include(policy, "default-src 'none'")
      assert.notMatch(policy, /https?:|\*/)
      assert.include(page.body.toString(), "&quot;withDefaultFonts&quot;:false")
    }))

  it.effect("loads its script from an address that changes with it, so that it can be cached for long", () =>
    Effect.gen(function*() {
      const page = yield* receive("/docs")
      const address = addresses(page.body.toString()).find((one) => one.includes("reference.js"))!
      const script = yield* receive(`/${address}`)
      assert.strictEqual(script.headers["content-type"], "text/javascript; charset=utf-8")
      assert.strictEqual(script.headers["cache-control"], "public, max-age=31536000, immutable")
      assert.strictEqual(script.headers.etag, `"${address.split("?v=")[1]}"`)
      assert.isAbove(script.body.length, 1_000_000)
      assert.include(script.body.subarray(0, 1000).toString(), "@scalar/api-reference")
    }))
})

layer(App.layer, { excludeTestServices: true })("an asset", (it) => {
  describe.each(["/docs", "/docs/reference.js", "/openapi.json"])("%s", (path) => {
    it.effect("is compressed for those who can read that, and the same", () =>
      Effect.gen(function*() {
        const plain = yield* receive(path)
        assert.isUndefined(plain.headers["content-encoding"])
        const packed = yield* receive(path, { "accept-encoding": "br, gzip;q=0.8" })
        assert.strictEqual(packed.headers["content-encoding"], "gzip")
        assert.isTrue(gunzipSync(packed.body).equals(plain.body))
        assert.strictEqual(packed.headers.vary, "accept-encoding")
        assert.isUndefined((yield* receive(path, { "accept-encoding": "gzip;q=0, br" })).headers["content-encoding"])
      }))

    it.effect("is not sent again to those who have it", () =>
      Effect.gen(function*() {
        const tag = (yield* receive(path)).headers.etag!
        for (const held of [tag, `W/${tag}`, `"other", ${tag}`, "*"]) {
          const answer = yield* receive(path, { "if-none-match": held })
          assert.deepStrictEqual([answer.status, answer.body.length], [304, 0], held)
          assert.strictEqual(answer.headers.etag, tag)
        }
        assert.strictEqual((yield* receive(path, { "if-none-match": "\"other\"" })).status, 200)
      }))
  })
})
