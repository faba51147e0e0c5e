/** The proxy that the environment names: the rules of Go's `net/http`. */
import { assert, describe, it } from "@effect/vitest"
import { proxyOf } from "#sdk/client/chain/Agent"

const API = "https://api.example.com"
const P = "http://proxy:3128"
const both = { HTTP_PROXY: "http://plain:3128", HTTPS_PROXY: P }

describe("the proxy of an origin", () => {
  it.each<[origin: string, env: Record<string, string>, proxy: string | undefined]>([
    [API, {}, undefined],
    [API, both, P],
    ["http://api.example.com", both, "http://plain:3128"],
    [API, { HTTP_PROXY: P }, undefined],
    [API, { https_proxy: P }, P],
    [API, { HTTPS_PROXY: P, https_proxy: "http://other:1" }, P],
    [API, { HTTPS_PROXY: "", https_proxy: P }, P],
    [API, { HTTPS_PROXY: "proxy:3128" }, P],
    [API, { ALL_PROXY: P }, undefined],
    [API, { HTTPS_PROXY: P, NODE_USE_ENV_PROXY: "1" }, P],
    [API, { HTTPS_PROXY: P, NODE_USE_ENV_PROXY: "0" }, undefined],
    ["http://api.example.com", { HTTP_PROXY: P, REQUEST_METHOD: "GET" }, undefined],
    ["https://localhost:8443", both, undefined],
    ["https://127.9.9.9", both, undefined],
    ["https://[::1]:8443", both, undefined]
  ])("%s with %j: %s", (origin, env, proxy) => {
    assert.strictEqual(proxyOf(origin, env), proxy)
  })

  it.each<[excluded: string, origin: string, isDirect: boolean]>([
    ["*", API, true],
    ["example.com", API, true],
    ["EXAMPLE.com", API, true],
    ["api.example.com", API, true],
    [".example.com", API, true],
    ["*.example.com", API, true],
    [".api.example.com", API, false],
    ["ample.com", API, false],
    ["other.com, example.com", API, true],
    ["other.com example.com", API, false],
    ["example.com:443", API, true],
    ["example.com:8443", API, false],
    ["example.com:8443", `${API}:8443`, true],
    ["10.0.0.0/8", "https://10.1.2.3", true],
    ["10.0.0.0/8", "https://11.1.2.3", false],
    ["10.0.0.0/99", "https://10.1.2.3", false],
    ["10.1.2.3", "https://10.1.2.3", true],
    ["10.1.2.3:444", "https://10.1.2.3", false],
    ["1.2.3", "https://10.1.2.3", false],
    ["2001:db8::/32", "https://[2001:db8::7]", true],
    ["2001:db8::/32", "https://[2001:db9::7]", false],
    ["2001:DB8:0::7", "https://[2001:db8::7]", true],
    ["[2001:db8::7]:443", "https://[2001:db8::7]", true],
    ["", API, false]
  ])("NO_PROXY=%s and %s: direct %s", (excluded, origin, isDirect) => {
    assert.strictEqual(proxyOf(origin, { ...both, NO_PROXY: excluded }), isDirect ? undefined : P)
    assert.strictEqual(proxyOf(origin, { ...both, no_proxy: excluded }), isDirect ? undefined : P)
  })

  it.each(["socks5://proxy:1080", "http://:secret@", "ftp://secret@proxy"])(
    "%s is refused without its text",
    (value) => {
      assert.throws(
        () => proxyOf(API, { HTTPS_PROXY: value }),
        /^HTTPS_PROXY must be the URL of an HTTP proxy, for example/
      )
    }
  )
})
