/** Rules for all 30 endpoints of the specification: scopes, ownership, ids and busy instances. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Layer from "effect/Layer"
import { Api } from "#contract/Api"
import { RequiredScope } from "#contract/Scope"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { ENDPOINTS, ONE } from "../support/specEndpoints.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

const OF_INSTANCES = ENDPOINTS.filter(([, path]) => path.startsWith(ONE))
const WITH_IDS = ENDPOINTS.filter(([, path]) => path.includes(":"))

/** Endpoints that change an instance, except those whose snapshot or backup is checked first. */
const CHANGES = OF_INSTANCES.filter(([, path, scope]) => scope === "vps:write" && !/:snap_id|:backup_id/.test(path))

const filled = (path: string, id: number | string): string =>
  path.replace(":instance_id", String(id)).replace(/:\w+/, "1").replace(/\/$/, "")

const bought = (app: TestApp) =>
  Effect.gen(function*() {
    const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
    yield* deployed(app, body.id)
    return body.id as number
  })

describe("the table of the specification", () => {
  it("names exactly the endpoints of the contract, and the scope of each", () => {
    const found: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint: { annotations, method, path } }) =>
        void found.push(`${method} ${path.replace("/api/v1", "") || "/"} ${Context.get(annotations, RequiredScope)}`)
    })
    assert.sameMembers(found, ENDPOINTS.map(([method, path, scope]) => `${method} ${path} ${scope}`))
    assert.lengthOf(ENDPOINTS, 30)
  })
})

layer(App.layer, { excludeTestServices: true })("every endpoint", (test) => {
  test.effect.each(OF_INSTANCES)(
    "%s %s of another account is 404, like a missing instance",
    ([method, path, , body]) =>
      Effect.gen(function*() {
        const app = yield* App
        const { body: other } = yield* app.control("POST", "/accounts", { email: "other@example.test", wallet: 0 })
        for (const id of [yield* bought(app), 999, 0, "99999999999999999999"]) {
          const answer = yield* app.api({ method, path: filled(path, id), body, key: other.api_key })
          assert.strictEqual(answer.status, 404)
          assert.deepStrictEqual(answer.body, { detail: "Instance not found." })
        }
      })
  )

  test.effect.each(ENDPOINTS)(
    "%s %s?dryrun=true is 422, and changes nothing",
    ([method, path, , body]) =>
      Effect.gen(function*() {
        const app = yield* App
        const counted = Effect.map(app.api({ path: "/instances" }), (answer) => answer.body.length)
        const before = yield* counted
        const answer = yield* app.api({ method, path: `${filled(path, 1)}?dryrun=true`, body })
        assert.strictEqual(answer.status, 422)
        const msg = "Extra inputs are not permitted"
        assert.deepStrictEqual(answer.body.detail, [{ loc: ["query", "dryrun"], msg, type: "extra_forbidden" }])
        assert.strictEqual(yield* counted, before)
      })
  )

  test.effect("an API key as the name of a query parameter is not repeated in the answer", () =>
    Effect.gen(function*() {
      const app = yield* App
      const { body, status } = yield* app.api({ path: `/instances?${app.key}&limit=1` })
      assert.strictEqual(status, 422)
      assert.notInclude(JSON.stringify(body), app.key)
      assert.deepStrictEqual(body.detail[0].loc, ["query", "vps_live_REDACTED"])
    }))

  test.effect.each(WITH_IDS)(
    "%s %s with a malformed id is 422",
    ([method, path, , body]) =>
      Effect.gen(function*() {
        const app = yield* App
        const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!)
        const answer = yield* app.api({ method, path: path.replace(/:\w+/g, "x1"), body })
        assert.strictEqual(answer.status, 422)
        const locations = answer.body.detail.map(({ loc }: { readonly loc: ReadonlyArray<string> }) => loc.join("."))
        assert.deepStrictEqual(locations, names.map((name) => `path.${name}`))
      })
  )
})

layer(App.layer, { excludeTestServices: true })("a busy instance", (test) => {
  test.effect("returns 409 with Retry-After to all changes, and allows reads", () =>
    Effect.gen(function*() {
      const app = yield* App
      const id = yield* bought(app)
      yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1_000 })
      yield* app.control("POST", "/clock", { freeze: true })
      const restart = yield* app.api({ method: "POST", path: `/instances/${id}/restart` })
      assert.strictEqual(restart.status, 200)
      for (const [method, path, , body] of CHANGES) {
        const { body: shown } = yield* app.api({ path: `/instances/${id}` })
        const sent = path.endsWith("/rdns") ? { ip: shown.ipv4, ptr: "x" } : body
        const answer = yield* app.api({ method, path: filled(path, id), body: sent })
        assert.strictEqual(answer.status, 409, `${method} ${path}`)
        const detail = "The server is busy with another task (restart); retry shortly."
        assert.deepStrictEqual(answer.body, { detail }, path)
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
      for (const [method, path, scope] of OF_INSTANCES.filter(([, , needed]) => needed === "vps:read")) {
        assert.strictEqual(scope, "vps:read")
        assert.strictEqual((yield* app.api({ method, path: filled(path, id) })).status, 200, path)
      }
    }))
})
