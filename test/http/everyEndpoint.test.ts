/** What holds for all 30 endpoints, by the table of the specification: key, scope, owner, ids, busy instances. */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as HttpApi from "effect/http-api/HttpApi"
import * as Layer from "effect/Layer"
import { Api } from "#contract/Api"
import type { Scope } from "#contract/Scope"
import { createKey } from "#service/auth/Keys"
import { Transaction } from "#service/persistence/Transaction"
import { deployed, startApp, type TestApp } from "../support/app.ts"

class App extends Context.Service<App, TestApp>()("test/App") {
  static readonly layer = Layer.effect(App, startApp())
}

type Endpoint = readonly [method: string, path: string, scope: Scope | undefined, body?: unknown]

const ONE = "/instances/:instance_id"
const KEY = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ3xGMmVq1NjYHcFdvtdsPxqvLEUGRqWnvRDTYG3Cugd"

/** The table of the specification, each with a body that its form allows. */
const ENDPOINTS: ReadonlyArray<Endpoint> = [
  ["GET", "/", undefined],
  ["GET", "/whoami", undefined],
  ["GET", "/services", undefined],
  ["GET", "/services/:service_id/os-options", undefined],
  ["GET", "/instances", "vps:read"],
  ["POST", "/instances", "vps:create", { service_id: 99 }],
  ["GET", ONE, "vps:read"],
  ["GET", `${ONE}/status`, "vps:read"],
  ["GET", `${ONE}/metrics`, "vps:read"],
  ["GET", `${ONE}/tasks`, "vps:read"],
  ["GET", `${ONE}/available-plans`, "vps:read"],
  ["POST", `${ONE}/start`, "vps:write"],
  ["POST", `${ONE}/stop`, "vps:write"],
  ["POST", `${ONE}/restart`, "vps:write"],
  ["POST", `${ONE}/reinstall`, "vps:write", { os: "debian-12", ssh_pubkey: KEY }],
  ["POST", `${ONE}/reset-password`, "vps:write"],
  ["PATCH", `${ONE}/hostname`, "vps:write", { hostname: "x" }],
  ["POST", `${ONE}/rdns`, "vps:write", { ip: "192.0.2.1", ptr: "x" }],
  ["POST", `${ONE}/resize`, "vps:write", { service_id: 2 }],
  ["GET", `${ONE}/snapshots`, "vps:read"],
  ["POST", `${ONE}/snapshots`, "vps:write", { name: "one" }],
  ["POST", `${ONE}/snapshots/:snap_id/restore`, "vps:write"],
  ["DELETE", `${ONE}/snapshots/:snap_id`, "vps:write"],
  ["GET", `${ONE}/backups`, "vps:read"],
  ["POST", `${ONE}/backups/:backup_id/restore`, "vps:write"],
  ["GET", `${ONE}/isos`, "vps:read"],
  ["POST", `${ONE}/iso`, "vps:write", { iso_id: 1 }],
  ["DELETE", `${ONE}/iso`, "vps:write"],
  ["POST", `${ONE}/rescue`, "vps:write"],
  ["DELETE", `${ONE}/rescue`, "vps:write"]
]

const OF_INSTANCES = ENDPOINTS.filter(([, path]) => path.startsWith(ONE))
const WITH_IDS = ENDPOINTS.filter(([, path]) => path.includes(":"))

/** Whatever changes an instance; what is at the upstream already is in the way of some of them first. */
const CHANGES = OF_INSTANCES.filter(([, path, scope]) => scope === "vps:write" && !/:snap_id|:backup_id/.test(path))

const filled = (path: string, id: number | string): string =>
  path.replace(":instance_id", String(id)).replace(/:\w+/, "1").replace(/\/$/, "")

const keyWith = Effect.fnUntraced(function*(scopes: ReadonlyArray<Scope>) {
  const app = yield* App
  const mint = createKey({ accountId: 1, name: "test", scopes, expiresAt: null, at: 0 })
  return (yield* app.inside(Effect.flatMap(Transaction, ({ run }) => run(mint)))).token
})

const LOWER: Readonly<Record<Scope, ReadonlyArray<Scope>>> = {
  "vps:read": [],
  "vps:write": ["vps:read"],
  "vps:create": ["vps:write"]
}

const bought = (app: TestApp) =>
  Effect.gen(function*() {
    const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1 } })
    yield* deployed(app, body.id)
    return body.id as number
  })

describe("the table of the specification", () => {
  it("names exactly the endpoints of the contract", () => {
    const found: Array<string> = []
    HttpApi.reflect(Api, {
      onGroup: () => undefined,
      onEndpoint: ({ endpoint }) => void found.push(`${endpoint.method} ${endpoint.path.replace("/api/v1", "") || "/"}`)
    })
    assert.sameMembers(found, ENDPOINTS.map(([method, path]) => `${method} ${path}`))
    assert.lengthOf(ENDPOINTS, 30)
  })
})

layer(App.layer, { excludeTestServices: true })("every endpoint", (test) => {
  test.effect.each(ENDPOINTS)(
    "%s %s wants a key, and the scope %s",
    ([method, path, scope, body]) =>
      Effect.gen(function*() {
        const app = yield* App
        const request = { method, path: filled(path, 999), body }
        assert.strictEqual((yield* app.api({ ...request, key: "" })).status, 401)
        const key = yield* keyWith(scope === undefined ? [] : LOWER[scope])
        const answer = yield* app.api({ ...request, key })
        if (scope === undefined) return assert.strictEqual(answer.status, 200)
        assert.strictEqual(answer.status, 403)
        assert.strictEqual(answer.body.detail, `The API key lacks the scope ${scope}.`)
        const enough = yield* app.api({ ...request, key: yield* keyWith([scope]) })
        assert.include([200, 404], enough.status)
      })
  )

  test.effect.each(OF_INSTANCES)(
    "%s %s of another account is 404, as if it were not there",
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

  test.effect.each(WITH_IDS)(
    "%s %s with an id that is none is 422",
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
  test.effect("answers 409 with Retry-After to whatever would change it, and reads as ever", () =>
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
