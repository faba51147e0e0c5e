/** The seed is exactly the documented one, and is only created in an empty database. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
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

describe("the seed", () => {
  it.effect("has account 1 with 1000.00 EUR, domestic at 19 %, and its fixed key", () =>
    Effect.gen(function*() {
      assert.deepStrictEqual(yield* (yield* Accounts).find(1), {
        id: 1,
        email: "owner@example.test",
        currency: "EUR",
        vat: { treatment: "domestic", rate: 1900 },
        wallet: 100_000,
        closedAt: null,
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
      for (const [id, label] of [[1, "Frankfurt"], [2, "Helsinki"]] as const) {
        assert.strictEqual((yield* catalogue.defaultImage(id))!.slug, "debian-12")
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
