/** The emulator's first accounts, its keys, and saved states. */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { isWellFormed } from "#service/auth/ApiKeyToken"
import { make as makeLog } from "#service/emulator/RequestLog"
import { SEED_KEY } from "#service/emulator/Seed"
import { verify } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { Catalogue } from "#service/persistence/Catalogue"
import { Coupons } from "#service/persistence/Coupons"
import { Isos } from "#service/persistence/Isos"
import { Secret } from "#service/config/Secret"
import { startApp, type TestApp } from "../support/app.ts"
import { coreLayer } from "../support/service.ts"
import { temporaryFolder } from "../support/temporary.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

describe("the seed", () => {
  it.effect("has account 1 with 1000.00 EUR, domestic at 19 %, and its fixed key", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* (yield* Accounts).find(1), {
        id: 1,
        email: "owner@example.test",
        name: null,
        currency: "EUR",
        vat: { treatment: "domestic", rate: 1900 },
        wallet: 100_000,
        closedAt: null,
        frozenReason: null,
        creates: { perMinute: null, perHour: null, minuteArrival: 0, hourArrival: 0 }
      })
      assert.isTrue(isWellFormed(SEED_KEY))
      const key = yield* (yield* ApiKeys).findByDigest((yield* Secret).digest(SEED_KEY))
      assert.deepInclude(key, { id: 1, accountId: 1, expiresAt: null, revokedAt: null })
      assert.deepStrictEqual(key!.scopes, ["vps:create"])
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("has the ISOs", () =>
    Effect.gen(function*() {
      const library = yield* (yield* Isos).list
      assert.deepStrictEqual(library.map(({ fileName, id, name }) => [id, name, fileName]), [
        [1, "rescue", "rescue.iso"],
        [2, "debian-netinst", "debian-netinst.iso"]
      ])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("has the plans", () =>
    Effect.gen(function*() {
      const catalogue = yield* Catalogue
      const plans = yield* Effect.forEach([1, 2, 3, 4, 5, 6, 7], (id) => catalogue.plan(id))
      assert.deepStrictEqual(
        plans.map((plan) => [plan!.id, plan!.slug, plan!.price, plan!.category, plan!.dataCenterId, plan!.isActive]),
        [
          [1, "vps-s", 499, "vps", 1, true],
          [2, "vps-m", 999, "vps", 1, true],
          [3, "vps-l", 1999, "vps", 1, true],
          [4, "vps-m-hel", 949, "vps", 2, true],
          [5, "ded-1", 5900, "dedicated", 1, true],
          [6, "vps-old", 399, "vps", 1, false],
          [7, "web-1", 299, "hosting", 1, true]
        ]
      )
      const common = { currency: "EUR", billingCycle: "monthly", outOfStock: false, autoDeploy: true }
      for (const plan of plans) assert.deepInclude(plan, common)
      assert.deepStrictEqual((yield* catalogue.forSale).map(({ id }) => id), [1, 2, 3, 4, 5])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("offers Windows in Frankfurt only, and Debian 12 by default", () =>
    Effect.gen(function*() {
      const catalogue = yield* Catalogue
      const slugs = (id: number) => Effect.map(catalogue.images(id), (images) => images.map(({ slug }) => slug))
      const everywhere = ["debian-12", "debian-13", "ubuntu-24.04", "alma-9", "freebsd-14"]
      assert.deepStrictEqual(yield* slugs(1), [...everywhere, "windows-2022"])
      assert.deepStrictEqual(yield* slugs(2), everywhere)
      for (const [id, label, planId] of [[1, "Frankfurt", 1], [2, "Helsinki", 4]] as const) {
        assert.strictEqual((yield* catalogue.imageOf(planId, null))!.slug, "debian-12")
        assert.strictEqual((yield* catalogue.dataCenter(id))!.label, label)
      }
    }).pipe(Effect.provide(coreLayer())))

  it.effect("has the coupons", () =>
    Effect.gen(function*() {
      const { find } = yield* Coupons
      const found = yield* Effect.forEach(["WELCOME10", "MINUS5", "EXPIRED", "LIMITED"], find)
      assert.deepStrictEqual(
        found.map((c) => [c!.kind, c!.value, c!.currency, c!.maxUses, c!.oncePerAccount, c!.validUntil]),
        [
          ["percent", 1_000, null, null, false, null],
          ["fixed", 500, "EUR", null, true, null],
          ["percent", 1_000, null, null, false, 0],
          ["percent", 1_000, null, 3, false, null]
        ]
      )
    }).pipe(Effect.provide(coreLayer())))

  it.live("is not applied twice: earlier changes survive a restart", () =>
    Effect.gen(function*() {
      const flags = ["--database", `${yield* temporaryFolder}/emulator.db`]
      const filled = (app: TestApp) => app.control("POST", "/wallet", { amount: 1 })
      yield* Effect.scoped(Effect.flatMap(startApp(flags), filled))
      const { body } = yield* filled(yield* startApp(flags))
      assert.deepStrictEqual(body, { balance: 1002 })
    }).pipe(Effect.scoped))
})

describe("the request log", () => {
  const answered = (url: string) => ({ method: "GET", url, status: 200, idempotencyKey: undefined, replayed: false })

  it.effect("keeps the last of them, oldest first", () =>
    Effect.gen(function*() {
      const log = makeLog(3)
      for (const url of ["/1", "/2"]) log.record(answered(url))
      assert.deepStrictEqual((yield* log.requests).map(({ path }) => path), ["/1", "/2"])
      for (const url of ["/3", "/4", "/5"]) log.record(answered(url))
      assert.deepStrictEqual((yield* log.requests).map(({ path }) => path), ["/3", "/4", "/5"])
      yield* log.clear
      log.record(answered("/6?a=b?c"))
      assert.deepInclude((yield* log.requests)[0], { path: "/6", query: "a=b?c" })
    }))

  it.live("holds 1,000 of them in an emulator", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const numbers = Array.from({ length: 1_001 }, (_, number) => number)
      yield* Effect.forEach(numbers, (number) => app.api({ path: `/services?n=${number}` }), { discard: true })
      const { body } = yield* app.control("GET", "/requests")
      const queries = body.map(({ query }: { readonly query: string }) => query)
      assert.deepStrictEqual(queries, numbers.slice(1).map((number) => `n=${number}`))
    }))

  it.effect("does not record the controls, and hides idempotency keys, quoted or not", () =>
    Effect.gen(function*() {
      const log = makeLog(3)
      log.record(answered("/_emulator/requests"))
      log.record({ ...answered("/a"), idempotencyKey: "k" })
      log.record({ ...answered("/b"), idempotencyKey: "\"k\"" })
      const [first, second] = yield* log.requests
      assert.strictEqual(first!.path, "/a")
      assert.strictEqual(first!.idempotency_key_sha256, second!.idempotency_key_sha256)
      assert.notInclude(JSON.stringify(first), "\"k\"")
    }))
})

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

const { KEY_LAST_USED_MILLIS } = DEFAULT_LIMITS

const whoami = (app: TestApp, key: string) => app.api({ path: "/whoami", key })
const mint = (app: TestApp, body: object) => Effect.map(app.control("POST", "/keys", body), (answer) => answer.body)

describe("a key", () => {
  it.live("is made with its scopes and its end, for the seeded account by default", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const until = "2100-01-01T00:00:00.000Z"
      const made = yield* app.control("POST", "/keys", { scopes: ["vps:read", "vps:write"], expires_at: until })
      assert.strictEqual(made.status, 201)
      assert.hasAllKeys(made.body, ["id", "api_key"])
      const { body } = yield* whoami(app, made.body.api_key)
      assert.deepInclude(body, { account_id: 1 })
      assert.deepInclude(body.key, { id: made.body.id, scopes: ["vps:read", "vps:write"], expires_at: until })
    }))

  it.live("that is revoked opens nothing from that moment on, and says so", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { api_key: key, id } = yield* mint(app, { scopes: ["vps:read"] })
      assert.strictEqual((yield* whoami(app, key)).status, 200)
      assert.strictEqual((yield* app.control("DELETE", `/keys/${id}`)).status, 200)
      const { body, headers, status } = yield* whoami(app, key)
      assert.deepStrictEqual([status, body.detail], [401, "The API key has been revoked. Create a new one."])
      assert.include(headers.get("www-authenticate"), "error=\"invalid_token\"")
      assert.strictEqual((yield* app.control("DELETE", `/keys/${id}`)).status, 404)
      assert.strictEqual((yield* whoami(app, app.key)).status, 200)
    }))

  it.live("says when it was last used, to the minute", () =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body: clock } = yield* app.control("POST", "/clock", { freeze: true })
      const lastUse = (key: string) =>
        Effect.map(whoami(app, key), ({ body }) => body.key.last_used_at as string | null)
      const { api_key: key } = yield* mint(app, { scopes: ["vps:read"] })
      yield* whoami(app, key)
      yield* app.control("POST", "/clock", { advance_ms: 0 })
      assert.strictEqual(yield* lastUse(key), clock.now)
      yield* app.control("POST", "/clock", { advance_ms: KEY_LAST_USED_MILLIS - 1 })
      yield* app.control("POST", "/keys", { scopes: ["vps:read"] })
      assert.strictEqual(yield* lastUse(key), clock.now)
    }))

  it.live.each([
    [{ scopes: [] }, ["body", "scopes"], "too_short"],
    [{ scopes: ["vps:all"] }, ["body", "scopes", 0], "literal_error"],
    [{}, ["body", "scopes"], "missing"],
    [{ scopes: ["vps:read"], expires_at: "tomorrow" }, ["body", "expires_at"], "datetime_parsing"],
    [{ scopes: ["vps:read"], expires_at: "2026-13-01T00:00:00Z" }, ["body", "expires_at"], "datetime_parsing"]
  ])("%j is refused", ([sent, loc, type]) =>
    Effect.gen(function*() {
      const app = yield* startApp()
      const { body, status } = yield* app.control("POST", "/keys", sent)
      assert.strictEqual(status, 422)
      assert.deepStrictEqual([body.detail[0].loc, body.detail[0].type], [loc, type])
    }))

  it.live.each(["x", "0", "99", "9".repeat(30), "-1"])(
    "revoking %s, which does not exist, is 404",
    (id) =>
      Effect.gen(function*() {
        const app = yield* startApp()
        assert.strictEqual((yield* app.control("DELETE", `/keys/${id}`)).status, 404)
      })
  )
})
