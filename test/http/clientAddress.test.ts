/** Forwarding headers count only when they come from a proxy that the operator has named. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Headers from "effect/http/Headers"
import * as Option from "effect/Option"
import { make } from "#service/http/connection/ClientAddress"
import { isNetwork } from "#service/config/Networks"
import { startApp } from "../support/app.ts"

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
