/** Buying: once per key, never below zero, all or nothing. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { CreateInstance } from "#contract/Instance"
import { topUp, verify } from "#service/ledger/Ledger"
import { previewOrder } from "#service/orders/PreviewOrder"
import { Accounts } from "#service/persistence/Accounts"
import { ApiKeys } from "#service/persistence/ApiKeys"
import { Tasks } from "#service/persistence/Tasks"
import { Secret } from "#service/config/Secret"
import { buy, shop, shopLayer, SSH, wallet } from "../support/shop.ts"

const REFUSED: ReadonlyArray<readonly [CreateInstance, reason: string]> = [
  [{ service_id: 99 }, "PlanNotFound"],
  [{ service_id: 2 }, "PlanNotFound"],
  [{ service_id: 4 }, "PlanNotFound"],
  [{ service_id: 3 }, "PlanNotOrderable"],
  [{ service_id: 6 }, "CurrencyMismatch"],
  [{ service_id: 1, hostname: "-web" }, "InvalidField"],
  [{ service_id: 1, os: "plan9" }, "InvalidField"],
  [{ service_id: 1, ssh_pubkey: "rubbish" }, "InvalidField"],
  [{ service_id: 1, os: "windows-2022", ssh_pubkey: SSH }, "InvalidField"],
  [{ service_id: 1, coupon_code: "WELCOME10" }, "CouponRejected"],
  // Several at once: the earliest in the order of checks wins.
  [{ service_id: 99, hostname: "-web" }, "PlanNotFound"],
  [{ service_id: 3, hostname: "-web" }, "PlanNotOrderable"],
  [{ service_id: 1, hostname: "-web", coupon_code: "X" }, "InvalidField"]
]

describe("a create", () => {
  it.effect("charges once, writes a balanced ledger and queues the server", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      const { instance, replayed } = yield* buy(caller, { service_id: 1, hostname: "web" }, "k1")
      assert.isFalse(replayed)
      assert.deepInclude(instance, { status: "pending", provider_id: null, ipv4: null, auto_renew: true })
      assert.strictEqual(instance.order.service.pricing?.charge_amount, 4.99)
      assert.strictEqual(yield* wallet(caller), 100_000 - 499)
      assert.isTrue((yield* verify).balanced)
      const task = yield* (yield* Tasks).open(instance.id)
      assert.deepInclude(task, { type: "provision", status: "queued", requestId: "r-1", apiKeyId: caller.apiKeyId })
    }).pipe(Effect.provide(shopLayer)))

  it.effect("repeated with its key answers the same instance and charges nothing", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      const first = yield* buy(caller, { service_id: 1, hostname: "web", os: null }, "k1")
      const again = yield* buy(caller, { service_id: 1, hostname: "web" }, "k1")
      assert.deepStrictEqual(again, { instance: first.instance, replayed: true, mismatch: [], taskId: null })
      assert.strictEqual(yield* wallet(caller), 100_000 - 499)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("repeated with another body is still the original, and names the differing fields", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      yield* buy(caller, { service_id: 1, hostname: "web" }, "k1")
      // Not even a plan that does not exist matters: the look-up comes first.
      const again = yield* buy(caller, { service_id: 99, hostname: "other", root_password: "s3cretpass" }, "k1")
      assert.deepStrictEqual(again.mismatch, ["hostname", "root_password", "service_id"])
      assert.isTrue(again.replayed)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("with the same key of another API key buys another instance", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      const keys = yield* ApiKeys
      const other = yield* keys.create({
        accountId: caller.accountId,
        name: "k2",
        prefix: "vps_live_",
        last4: "efgh",
        digest: "e",
        scopes: ["vps:create"],
        createdAt: 0,
        expiresAt: null,
        personId: null,
        madeBy: null
      })
      const first = yield* buy(caller, { service_id: 1 }, "k1")
      const second = yield* buy({ ...caller, apiKeyId: other }, { service_id: 1 }, "k1")
      assert.notStrictEqual(first.instance.id, second.instance.id)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("repeated with its key never answers with an instance of another account", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      const { instance } = yield* buy(caller, { service_id: 1 }, "k1")
      const vat = { treatment: "domestic", rate: 1900 } as const
      const accountId = yield* (yield* Accounts).create({ email: "b@example.test", currency: "EUR", vat, at: 0 })
      const exit = yield* Effect.exit(buy({ ...caller, accountId }, { service_id: 1 }, "k1"))
      assert.include(String(exit), `instance ${instance.id} of a claimed key is missing`)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("refused for want of money keeps nothing: the same key works once the wallet is filled", () =>
    Effect.gen(function*() {
      const caller = yield* shop(498)
      const error = yield* Effect.flip(buy(caller, { service_id: 1 }, "k1"))
      assert.deepInclude(error, { _tag: "InsufficientFunds", charge: 499, wallet: 498 })
      yield* topUp({ accountId: caller.accountId, amount: 1, at: 0, reference: "top_up:2" })
      const { replayed } = yield* buy(caller, { service_id: 1 }, "k1")
      assert.isFalse(replayed)
      assert.strictEqual(yield* wallet(caller), 0)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("200 at once on a wallet for 10: exactly 10, never below zero, books balanced", () =>
    Effect.gen(function*() {
      const caller = yield* shop(4_990)
      const results = yield* Effect.forEach(
        Array.from({ length: 200 }, (_, index) => index),
        (index) => Effect.exit(buy(caller, { service_id: 1 }, `k${index}`)),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(results.filter((exit) => exit._tag === "Success").length, 10)
      assert.strictEqual(yield* wallet(caller), 0)
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("50 identical ones at once with one key: one instance, one charge", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      const placed = yield* Effect.all(Array.from({ length: 50 }, () => buy(caller, { service_id: 1 }, "k1")), {
        concurrency: "unbounded"
      })
      assert.strictEqual(new Set(placed.map(({ instance }) => instance.id)).size, 1)
      assert.strictEqual(placed.filter(({ replayed }) => !replayed).length, 1)
      assert.strictEqual(yield* wallet(caller), 100_000 - 499)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("keeps a root password encrypted and out of everything that is shown", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      const { instance } = yield* buy(caller, { service_id: 1, root_password: "hunter2hunter2" }, "k1")
      const task = yield* (yield* Tasks).open(instance.id)
      assert.notInclude(JSON.stringify([instance, task]), "hunter2")
      assert.deepStrictEqual(JSON.parse((yield* Secret).open(task!.sealed!)), { root_password: "hunter2hunter2" })
    }).pipe(Effect.provide(shopLayer)))

  it.effect("of a plan that is not deployed by itself waits for an operator", () =>
    Effect.gen(function*() {
      const { instance } = yield* buy(yield* shop(100_000), { service_id: 5 })
      assert.strictEqual((yield* (yield* Tasks).open(instance.id))!.runAt, null)
    }).pipe(Effect.provide(shopLayer)))

  it.effect.each(REFUSED)(
    "%j is refused: %s, in a dry run too, and nothing is written",
    ([body, tag]) =>
      Effect.gen(function*() {
        const caller = yield* shop(100_000)
        assert.strictEqual((yield* Effect.flip(buy(caller, body, "k1")))._tag, tag)
        assert.strictEqual((yield* Effect.flip(previewOrder({ caller, body, key: undefined })))._tag, tag)
        assert.strictEqual(yield* wallet(caller), 100_000)
      }).pipe(Effect.provide(shopLayer))
  )
})

describe("a dry run", () => {
  it.effect("returns the charge and writes nothing", () =>
    Effect.gen(function*() {
      const caller = yield* shop(100_000)
      const { preview } = yield* previewOrder({ caller, body: { service_id: 1 }, key: "k1" })
      assert.deepInclude(preview, {
        would_create: true,
        charge_amount: 4.99,
        wallet_balance: 1000,
        sufficient_funds: true
      })
      assert.isFalse((yield* buy(caller, { service_id: 1 }, "k1")).replayed)
    }).pipe(Effect.provide(shopLayer)))

  it.effect("reports an empty wallet instead of failing", () =>
    Effect.gen(function*() {
      const { preview } = yield* previewOrder({ caller: yield* shop(0), body: { service_id: 1 }, key: undefined })
      assert.deepInclude(preview, { would_create: false, sufficient_funds: false, wallet_balance: 0 })
    }).pipe(Effect.provide(shopLayer)))

  it.effect("with a key that already bought costs nothing more, even with an empty wallet", () =>
    Effect.gen(function*() {
      const caller = yield* shop(499)
      yield* buy(caller, { service_id: 1 }, "k1")
      const { preview } = yield* previewOrder({ caller, body: { service_id: 1 }, key: "k1" })
      assert.deepInclude(preview, { would_create: false, charge_amount: 0, sufficient_funds: true })
    }).pipe(Effect.provide(shopLayer)))
})
