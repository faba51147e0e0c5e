/**
 * Access control: every endpoint of the contract with every kind of key. Both axes derive from the contract, so new
 * endpoints and scopes are covered at once; `test/http/everyEndpoint.test.ts` checks the scopes themselves against the
 * table of the specification.
 */
import { assert, describe, it, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { openApiDocument } from "#contract/openapi/OpenApiDocument"
import { effectiveScopes, type Scope, SCOPES } from "#contract/Scope"
import { tokenOf } from "#service/auth/ApiKeyToken"
import { type Answer, deployed, startApp, type TestApp } from "../support/app.ts"
import { type Endpoint, ENDPOINTS, fill } from "../support/endpoints.ts"

const DAY_MILLIS = 24 * 60 * 60_000
const REALM = "Bearer realm=\"vps\""
const HOSTNAME = "canary-host.example.test"

interface World {
  readonly app: TestApp
  /** The ids of an instance, and of a snapshot and a backup of it. */
  readonly ids: Readonly<Record<string, number>>
  readonly scoped: Readonly<Record<Scope, string>>
  readonly revoked: string
  readonly expired: string
  /** The key of an account that owns nothing. */
  readonly stranger: string
  /** Texts that another account must never receive. */
  readonly secrets: ReadonlyArray<string>
}

const keyOf = (app: TestApp, scopes: ReadonlyArray<Scope>, more: object = {}) =>
  Effect.map(app.control("POST", "/keys", { scopes, ...more }), ({ body }) => body as { id: number; api_key: string })

/** An instance that has one of everything. */
const furnished = Effect.fnUntraced(function*(app: TestApp) {
  const { body } = yield* app.api({ method: "POST", path: "/instances", body: { service_id: 1, hostname: HOSTNAME } })
  yield* deployed(app, body.id)
  const at = `/instances/${body.id}`
  yield* app.api({ method: "POST", path: `${at}/snapshots`, body: { name: "canary-snapshot" } })
  // The clock passes a night, and with it a backup; what was begun is done when it answers.
  yield* app.control("POST", "/clock", { advance_ms: 2 * DAY_MILLIS })
  const [snapshots, backups] = yield* Effect.all([
    app.api({ path: `${at}/snapshots` }),
    app.api({ path: `${at}/backups` })
  ])
  const instance = (yield* app.api({ path: at })).body
  const ids = { instance_id: body.id, snap_id: snapshots.body[0].id, backup_id: backups.body[0].id, service_id: 1 }
  return { ids, secrets: [HOSTNAME, instance.provider_id, instance.ipv4, "owner@example.test", "canary-snapshot"] }
})

const makeWorld = Effect.gen(function*() {
  const app = yield* startApp()
  const { ids, secrets } = yield* furnished(app)
  const scoped = {} as Record<Scope, string>
  for (const scope of SCOPES) scoped[scope] = (yield* keyOf(app, [scope])).api_key
  const revoked = yield* keyOf(app, ["vps:create"])
  yield* app.control("DELETE", `/keys/${revoked.id}`)
  const expired = yield* keyOf(app, ["vps:create"], { expires_at: "2020-01-01T00:00:00Z" })
  const stranger = (yield* app.control("POST", "/accounts", { email: "b@example.test", wallet: 0 })).body.api_key
  return { app, ids, scoped, revoked: revoked.api_key, expired: expired.api_key, stranger, secrets }
})

class TheWorld extends Context.Service<TheWorld, World>()("test/TheWorld") {
  static readonly layer = Layer.effect(TheWorld, makeWorld)
}

const idsOf = ({ path }: Endpoint, ids: World["ids"]): ReadonlyArray<number> =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ids[name!]!)

const ask = ({ app, ids }: World, endpoint: Endpoint, key: string, headers: Record<string, string> = {}) =>
  app.api({ method: endpoint.method, path: fill(endpoint, ...idsOf(endpoint, ids)), body: endpoint.body, key, headers })

/** The whole state of an account, to verify that a rejected request has no effect. */
const stateOf = Effect.fnUntraced(function*({ app, ids }: World) {
  const ledger = (yield* app.control("GET", "/ledger")).body
  const tasks = (yield* app.control("GET", "/tasks")).body
  const at = `/instances/${ids["instance_id"]}`
  const reads = ["/instances", `${at}/snapshots`, `${at}/backups`, `${at}/isos`]
  const shown = yield* Effect.forEach(reads, (path) => Effect.map(app.api({ path }), ({ body }) => body))
  return { ledger, tasks, shown }
})

const onlyDetail = (answer: Answer, detail: string) => assert.deepStrictEqual(answer.body, { detail })

const invalidToken = (words: string) => `${REALM}, error="invalid_token", error_description="${words}"`

const INVALID = "The API key is invalid."

/** Invalid keys with their error messages. */
const USELESS: ReadonlyArray<readonly [name: string, key: (world: World) => string, words: string]> = [
  ["garbage", () => "garbage", INVALID],
  ["a key of the right form whose checksum is wrong", () => `${tokenOf("A".repeat(32)).slice(0, -1)}_`, INVALID],
  ["a well-formed key that nobody has", () => tokenOf("B".repeat(32)), INVALID],
  ["a key with a blank behind it", ({ scoped }) => `${scoped["vps:create"]} x`, INVALID],
  ["a very long key", () => `vps_live_${"a".repeat(4_000)}`, INVALID],
  ["a revoked key", ({ revoked }) => revoked, "The API key has been revoked. Create a new one."],
  ["an expired key", ({ expired }) => expired, "The API key has expired. Create a new one."]
]

