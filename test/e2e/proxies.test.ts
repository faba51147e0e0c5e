/** The SDK and `vps`, as they are built, behind a company's proxy that tunnels (CONNECT) and forwards. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { once } from "node:events"
import { readFileSync } from "node:fs"
import { createServer as createPlain, request as forward, type Server } from "node:http"
import { createServer as createTls } from "node:https"
import { type AddressInfo, connect } from "node:net"
import { afterAll } from "vitest"
import { makeAuthority, noOpenssl } from "../support/certificates.ts"
import { runNode } from "../support/command.ts"

const listen = (server: Server) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      await once(server.listen(0, "127.0.0.1"), "listening")
      return (server.address() as AddressInfo).port
    }),
    () => Effect.sync(() => (server.close(), server.closeAllConnections()))
  )

/** A request that the proxy has received. */
interface Received {
  readonly target: string
  readonly password: string | undefined
}

/** Every name leads to one port of this computer. `status` refuses tunnels. */
const startProxy = Effect.fnUntraced(function*(port: number, status = 200) {
  const received: Array<Received> = []
  const note = (target: string | undefined, header: string | undefined) =>
    received.push({ target: target ?? "", password: header && atob(header.replace("Basic ", "")) })
  const server = createPlain((incoming, outgoing) => {
    const { headers, method, url = "" } = incoming
    note(url, headers["proxy-authorization"])
    const { pathname } = new URL(url)
    incoming.pipe(forward({ host: "127.0.0.1", port, path: pathname, method }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(outgoing)
    }))
  })
  server.on("connect", (incoming, socket) => {
    note(incoming.url, incoming.headers["proxy-authorization"])
    if (status !== 200) return socket.end(`HTTP/1.1 ${status} Refused\r\n\r\n`)
    const tunnel = connect(port, "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 OK\r\n\r\n")
      tunnel.pipe(socket).pipe(tunnel)
    })
    tunnel.on("error", () => socket.destroy())
    return socket.on("error", () => tunnel.destroy())
  })
  const own = yield* listen(server)
  return { received, url: `http://user:pass@127.0.0.1:${own}` }
})

const SCRIPT = `
  import { Vps } from "@pulumi-vps/sdk"
  const vps = new Vps()
  try {
    const all = await Promise.all(Array.from({ length: 100 }, () => vps.services.list()))
    console.log(all.length, all[0][0].slug)
  } catch (error) {
    console.log(error.name, error.attempts, error.responseLost, error.message)
  }
  await vps.close()
`
const sdk = (env: Record<string, string>) =>
  Effect.promise(() => runNode(["--input-type=module", "--eval", SCRIPT], { env: { VPS_API_KEY: "key-1", ...env } }))

const PLANS = JSON.stringify([{ id: 1, slug: "vps-s", name: "S" }])

describe.skipIf(noOpenssl)("behind a proxy (needs openssl)", () => {
  const authority = makeAuthority("Company")
  const own = authority.sign("api.vps.test", "DNS:api.vps.test")
  afterAll(() => authority.remove())
  const secure = Effect.suspend(() =>
    listen(createTls({ cert: readFileSync(own.cert), key: readFileSync(own.key) }, (_, response) => {
      response.setHeader("content-type", "application/json").end(PLANS)
    }))
  )
  const https = { VPS_BASE_URL: "https://api.vps.test/api/v1", NODE_EXTRA_CA_CERTS: authority.cert }

  it.live.each(["HTTPS_PROXY", "https_proxy"])("the SDK sends through a tunnel: %s", (name) =>
    Effect.gen(function*() {
      const { received, url } = yield* startProxy(yield* secure)
      assert.deepStrictEqual(yield* sdk({ ...https, [name]: url }), { code: 0, stdout: "100 vps-s\n", stderr: "" })
      assert.deepStrictEqual(received[0], { target: "api.vps.test:443", password: "user:pass" })
      // Connections are reused, as without a proxy.
      assert.isAtMost(received.length, 64)
    }))

  it.live("vps sends through it, too", () =>
    Effect.gen(function*() {
      const { received, url } = yield* startProxy(yield* secure)
      const env = { ...https, HTTPS_PROXY: url, VPS_API_KEY: "key-1", NODE_USE_ENV_PROXY: "1" }
      const { code, stdout } = yield* Effect.promise(() =>
        runNode(["sdk/dist/cli/bin.js", "plan", "list", "-o", "json"], { env })
      )
      assert.deepStrictEqual([code, JSON.parse(stdout)[0].slug, received.length], [0, "vps-s", 1])
    }))

  it.live("plain HTTP is forwarded, and NO_PROXY excludes hosts", () =>
    Effect.gen(function*() {
      const port = yield* listen(createPlain((_, response) => {
        response.setHeader("content-type", "application/json").end(PLANS)
      }))
      const { received, url } = yield* startProxy(port)
      const plain = { VPS_BASE_URL: "http://api.vps.test/api/v1", HTTP_PROXY: url }
      assert.strictEqual((yield* sdk(plain)).stdout, "100 vps-s\n")
      assert.deepStrictEqual(received[0], { target: "http://api.vps.test/api/v1/services", password: "user:pass" })
      // An address of this computer that is not loopback for the rules of proxies.
      const direct = { VPS_BASE_URL: `http://0.0.0.0:${port}/api/v1`, HTTP_PROXY: url, NO_PROXY: "0.0.0.0/8" }
      const before = received.length
      assert.strictEqual((yield* sdk(direct)).stdout, "100 vps-s\n")
      assert.strictEqual(received.length, before)
      yield* sdk({ ...direct, NO_PROXY: "0.0.0.0:1" })
      assert.isAbove(received.length, before)
    }))

  it.live("a wrong password is not sent again and again", () =>
    Effect.gen(function*() {
      const { url } = yield* startProxy(yield* secure, 407)
      assert.match((yield* sdk({ ...https, HTTPS_PROXY: url })).stdout, /^ConnectionError 1 false .*\(407\)/)
    }))

  it.live("a certificate that is not trusted is an error at once", () =>
    Effect.gen(function*() {
      const { url } = yield* startProxy(yield* secure)
      const { stdout } = yield* sdk({ VPS_BASE_URL: https.VPS_BASE_URL, HTTPS_PROXY: url })
      assert.match(stdout, /^ConnectionError 1 false .*certificate/)
    }))

  it.live("a malformed variable is named, without its password", () =>
    Effect.gen(function*() {
      const { stdout } = yield* sdk({ ...https, HTTPS_PROXY: "socks5://user:secret@proxy:1080" })
      assert.match(stdout, /^ConfigurationError 1 undefined .*HTTPS_PROXY must be the URL of an HTTP proxy/)
      assert.notInclude(stdout, "secret")
    }))
})
