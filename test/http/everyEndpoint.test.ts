/** Rules for all endpoints: their scopes, parameters and ids, and busy instances. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { deployed, startApp, type TestApp } from "../support/app.ts"
import { type Endpoint, ENDPOINTS, fill } from "../support/endpoints.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

/** As the specification has it, beside the contract from which all other tests derive what there is. */
const SPECIFIED = [
  "GET /",
  "GET /whoami",
  "GET /services",
  "GET /services/{service_id}/os-options",
  "GET /instances vps:read",
  "POST /instances vps:create",
  "GET /instances/{instance_id} vps:read",
  "GET /instances/{instance_id}/status vps:read",
  "GET /instances/{instance_id}/metrics vps:read",
  "GET /instances/{instance_id}/tasks vps:read",
  "GET /instances/{instance_id}/available-plans vps:read",
  "POST /instances/{instance_id}/start vps:write",
  "POST /instances/{instance_id}/stop vps:write",
  "POST /instances/{instance_id}/restart vps:write",
  "POST /instances/{instance_id}/reinstall vps:write",
  "POST /instances/{instance_id}/reset-password vps:write",
  "PATCH /instances/{instance_id}/hostname vps:write",
  "POST /instances/{instance_id}/rdns vps:write",
  "POST /instances/{instance_id}/resize vps:write",
  "GET /instances/{instance_id}/snapshots vps:read",
  "POST /instances/{instance_id}/snapshots vps:write",
  "POST /instances/{instance_id}/snapshots/{snap_id}/restore vps:write",
  "DELETE /instances/{instance_id}/snapshots/{snap_id} vps:write",
  "GET /instances/{instance_id}/backups vps:read",
  "POST /instances/{instance_id}/backups/{backup_id}/restore vps:write",
  "GET /instances/{instance_id}/isos vps:read",
  "POST /instances/{instance_id}/iso vps:write",
  "DELETE /instances/{instance_id}/iso vps:write",
  "POST /instances/{instance_id}/rescue vps:write",
  "DELETE /instances/{instance_id}/rescue vps:write"
]

const OF_INSTANCES = ENDPOINTS.filter(({ path }) => path.includes("{instance_id}"))
const WITH_IDS = ENDPOINTS.filter(({ path }) => path.includes("{"))

/** Endpoints that change an instance, except those whose snapshot or backup is checked first. */
const CHANGES = OF_INSTANCES.filter(({ path, scope }) => scope === "vps:write" && !/snap_id|backup_id/.test(path))

const sent = (endpoint: Endpoint, id: number | string) => ({
  method: endpoint.method,
  path: fill(endpoint, id),
  body: endpoint.body
})

const bought = (app: TestApp) =>
  Effect.gen(function*() {
    const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
    yield* deployed(app, body.id)
    return body.id as number
  })

describe("the table of the specification", () => {
  it("names exactly the endpoints of the contract, and the scope of each", () => {
    const found = ENDPOINTS.map(({ method, path, scope }) => `${method} ${path || "/"} ${scope ?? ""}`.trim())
    assert.sameMembers(found, SPECIFIED)
  })
})

layer(App.layer, { excludeTestServices: true })("every endpoint", (test) => {
  test.effect.each(ENDPOINTS)(
    "$id?dryrun=true is 422, and changes nothing",
    (endpoint) =>
      Effect.gen(function*() {
        const app = yield* App
        const counted = Effect.map(app.api({ path: "/instances" }), (answer) => answer.body.length)
        const before = yield* counted
        const answer = yield* app.api({ ...sent(endpoint, 1), path: `${fill(endpoint, 1)}?dryrun=true` })
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
    "$id with a malformed id is 422",
    (endpoint) =>
      Effect.gen(function*() {
        const app = yield* App
        const names = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
        const answer = yield* app.api(sent(endpoint, "x1"))
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
      const { body: shown } = yield* app.api({ path: `/instances/${id}` })
      for (const endpoint of CHANGES) {
        const own = endpoint.path.endsWith("/rdns") ? { body: { ip: shown.ipv4, ptr: "x" } } : {}
        const answer = yield* app.api({ ...sent(endpoint, id), ...own })
        assert.strictEqual(answer.status, 409, endpoint.id)
        const detail = "The server is busy with another task (restart); retry shortly."
        assert.deepStrictEqual(answer.body, { detail }, endpoint.id)
        assert.match(answer.headers.get("retry-after") ?? "", /^[1-9]\d*$/)
      }
      for (const endpoint of OF_INSTANCES.filter(({ scope }) => scope === "vps:read")) {
        assert.strictEqual((yield* app.api(sent(endpoint, id))).status, 200, endpoint.id)
      }
    }))
})
