/** Named states: everything is saved, and everything comes back. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { startApp, type TestApp } from "../support/app.ts"
import { temporaryFolder } from "../support/temporary.ts"

const create = (app: TestApp, headers: Record<string, string> = {}) =>
  app.api({
    method: "POST",
    path: "/instances",
    body: { service_id: 1 },
    headers: { "x-request-id": "r-1", ...headers }
  })
const save = (app: TestApp, name: string) => app.control("POST", `/states/${name}`)
const restore = (app: TestApp, name: string) => app.control("POST", `/states/${name}/restore`)
const advance = (app: TestApp, millis: number) => app.control("POST", "/clock", { advance_ms: millis })

/** A resumed task polls the driver at once, so its progress is more recent. */
const withoutProgress = (body: unknown) => {
  const text = JSON.stringify(body, (key, value: unknown) => key === "progress" ? undefined : value)
  return JSON.parse(text)
}

/** Everything that is visible through the API. */
const view = (app: TestApp) =>
  Effect.gen(function*() {
    const all = [
      yield* app.api({ path: "/instances" }),
      yield* app.api({ method: "POST", path: "/instances?dry_run=true", body: { service_id: 1 } }),
      yield* app.control("GET", "/ledger"),
      yield* app.control("GET", "/tasks"),
      yield* app.control("GET", "/faults"),
      yield* app.control("POST", "/clock", { advance_ms: 0 })
    ]
    return all.map(({ body }) => withoutProgress(body))
  })

/** A frozen emulator in the middle of things: one server runs, one is being built, one rule waits. */
const busy = Effect.fnUntraced(function*(flags: ReadonlyArray<string> = []) {
  const app = yield* startApp(flags)
  yield* app.control("POST", "/clock", { freeze: true })
  yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 1_000 })
  yield* create(app, { "idempotency-key": "k1" })
  yield* advance(app, 5_000)
  yield* create(app)
  yield* advance(app, 400)
  yield* app.control("POST", "/faults", { operation: "services.list", status: 500, count: 3 })
  yield* app.api({ path: "/services" })
  return app
})

/** Leaves nothing as it was. */
const havoc = Effect.fnUntraced(function*(app: TestApp) {
  yield* advance(app, 40 * 86_400_000)
  yield* app.control("POST", "/clock", { freeze: false })
  yield* app.control("PUT", "/deploy", { mode: "instant" })
  yield* app.control("DELETE", "/faults")
  yield* app.control("POST", "/wallet", { amount: 7 })
  yield* Effect.all([create(app), create(app), create(app)])
  yield* app.api({ method: "POST", path: "/instances/1/stop" })
})

describe("a saved state", () => {
  it.live("comes back whole: servers, money, tasks, rules, clock", () =>
    Effect.gen(function*() {
      const app = yield* busy()
      const before = yield* view(app)
      const saved = yield* save(app, "busy")
      assert.strictEqual(saved.status, 201)
      assert.deepStrictEqual(saved.body, { name: "busy", saved_at: before.at(-1).now })
      yield* havoc(app)
      const restored = yield* restore(app, "busy")
      assert.deepStrictEqual([restored.status, restored.body.ok], [200, true])
      assert.deepStrictEqual(yield* view(app), before)
    }))

  it.live("continues identically every time: with the same times and IDs", () =>
    Effect.gen(function*() {
      const app = yield* busy()
      yield* save(app, "busy")
      const goOn = Effect.gen(function*() {
        yield* advance(app, 599)
        const half = yield* view(app)
        yield* advance(app, 1)
        yield* create(app)
        yield* advance(app, 3_000)
        return [half, yield* view(app), (yield* create(app, { "idempotency-key": "k1" })).body.id]
      })
      const first = yield* goOn
      assert.strictEqual(first[2], 1)
      yield* havoc(app)
      yield* restore(app, "busy")
      assert.deepStrictEqual(yield* goOn, first)
      yield* restore(app, "busy")
      assert.deepStrictEqual(yield* goOn, first)
    }))

  it.live("knows its keys and no others", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body: old } = yield* app.control("POST", "/keys", { scopes: ["vps:read"] })
      yield* save(app, "one-key")
      const { body: young } = yield* app.control("POST", "/keys", { scopes: ["vps:read"] })
      yield* app.control("DELETE", `/keys/${old.id}`)
      yield* restore(app, "one-key")
      const look = (key: string) => Effect.map(app.api({ path: "/instances", key }), ({ status }) => status)
      assert.deepStrictEqual([yield* look(old.api_key), yield* look(young.api_key)], [200, 401])
    }))

  it.live("outlives a reset and a restart; the newest of a name counts", () =>
    Effect.gen(function*() {
      const flags = ["--database", `${yield* temporaryFolder}/emulator.db`]
      const before = yield* Effect.scoped(Effect.gen(function*() {
        const app = yield* busy(flags)
        yield* save(app, "fixture")
        yield* create(app)
        yield* save(app, "fixture")
        yield* save(app, "a.second-one_2")
        const seen = yield* view(app)
        yield* app.control("POST", "/reset")
        assert.deepStrictEqual((yield* app.api({ path: "/instances" })).body, [])
        return seen
      }))
      const app = yield* startApp(flags)
      const { body: states } = yield* app.control("GET", "/states")
      assert.deepStrictEqual(states.map(({ name }: { name: string }) => name), ["a.second-one_2", "fixture"])
      yield* restore(app, "fixture")
      assert.deepStrictEqual(yield* view(app), before)
    }))

  it.live("in the middle of work leaves the books balanced, and nothing of the other state", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      yield* app.control("PUT", "/deploy", { mode: "after_ms", value: 5 })
      yield* save(app, "empty")
      const creates = Array.from({ length: 20 }, () => create(app))
      for (let round = 0; round < 3; round++) {
        yield* Effect.all([...creates, restore(app, "empty"), ...creates], { concurrency: "unbounded" })
      }
      yield* restore(app, "empty")
      const { body: ledger } = yield* app.control("GET", "/ledger")
      assert.deepStrictEqual([ledger.balanced, ledger.journals.length], [true, 1])
      assert.strictEqual((yield* create(app)).body.id, 1)
    }))

  it.live("that was not saved is 404; so is an invalid name", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      assert.deepStrictEqual((yield* app.control("GET", "/states")).body, [])
      assert.strictEqual((yield* restore(app, "nothing")).status, 404)
      assert.strictEqual((yield* save(app, "a%20b")).status, 404)
      assert.strictEqual((yield* save(app, "x".repeat(65))).status, 404)
    }))
})