describe("the matrix", () => {
  it("has every endpoint, each with a valid body", () => {
    const described = Object.values(openApiDocument().paths).flatMap((item) => Object.values(item)) as ReadonlyArray<
      { readonly operationId: string; readonly requestBody?: object }
    >
    assert.sameMembers(ENDPOINTS.map(({ id }) => id), described.map(({ operationId }) => operationId))
    const taking = described.filter(({ requestBody }) => requestBody !== undefined).map(({ operationId }) =>
      operationId
    )
    assert.sameMembers(ENDPOINTS.filter(({ body }) => body !== undefined).map(({ id }) => id), taking)
  })
})

layer(TheWorld.layer, { excludeTestServices: true })("a rejection", (test) => {
  describe.each(ENDPOINTS)("by $id", (endpoint) => {
    test.effect("of a request without a key is a challenge without an error, and has no effect", () =>
      Effect.gen(function*() {
        const world = yield* TheWorld
        const before = yield* stateOf(world)
        for (
          const authorization of [
            "",
            "Basic eDp5",
            "OtherBearer eDp5",
            "Bearer",
            "Bearer ",
            world.stranger,
            `Token ${world.stranger}`
          ]
        ) {
          const answer = yield* ask(world, endpoint, "", authorization === "" ? {} : { authorization })
          assert.strictEqual(answer.status, 401, authorization)
          assert.strictEqual(answer.headers.get("www-authenticate"), REALM)
          onlyDetail(answer, "An API key is required. Send it as `Authorization: Bearer <key>`.")
        }
        assert.deepStrictEqual(yield* stateOf(world), before)
      }))

    test.effect("of an unusable key is invalid_token, and has no effect", () =>
      Effect.gen(function*() {
        const world = yield* TheWorld
        const before = yield* stateOf(world)
        for (const [name, key, words] of USELESS) {
          const answer = yield* ask(world, endpoint, key(world), { "idempotency-key": "matrix" })
          assert.strictEqual(answer.status, 401, name)
          assert.strictEqual(answer.headers.get("www-authenticate"), invalidToken(words))
          onlyDetail(answer, words)
        }
        assert.deepStrictEqual(yield* stateOf(world), before)
      }))

    const lacking = SCOPES.filter((scope) =>
      endpoint.scope !== undefined && !effectiveScopes([scope]).includes(endpoint.scope)
    )

    test.effect("of a scope that is too narrow names the missing one, and has no effect", () =>
      Effect.gen(function*() {
        const world = yield* TheWorld
        const before = yield* stateOf(world)
        for (const scope of lacking) {
          const answer = yield* ask(world, endpoint, world.scoped[scope])
          assert.strictEqual(answer.status, 403, scope)
          const challenge = `${REALM}, error="insufficient_scope", scope="${endpoint.scope}"`
          assert.strictEqual(answer.headers.get("www-authenticate"), challenge)
          onlyDetail(answer, `The API key lacks the scope ${endpoint.scope}.`)
        }
        assert.deepStrictEqual(yield* stateOf(world), before)
      }))

    test.effect("of another account is 404 as for a missing resource, reveals no data and has no effect", () =>
      Effect.gen(function*() {
        const world = yield* TheWorld
        const before = yield* stateOf(world)
        const answer = yield* ask(world, endpoint, world.stranger)
        if (endpoint.path.includes("{instance_id}")) {
          for (const id of [world.ids["instance_id"]!, 999, 0, "99999999999999999999"]) {
            const request = { method: endpoint.method, path: fill(endpoint, id), body: endpoint.body }
            const missing = yield* world.app.api({ ...request, key: world.stranger })
            assert.strictEqual(missing.status, 404, `${id}`)
            onlyDetail(missing, "Instance not found.")
          }
        } else assert.include([200, 402, 422], answer.status)
        const told = JSON.stringify([answer.body, [...answer.headers]])
        for (const secret of world.secrets) assert.notInclude(told, secret)
        assert.deepStrictEqual(yield* stateOf(world), before)
      }))
  })
})

layer(TheWorld.layer, { excludeTestServices: true })("a sufficient key", (test) => {
  test.effect.each(ENDPOINTS)("is accepted by $id, without a wider scope", (endpoint) =>
    Effect.gen(function*() {
      const world = yield* TheWorld
      let isDeleted = false
      for (const scope of SCOPES) {
        if (endpoint.scope !== undefined && !effectiveScopes([scope]).includes(endpoint.scope)) continue
        const answer = yield* ask(world, endpoint, world.scoped[scope])
        // Accepted, or refused by the state of the instance, whose snapshot the first of these scopes deletes.
        if (isDeleted && answer.status === 404) onlyDetail(answer, "Snapshot not found.")
        else assert.include([200, 201, 409, 422], answer.status, scope)
        isDeleted ||= endpoint.id === "snapshots.delete" && answer.status === 200
      }
    }))

  test.effect("is accepted by exactly the endpoints of its scope", () =>
    Effect.gen(function*() {
      const world = yield* TheWorld
      for (const scope of SCOPES) {
        const open = yield* Effect.filter(ENDPOINTS, (endpoint) =>
          Effect.map(ask(world, endpoint, world.scoped[scope]), ({ status }) => status !== 403))
        const allowed = ENDPOINTS.filter((one) =>
          one.scope === undefined || effectiveScopes([scope]).includes(one.scope)
        )
        assert.sameMembers(open.map(({ id }) => id), allowed.map(({ id }) => id))
      }
    }))
})
