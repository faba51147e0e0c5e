/** Responses outside of handlers have the common shape. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { startApp, type TestApp } from "../support/app.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

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
        const answer = yield* (yield* App).api({ path: "/whoami", headers })
        assert.notStrictEqual(answer.headers.get("x-request-id"), "a b")
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
        assert.strictEqual(document.openapi, "3.1.0")
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
