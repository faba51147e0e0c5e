/** Paths and methods are taken literally, so that a rule of a proxy's holds for what it names, and for nothing less. */
import { afterAll, assert, beforeAll, describe, it } from "vitest"
import { networkInterfaces } from "node:os"
import { head, send } from "./raw.ts"
import { startTarget, type Target } from "./target.ts"

let target: Target
beforeAll(async () => {
  target = await startTarget("--host", "0.0.0.0")
})
afterAll(() => target.service.end())

const ask = async (line: string, ...headers: ReadonlyArray<string>) => {
  const heard = await target.send(head(line, "Connection: close", ...headers))
  assert.lengthOf(heard.statuses, 1, line)
  return { status: heard.statuses[0]!, text: heard.text }
}

describe("a path", () => {
  it.each([
    "/METRICS",
    "//metrics",
    "/metrics/",
    "/metrics//",
    "/./metrics",
    "/docs/../metrics",
    "/%6detrics",
    "/%2fmetrics",
    "/metrics%00",
    "/metrics%20",
    "/metrics;x",
    "/metrics%3fx",
    "/metrics#x",
    "/docs/%2e%2e/metrics",
    "/docs/..%2fmetrics",
    "/_Emulator/tasks",
    "/%5femulator/tasks",
    "//_emulator/tasks",
    "/_emulator/../_emulator/tasks",
    "/_emulator//tasks",
    "/_emulator/%74asks"
  ])("written as %s is not the one it resembles: 404", async (path) => {
    const { status, text } = await ask(`GET ${path}`)
    assert.strictEqual(status, 404)
    assert.include(text, "{\"detail\":")
    assert.notInclude(text, "vps_http_requests_total")
  })

  it.each([
    "/API/v1/whoami",
    "/api//v1/whoami",
    "/api/v1/whoami/",
    "/api/v1/%77hoami",
    "/api/v1/./whoami",
    "/api/v1/instances/../whoami",
    "/api/v1/instances/%2e%2e/whoami",
    "/api/v1/whoami;jsessionid=1"
  ])("of the API written as %s is 404, even with a key", async (path) => {
    assert.strictEqual((await ask(`GET ${path}`, target.key)).status, 404)
  })

  it.each([
    ["/api/v1/instances/1%2Fstart", 422],
    ["/api/v1/instances/1%00", 422],
    ["/api/v1/instances/..%2f..%2f_emulator", 422],
    ["/api/v1/instances/%c0%ae", 404],
    ["/api/v1/instances/%zz", 404],
    ["/api/v1/instances/%", 404],
    ["/api/v1/instances/1e1", 422],
    ["/api/v1/instances/0x1", 422],
    ["/api/v1/instances/%201", 422],
    [`/api/v1/instances/${"9".repeat(80)}`, 404],
    [`/api/v1/instances/${"-".repeat(80)}1`, 422],
    ["/api/v1/instances/%EF%BC%91", 422]
  ])("whose id is written as in %s is %i", async (path, status) => {
    assert.strictEqual((await ask(`GET ${path}`, target.key)).status, status)
  })

  it("is the path of an absolute address too, and its host is the one that counts", async () => {
    assert.strictEqual((await ask("GET http://127.0.0.1/api/v1/whoami", target.key)).status, 200)
    assert.strictEqual((await ask("GET http://evil.example/_emulator/tasks")).status, 403)
    assert.strictEqual((await ask("GET ftp://127.0.0.1/_emulator/tasks")).status, 404)
    assert.strictEqual((await ask("OPTIONS *")).status, 404)
  })

  it("with an id of a thousand digits is 404", async () => {
    for (const digit of ["9", "-", "%2b"]) {
      assert.strictEqual((await ask(`GET /api/v1/instances/${digit.repeat(1_000)}1`, target.key)).status, 404)
    }
  })

  it("of more than 8 KiB is 414, of more than 16 KiB 431; a shorter one is routed", async () => {
    assert.strictEqual((await ask(`GET /${"a".repeat(8_191)}`)).status, 404)
    assert.strictEqual((await ask(`GET /${"a".repeat(8_192)}`)).status, 414)
    assert.strictEqual((await ask(`GET /${"a".repeat(17_000)}`)).status, 431)
  })
})

