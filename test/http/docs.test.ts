/** `/docs` and `/openapi.json`: whole without the internet, sent once, checked by the browser that has them. */
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { gunzipSync } from "node:zlib"
import { receive as received, startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

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
