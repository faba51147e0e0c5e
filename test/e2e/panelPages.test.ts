/** The panel's page as the built service sends it: its size, its policy, and the same page for every path. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { readdirSync, readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { brotliDecompressSync, gunzipSync } from "node:zlib"
import { receive as received, startEmulator, type TestApp } from "../support/app.ts"
import { startService } from "../support/serviceProcess.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startEmulator())
}

/** Bytes that a browser loads before it shows the first screen, compressed by gzip. */
const FIRST_LOAD_MAX = 45_000

const receive = (path: string, headers?: Record<string, string>) =>
  Effect.flatMap(App, (app) => received(app, path, headers))

const GZIP = { "accept-encoding": "gzip" }

/** Every address that a page loads something from. */
const addresses = (html: string) => [...html.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, address]) => address!)

const firstLoad = Effect.gen(function*() {
  const page = yield* receive("/panel", GZIP)
  const paths = addresses(gunzipSync(page.body).toString())
  return { page, paths, files: yield* Effect.forEach(paths, (path) => receive(path, GZIP)) }
})

layer(App.layer, { excludeTestServices: true })("the panel's page", (it) => {
  it.effect("loads at most 45 kB, and nothing from elsewhere", () =>
    Effect.gen(function*() {
      const { files, page, paths } = yield* firstLoad
      assert.isAtLeast(paths.length, 3)
      for (const path of paths) assert.match(path, /^\/panel\/assets\/\w+\.\w{8}\.(?:css|js|svg)$/)
      assert.deepStrictEqual(
        files.map(({ headers, status }) => [status, headers["content-encoding"]].join(" ")),
        paths.map(() => "200 gzip")
      )
      const total = [page, ...files].reduce((sum, { body }) => sum + body.length, 0)
      assert.isAtMost(total, FIRST_LOAD_MAX)
    }))

  it.effect("has a policy without inline code, foreign addresses, and code from strings", () =>
    Effect.gen(function*() {
      const { headers } = yield* receive("/panel")
      const policy = headers["content-security-policy"] ?? ""
      for (const rule of ["default-src 'none'", "script-src 'self';", "style-src 'self';", "trusted-types 'none'"]) {
        assert.include(policy, rule)
      }
      assert.include(policy, "frame-ancestors 'none'")
      assert.notMatch(policy, /https?:|\*|unsafe/)
      assert.strictEqual(headers["referrer-policy"], "no-referrer")
      assert.strictEqual(headers["x-content-type-options"], "nosniff")
    }))

  it.effect("is the same for every path below, and sent once", () =>
    Effect.gen(function*() {
      const { body, headers } = yield* receive("/panel")
      for (const path of ["/panel/", "/panel/instances/7/network", "/panel/sign-in?x=1"]) {
        assert.deepStrictEqual((yield* receive(path)).body, body, path)
      }
      const again = yield* receive("/panel/order", { "if-none-match": headers.etag! })
      assert.deepStrictEqual([again.status, again.body.length], [304, 0])
    }))

  it.effect("has files that a browser keeps, in the best coding that it takes", () =>
    Effect.gen(function*() {
      const path = (yield* firstLoad).paths.find((one) => one.endsWith(".js"))!
      const plain = yield* receive(path)
      const brotli = yield* receive(path, { "accept-encoding": "gzip, br" })
      assert.strictEqual(brotli.headers["content-encoding"], "br")
      assert.deepStrictEqual(brotliDecompressSync(brotli.body), plain.body)
      assert.strictEqual(plain.headers["cache-control"], "public, max-age=31536000, immutable")
      assert.strictEqual(plain.headers["content-type"], "text/javascript; charset=utf-8")
    }))
})

describe("the built package", () => {
  const FILES = fileURLToPath(new URL("../../service/dist/panel/files", import.meta.url))
  /** Every name in the folder, as an asset and as a path of the panel, and paths of screens. */
  const paths = () => [
    ...readdirSync(FILES).flatMap((name) => [`/panel/assets/${name}`, `/panel/${name}`]),
    ...["", "/", "/assets", "/assets/", "/assets/%69ndex.html", "/assets//index.html", "/order"]
      .map((path) => `/panel${path}`)
  ]
  it("sends every page with its policy and never for a year, and only files that are named by content", async () => {
    const service = await startService("--emulator")
    try {
      const pages: Array<string> = []
      for (const path of paths()) {
        const { body, headers, status } = await Effect.runPromise(received(service, path))
        const type = headers["content-type"] ?? ""
        const named = /^\/panel\/assets\/[\w-]+\.[A-Z\d]{8}\.(?:css|js|svg)$/.test(path)
        assert.strictEqual(headers["cache-control"]?.includes("immutable") === true, named, path)
        if (path.startsWith("/panel/assets/") && !named) assert.strictEqual(status, 404, path)
        if (!type.includes("html") && !body.includes("<html")) continue
        pages.push(path)
        assert.match(String(headers["content-security-policy"]), /script-src 'self';.*frame-ancestors 'none'/, path)
        assert.strictEqual(headers["cache-control"], "no-cache", path)
      }
      assert.includeMembers(pages, ["/panel", "/panel/", "/panel/order", "/panel/index.html"])
    } finally {
      await service.end()
    }
  })
})

it("names the source of the console's library, as its license requires", () => {
  const notices = readFileSync(new URL("../../service/THIRD_PARTY_NOTICES.txt", import.meta.url), "utf8")
  assert.match(notices, /^@novnc\/novnc [\d.]+ \(MPL-2\.0\)\nSource code: https:\/\/registry\.npmjs\.org\/@novnc\//m)
})

layer(App.layer, { excludeTestServices: true })("other paths", (it) => {
  describe("are not found", () => {
    it.effect.each([
      "/panel/assets/index.html",
      "/panel/assets/index.html.br",
      "/panel/assets/panel.AAAAAAAA.js",
      "/panel/assets/..%2findex.html",
      "/panel/assets/index.html.gz/..",
      "/panel/api/nothing",
      "/panel/%61pi/session",
      "/panels",
      "/panel/instances/"
    ])("%s", (path) =>
      Effect.gen(function*() {
        const { body, headers, status } = yield* receive(path)
        assert.strictEqual(status, 404)
        assert.include(headers["content-type"], "application/json")
        assert.property(JSON.parse(body.toString()), "detail")
      }))
  })
})