describe("headers", () => {
  it("of more than 16 KiB are 431, with an explanation", async () => {
    const { status, text } = await ask("GET /api/v1/whoami", target.key, `X-Large: ${"a".repeat(17_000)}`)
    assert.strictEqual(status, 431)
    assert.include(text, "larger than 16384 bytes")
  })

  it("beyond a hundred are rejected, not dropped: a dropped one could be the key or the host", async () => {
    const lines = (count: number) => Array.from({ length: count }, (_, index) => `X-${index}: 1`)
    // Host, Connection and Authorization are added to them.
    assert.strictEqual((await ask("GET /api/v1/whoami", ...lines(97), target.key)).status, 200)
    assert.strictEqual((await ask("GET /api/v1/whoami", ...lines(98), target.key)).status, 431)
    assert.strictEqual((await ask("GET /api/v1/whoami", ...lines(2_500).map(() => "a:"), target.key)).status, 431)
  })

  it("whose names are those of every object are headers like others", async () => {
    const odd = ["__proto__: x", "constructor: x", "hasOwnProperty: x", "toString: x"]
    assert.strictEqual((await ask("GET /api/v1/whoami", target.key, ...odd)).status, 200)
  })
})

describe("a method", () => {
  it.each(["TRACE", "PUT", "DELETE", "OPTIONS", "PROPFIND", "QUERY", "M-SEARCH"])(
    "%s, where it is not supported, is 405 and echoes nothing",
    async (method) => {
      const { status, text } = await ask(`${method} /api/v1/whoami`, target.key, "X-Secret: canary-in-a-header")
      assert.strictEqual(status, 405)
      assert.match(text, /\r\nallow: GET\r\n/i)
      assert.notInclude(text, "canary")
    }
  )

  it("comes from the request line, not from a header or a query", async () => {
    const before = await target.bought()
    for (const name of ["X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override"]) {
      const { status, text } = await ask("GET /api/v1/instances", target.key, `${name}: POST`)
      assert.strictEqual(status, 200)
      assert.include(text, "\r\n\r\n[")
    }
    assert.strictEqual((await ask("GET /api/v1/instances?_method=POST", target.key)).status, 422)
    assert.strictEqual(await target.bought(), before)
  })
})

describe("every response", () => {
  it.each([
    ["GET /api/v1/whoami", 200],
    ["GET /api/v1/instances", 200],
    ["GET /api/v1/instances/x", 422],
    ["GET /nothing", 404],
    ["GET /livez", 200],
    ["GET /metrics", 200],
    ["GET /_emulator/tasks", 200]
  ])("to %s (%i) forbids content sniffing and caching", async (line, status) => {
    const answer = await ask(line, target.key)
    assert.strictEqual(answer.status, status)
    assert.match(answer.text, /\r\nx-content-type-options: nosniff\r\n/i)
    assert.match(answer.text, /\r\ncache-control: no-store\r\n/i)
  })

  it.each(["/docs", "/docs/reference.js", "/openapi.json"])(
    "to %s forbids content sniffing; it is public, and may be cached",
    async (path) => {
      const { text } = await ask(`GET ${path}`)
      assert.match(text, /\r\nx-content-type-options: nosniff\r\n/i)
      assert.notMatch(text, /\r\ncache-control: no-store\r\n/i)
    }
  )
})

const elsewhere = Object.values(networkInterfaces()).flat()
  .find((address) => address !== undefined && address.family === "IPv4" && !address.internal)?.address

describe("the emulator's controls", () => {
  const evil = ["Origin: https://evil.example", "Origin: null", "Origin: http://127.0.0.1"]
  it.each(evil)("reject a web page (%s)", async (origin) => {
    for (const line of ["GET /_emulator/tasks", "POST /_emulator/reset", "DELETE /_emulator/faults"]) {
      assert.strictEqual((await ask(line, origin, "Content-Length: 0")).status, 403)
    }
  })

  it.each([
    "evil.example",
    "127.0.0.1.evil.example",
    "localhost.evil.example",
    "127.0.0.1@evil.example",
    "0.0.0.0",
    ""
  ])(
    "reject the name %j, which may have been rebound",
    async (host) => {
      const request = head("GET /_emulator/tasks", "Connection: close").replace("127.0.0.1", host)
      assert.deepStrictEqual((await target.send(request)).statuses, [403])
    }
  )

  it("accept this computer", async () => assert.strictEqual((await ask("GET /_emulator/tasks")).status, 200))

  it.skipIf(elsewhere === undefined)("reject other addresses, under any name (needs a network)", async () => {
    for (const name of [elsewhere!, "127.0.0.1", "localhost"]) {
      const request = head("POST /_emulator/reset", "Connection: close", "Content-Length: 0").replace("127.0.0.1", name)
      const forwarded = request.replace("\r\n\r\n", "\r\nX-Forwarded-For: 127.0.0.1\r\n\r\n")
      for (const sent of [request, forwarded]) {
        const heard = await send(target.service.origin, sent, elsewhere)
        assert.deepStrictEqual(heard.statuses, [403])
        assert.include(heard.text, "this computer only")
      }
    }
  })
})
