/** Snapshots and coupons: what is counted. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Coupons, type NewCoupon, type StoredCoupon } from "#service/persistence/Coupons"
import { Snapshots } from "#service/persistence/Snapshots"
import { account, firstInstance, instance, NOW, order, stock } from "./Fixtures.ts"
import { countTogether, isRefused, type Rules, write } from "./Rules.ts"

export const snapshots: Rules = {
  "a snapshot is being created, then there": Effect.gen(function*() {
    const repository = yield* Snapshots
    const { id: instanceId } = yield* firstInstance
    const id = yield* repository.insert({ instanceId, name: "before", os: "debian-12", at: NOW })
    const made = { id, instanceId, name: "before", os: "debian-12", createdAt: NOW }
    assert.deepStrictEqual(yield* repository.find(instanceId, id), { ...made, status: "creating", sizeBytes: null })
    yield* repository.setAvailable(id, 7)
    assert.deepStrictEqual(yield* repository.list(instanceId), [{ ...made, status: "available", sizeBytes: 7 }])
    assert.isUndefined(yield* repository.find(instanceId + 1, id))
    yield* repository.remove(id)
    assert.isUndefined(yield* repository.find(instanceId, id))
  }),

  "the quota counts all of the instance's but failed ones": Effect.gen(function*() {
    const repository = yield* Snapshots
    const { accountId, id: instanceId } = yield* firstInstance
    const other = yield* instance(accountId)
    const add = (of: number) => repository.insert({ instanceId: of, name: "s", os: "debian-12", at: NOW })
    const ids = [yield* add(instanceId), yield* add(instanceId), yield* add(instanceId)]
    yield* add(other.id)
    assert.strictEqual(yield* repository.used(instanceId), 3)
    yield* repository.setStatus(ids[1]!, "failed")
    yield* repository.setAvailable(ids[2]!, null)
    yield* repository.setAvailable(ids[0]!, null)
    assert.strictEqual(yield* repository.used(instanceId), 2)
    assert.deepStrictEqual((yield* repository.list(instanceId)).map(({ id }) => id), ids)
    yield* repository.removeFailed(instanceId)
    assert.deepStrictEqual((yield* repository.list(instanceId)).map(({ id }) => id), [ids[0]!, ids[2]!])
    yield* repository.removeAll(instanceId)
    assert.strictEqual(yield* repository.used(instanceId), 0)
    assert.strictEqual(yield* repository.used(other.id), 1)
  }),

  "a quota that is read and used in one transaction holds under concurrency": Effect.gen(function*() {
    const repository = yield* Snapshots
    const { id: instanceId } = yield* firstInstance
    const create = Effect.gen(function*() {
      if ((yield* repository.used(instanceId)) >= 3) return yield* Effect.fail("full")
      return yield* repository.insert({ instanceId, name: "s", os: "debian-12", at: NOW })
    })
    assert.strictEqual(yield* countTogether(Array.from({ length: 8 }, () => create), Exit.isSuccess), 3)
    assert.strictEqual(yield* repository.used(instanceId), 3)
  })
}

const COUPON: NewCoupon = {
  code: "TEN",
  kind: "percent",
  value: 1_000,
  currency: null,
  validFrom: NOW,
  validUntil: null,
  maxUses: 2,
  oncePerAccount: true,
  at: NOW
}

const added = Effect.fnUntraced(function*(overrides: Partial<NewCoupon> = {}) {
  const coupons = yield* Coupons
  yield* coupons.add({ ...COUPON, ...overrides })
  return (yield* coupons.find(overrides.code ?? COUPON.code))!
})

/** As a create does it: for a new order of the account. */
const redeem = Effect.fnUntraced(function*(coupon: StoredCoupon, accountId: number) {
  const orderId = yield* order(accountId)
  yield* (yield* Coupons).redeem({ coupon, accountId, orderId, discount: 99, at: NOW })
  return orderId
})

export const coupons: Rules = {
  "a coupon is found by its code, letter by letter, as it was added": Effect.gen(function*() {
    const repository = yield* Coupons
    const { at, ...terms } = COUPON
    assert.deepStrictEqual(yield* added(), { ...terms, id: 1, uses: 0 })
    const fixed = { code: "ten", kind: "fixed", value: 500, currency: "EUR", oncePerAccount: false } as const
    const found = yield* added({ ...fixed, maxUses: null, validUntil: NOW + 1 })
    assert.deepStrictEqual(found, { ...terms, ...fixed, id: 2, uses: 0, maxUses: null, validUntil: NOW + 1 })
    assert.isUndefined(yield* repository.find("Ten"))
    assert.isTrue(yield* isRefused(added()), "a code is one coupon's")
    assert.strictEqual(at, NOW)
  }),

  "an account redeems once what is once per account; another account may": Effect.gen(function*() {
    const repository = yield* Coupons
    yield* stock
    const [one, other] = [yield* account(), yield* account()]
    const coupon = yield* added()
    assert.isFalse(yield* repository.redeemedBy(coupon.id, one))
    yield* write(redeem(coupon, one))
    assert.isTrue(yield* repository.redeemedBy(coupon.id, one))
    assert.isFalse(yield* repository.redeemedBy(coupon.id, other))
    assert.isTrue(yield* isRefused(write(redeem(coupon, one))))
    yield* write(redeem(coupon, other))
    assert.strictEqual((yield* repository.find("TEN"))?.uses, 2)
  }),

  "an exhausted coupon cannot be redeemed, even concurrently": Effect.gen(function*() {
    const repository = yield* Coupons
    yield* stock
    const coupon = yield* added({ oncePerAccount: false })
    const accountId = yield* account()
    const tries = Array.from({ length: 4 }, () => redeem(coupon, accountId))
    assert.strictEqual(yield* countTogether(tries, Exit.isSuccess), 2)
    assert.strictEqual((yield* repository.find("TEN"))?.uses, 2)
    assert.isFalse(yield* repository.redeemedBy(coupon.id, accountId), "only what is once per account is told")
  }),

  "an order's redemption is released once, and can be redeemed again": Effect.gen(function*() {
    const repository = yield* Coupons
    yield* stock
    const accountId = yield* account()
    const coupon = yield* added({ maxUses: 1 })
    const orderId = yield* write(redeem(coupon, accountId))
    assert.isTrue(yield* write(repository.release(orderId, NOW)))
    assert.isFalse(yield* write(repository.release(orderId, NOW)))
    assert.isFalse(yield* write(repository.release(orderId + 7, NOW)))
    assert.isFalse(yield* repository.redeemedBy(coupon.id, accountId))
    assert.strictEqual((yield* repository.find("TEN"))?.uses, 0)
    yield* write(redeem(coupon, accountId))
    assert.strictEqual((yield* repository.find("TEN"))?.uses, 1)
  })
}
