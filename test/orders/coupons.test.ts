/** Coupons: redeemed inside the create's transaction, returned when provisioning fails permanently. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import type { CreateInstance } from "#contract/Instance"
import { topUp, verify } from "#service/ledger/Ledger"
import { placeOrder } from "#service/orders/PlaceOrder"
import { previewOrder } from "#service/orders/PreviewOrder"
import { Accounts } from "#service/persistence/Accounts"
import { Coupons, type NewCoupon } from "#service/persistence/Coupons"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { Rejected } from "#service/provisioning/Driver"
import { buy, coreLayer, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"
import { TREATMENTS } from "#service/contract/Words"

/** 10 % off, for all accounts, without a usage limit. */
const COUPON = {
  code: "C",
  kind: "percent",
  value: 1_000,
  currency: null,
  validFrom: null,
  validUntil: null,
  maxUses: null,
  oncePerAccount: false
} as const

const add = Effect.fnUntraced(function*(more: Partial<NewCoupon>) {
  const coupons = yield* Coupons
  yield* (yield* Transaction).run(coupons.add({ ...COUPON, at: 0, ...more }))
})

const wallet = Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(1), (account) => account!.wallet))
const usesOf = (code: string) => Effect.flatMap(Coupons, (c) => Effect.map(c.find(code), (found) => found!.uses))
const preview = (body: CreateInstance, caller = owner) =>
  Effect.map(previewOrder({ caller, body, key: undefined }), ({ preview }) => preview)
const problem = (body: CreateInstance, caller = owner) =>
  Effect.flatMap(Transaction, ({ run }) => Effect.flip(run(placeOrder({ caller, body, key: undefined }))))

/** Another account of this treatment with 1000.00, and its caller. */
const another = Effect.fnUntraced(function*(treatment: typeof TREATMENTS[number]) {
  const accounts = yield* Accounts
  const accountId = yield* (yield* Transaction).run(Effect.gen(function*() {
    const vat = { treatment, rate: 2_000 }
    const id = yield* accounts.create({ email: "b@example.test", currency: "EUR", vat, at: 0 })
    yield* topUp({ accountId: id, amount: 100_000, reference: `top_up:${id}`, at: 0 })
    return id
  }))
  return { ...owner, accountId }
})

