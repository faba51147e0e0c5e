/** Rows that the database itself refuses, and what holds although several write at once. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { Accounts } from "#service/persistence/Accounts"
import { Coupons } from "#service/persistence/Coupons"
import { Instances } from "#service/persistence/Instances"
import { Overview } from "#service/persistence/Overview"
import { People } from "#service/persistence/people/People"
import { Snapshots } from "#service/persistence/Snapshots"
import { Sql } from "#service/persistence/Sql"
import { editable, image, plan } from "../../support/catalogue.ts"
import { account, apiKey, firstInstance, instance, NOW, order, stock } from "./Fixtures.ts"
import { countTogether, isRefused, type Rules, write } from "./Rules.ts"

/** Debian is the default of Frankfurt. */
const offered = Effect.gen(function*() {
  const catalogue = yield* editable
  yield* stock
  yield* catalogue.addImage(image(10, "debian-12"))
  yield* catalogue.offerImage(1, 10, true)
  return catalogue
})

const person = Effect.flatMap(
  People,
  ({ create }) => create({ email: "ann@example.test", name: "ann", role: "customer", handle: "h", createdAt: NOW })
)

/** A coupon for two, once for each account or not, and its redemption by a new order. */
const couponForTwo = Effect.fnUntraced(function*(oncePerAccount: boolean) {
  const coupons = yield* Coupons
  yield* stock
  const terms = { kind: "percent", value: 1_000, currency: null, validFrom: NOW, validUntil: null } as const
  yield* coupons.add({ ...terms, code: "TEN", maxUses: 2, oncePerAccount, at: NOW })
  const coupon = (yield* coupons.find("TEN"))!
  return Effect.fnUntraced(function*(accountId: number) {
    yield* coupons.redeem({ coupon, accountId, orderId: yield* order(accountId), discount: 99, at: NOW })
  })
})

export const constraints: Rules = {
  "a plan without its data center is refused": Effect.gen(function*() {
    const { addPlan } = yield* offered
    assert.isTrue(yield* isRefused(addPlan(plan(9, { dataCenterId: 3 }))))
    yield* addPlan(plan(9, { dataCenterId: 2 }))
  }),

  "an image is offered once in a data center": Effect.gen(function*() {
    const { offerImage } = yield* offered
    assert.isTrue(yield* isRefused(offerImage(1, 10, false)))
    yield* offerImage(2, 10, false)
  }),

  "a data center has one default": Effect.gen(function*() {
    const { addImage, offerImage } = yield* offered
    yield* addImage(image(11, "alma-9"))
    assert.isTrue(yield* isRefused(offerImage(1, 11, true)))
    yield* offerImage(1, 11, false)
  }),

  "a wallet below nothing is refused, unless a payment was taken back": Effect.gen(function*() {
    const { credit, debit, find, takeBack } = yield* Accounts
    const sql = yield* Sql
    const id = yield* account()
    yield* credit(id, 10)
    yield* takeBack(id, 30)
    assert.strictEqual((yield* find(id))?.wallet, -20)
    assert.isFalse(yield* debit(id, 1))
    const below = sql.run("UPDATE accounts SET wallet = wallet - 1 WHERE id = ?")
    assert.isTrue(yield* isRefused(below(id)))
    assert.isTrue(yield* credit(id, 5))
    assert.isTrue(yield* isRefused(below(id)))
    yield* takeBack(id, 5)
    assert.isTrue(yield* credit(id, 25))
    assert.deepStrictEqual(yield* (yield* Overview).owing, [])
    yield* debit(id, 5)
    yield* takeBack(id, 1)
    assert.deepStrictEqual(yield* (yield* Overview).owing, [id])
    yield* credit(id, 1)
    assert.isTrue(yield* isRefused(sql.run("UPDATE accounts SET wallet = ? WHERE id = ?")(-1, id)))
    assert.isFalse(yield* isRefused(sql.run("UPDATE accounts SET wallet = ? WHERE id = ?")(0, id)))
  }),

  "debits at the same time never take more than there is": Effect.gen(function*() {
    const { credit, debit, find } = yield* Accounts
    const id = yield* account()
    yield* credit(id, 55)
    const debits = Array.from({ length: 12 }, () => debit(id, 10))
    assert.strictEqual(yield* countTogether(debits, (exit) => Exit.isSuccess(exit) && exit.value), 5)
    assert.strictEqual((yield* find(id))?.wallet, 5)
  }),

  "a digest is one key's, whose account exists": Effect.gen(function*() {
    const id = yield* account()
    yield* apiKey(id)
    assert.isTrue(yield* isRefused(apiKey(id)))
    assert.isTrue(yield* isRefused(apiKey(id + 1, { digest: "d2" })))
  }),

  "an address is one person's, whose permission is one that exists": Effect.gen(function*() {
    const { join, setPermission } = yield* People
    const accountId = yield* account()
    const id = yield* person
    assert.isTrue(yield* isRefused(person))
    yield* join(id, accountId, NOW)
    assert.isTrue(yield* isRefused(setPermission(id, accountId, "none" as "read")))
  }),

  "a machine is one instance's": Effect.gen(function*() {
    const { setDeployed } = yield* Instances
    const { accountId, id } = yield* firstInstance
    const second = yield* instance(accountId)
    const machine = { providerId: "sim-1", ipv4: "192.0.2.1", ipv6: null, providerData: "{}", nextBackupAt: null }
    yield* setDeployed(id, machine)
    assert.isTrue(yield* isRefused(setDeployed(second.id, machine)))
  }),

  "a quota that is read and used in one transaction holds under concurrency": Effect.gen(function*() {
    const { insert, used } = yield* Snapshots
    const { id: instanceId } = yield* firstInstance
    const create = Effect.gen(function*() {
      if ((yield* used(instanceId)) >= 3) return yield* Effect.fail("full")
      return yield* insert({ instanceId, name: "s", os: "debian-12", at: NOW })
    })
    assert.strictEqual(yield* countTogether(Array.from({ length: 8 }, () => create), Exit.isSuccess), 3)
    assert.strictEqual(yield* used(instanceId), 3)
  }),

  "a coupon has its number of uses, even at the same time": Effect.gen(function*() {
    const redeem = yield* couponForTwo(false)
    const accountId = yield* account()
    const tries = Array.from({ length: 4 }, () => redeem(accountId))
    assert.strictEqual(yield* countTogether(tries, Exit.isSuccess), 2)
  }),

  "a coupon that is once per account is redeemed once by each": Effect.gen(function*() {
    const redeem = yield* couponForTwo(true)
    const [one, other] = [yield* account(), yield* account()]
    yield* write(redeem(one))
    assert.isTrue(yield* isRefused(write(redeem(one))))
    yield* write(redeem(other))
  })
}