describe("a create with a coupon", () => {
  it.effect("charges the price less the discount, and says so in order.config", () =>
    Effect.gen(function*() {
      const bought = yield* buy({ service_id: 2, coupon_code: "WELCOME10" })
      assert.strictEqual(yield* wallet, 100_000 - 899)
      assert.strictEqual(yield* usesOf("WELCOME10"), 1)
      const config = JSON.parse(bought.order.config!)
      assert.deepInclude(config, { coupon_code: "WELCOME10", discount_amount: 1 })
      const journal = yield* (yield* Journals).find(`instance_create:order:${bought.order_id}`)
      assert.deepStrictEqual(journal!.entries.map(({ amount }) => amount), [-899, 755, 144])
      const vat = { treatment: "domestic", rate: 1_900 } as const
      const coupon = { coupon: "WELCOME10", discount: 100 }
      assert.deepStrictEqual(journal!.explanation, { plan: "VPS M", price: 999, ...vat, ...coupon })
    }).pipe(Effect.provide(coreLayer())))

  it.effect.each(TREATMENTS)(
    "of %s: the discount is taken off what the customer pays",
    (treatment) =>
      Effect.gen(function*() {
        const caller = yield* another(treatment)
        const body = { service_id: 2, coupon_code: "MINUS5" }
        const full = yield* preview({ service_id: 2 }, caller)
        const reduced = yield* preview(body, caller)
        assert.strictEqual(reduced.discount_amount, 5)
        assert.closeTo(full.charge_amount - reduced.charge_amount, 5, 1e-9)
        yield* (yield* Transaction).run(placeOrder({ caller, body, key: undefined }))
        assert.strictEqual((yield* preview(body, owner)).wallet_balance, 1_000)
        const account = yield* (yield* Accounts).find(caller.accountId)
        assert.strictEqual(account!.wallet, 100_000 - Math.round(reduced.charge_amount * 100))
        assert.isTrue((yield* verify).balanced)
      }).pipe(Effect.provide(coreLayer()))
  )

  it.effect("that covers the whole price writes no journal, and needs no money", () =>
    Effect.gen(function*() {
      yield* add({ code: "FREE", value: 10_000 })
      yield* (yield* Transaction).run(Effect.flatMap(Accounts, ({ create }) =>
        create({ email: "poor@example.test", currency: "EUR", vat: { treatment: "domestic", rate: 1900 }, at: 0 })))
      const caller = { ...owner, accountId: 2 }
      const body = { service_id: 3, coupon_code: "FREE" }
      assert.deepInclude(yield* preview(body, caller), {
        charge_amount: 0,
        discount_amount: 19.99,
        would_create: true,
        sufficient_funds: true
      })
      const { instance } = yield* (yield* Transaction).run(placeOrder({ caller, body, key: undefined }))
      assert.strictEqual(instance.order.status, "paid")
      const journals = yield* (yield* Journals).all
      assert.deepStrictEqual(
        journals.map(({ kind }) =>
          kind
        ),
        ["top_up"]
      )
    }).pipe(Effect.provide(coreLayer())))

  it.effect.each([
    ["NOPE", "Coupon NOPE does not exist."],
    ["welcome10", "Coupon welcome10 does not exist."],
    ["EXPIRED", "has expired"],
    ["LIMITED", "has reached its usage limit"],
    ["MINUS5", "once per account"]
  ])("%s is refused: %s; in a dry run too, and nothing is written", ([code, words]) =>
    Effect.gen(function*() {
      for (let use = 0; use < 3; use++) yield* buy({ coupon_code: "LIMITED" })
      yield* buy({ coupon_code: "MINUS5" })
      const before = yield* wallet
      const refused = yield* problem({ service_id: 1, coupon_code: code! })
      assert.strictEqual(refused._tag, "CouponRejected")
      assert.include((refused as { readonly problem: string }).problem, words!)
      const previewed = yield* Effect.flip(preview({ service_id: 1, coupon_code: code! }))
      assert.deepStrictEqual(previewed, refused)
      assert.strictEqual(yield* wallet, before)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is valid within its window only", () =>
    Effect.gen(function*() {
      yield* add({ code: "MAY", validFrom: 1_000, validUntil: 2_000 })
      const body = { service_id: 1, coupon_code: "MAY" }
      assert.strictEqual((yield* problem(body))._tag, "CouponRejected")
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* preview(body)).discount_amount, 0.5)
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* problem(body))._tag, "CouponRejected")
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is discounted exactly 3 times by a coupon for 3, though 20 arrive at once", () =>
    Effect.gen(function*() {
      const tries = Array.from({ length: 20 }, () => Effect.exit(buy({ coupon_code: "LIMITED" })))
      const bought = yield* Effect.all(tries, { concurrency: "unbounded" })
      assert.strictEqual(bought.filter((exit) => exit._tag === "Success").length, 3)
      assert.strictEqual(yield* usesOf("LIMITED"), 3)
      assert.strictEqual(yield* wallet, 100_000 - 3 * 449)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("refused for want of money uses nothing up", () =>
    Effect.gen(function*() {
      yield* add({ code: "TINY", value: 1, maxUses: 1 })
      for (let bought = 0; bought < 16; bought++) yield* buy({ service_id: 5 })
      assert.strictEqual((yield* problem({ service_id: 5, coupon_code: "TINY" }))._tag, "InsufficientFunds")
      assert.strictEqual(yield* usesOf("TINY"), 0)
    }).pipe(Effect.provide(coreLayer())))
})

describe("a provisioning that fails permanently", () => {
  it.effect("refunds what was paid and gives the coupon back, both once", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no capacity" }))
      const { id } = yield* buy({ coupon_code: "MINUS5", service_id: 3 })
      yield* elapse(1_000)
      assert.strictEqual((yield* show(id)).order.status, "refunded")
      assert.strictEqual(yield* wallet, 100_000)
      assert.strictEqual(yield* usesOf("MINUS5"), 0)
      assert.isFalse(yield* (yield* Transaction).run(Effect.flatMap(Coupons, ({ release }) => release(1, 0))))
      // Once per account again: the failed one does not count.
      yield* buy({ coupon_code: "MINUS5", service_id: 3 })
      assert.strictEqual(yield* wallet, 100_000 - 1_499)
      assert.strictEqual((yield* problem({ service_id: 3, coupon_code: "MINUS5" }))._tag, "CouponRejected")
    }).pipe(Effect.provide(serviceLayer())))
})
