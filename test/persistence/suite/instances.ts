/** Orders, instances as the wire and as operations see them, and suspensions. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Accounts } from "#service/persistence/Accounts"
import { Catalogue } from "#service/persistence/Catalogue"
import { DueTimes } from "#service/persistence/DueTimes"
import { Orders } from "#service/persistence/Orders"
import { Instances } from "#service/persistence/Instances"
import { Tasks } from "#service/persistence/Tasks"
import { editable, plan } from "../../support/catalogue.ts"
import { setLifecycle } from "../../support/lifecycle.ts"
import { ABUSE, account, firstInstance, instance, NOW, order, sell, stock, task } from "./Fixtures.ts"
import { isRefused, type Rules, write } from "./Rules.ts"

const DEPLOYED = {
  providerId: "sim-1",
  ipv4: "192.0.2.1",
  ipv6: null,
  providerData: "{\"hostname\":\"web\"}",
  nextBackupAt: 1_767_837_600_000
}

export const orders: Rules = {
  "an order is read as it was made, and refunded once": Effect.gen(function*() {
    const repository = yield* Orders
    yield* stock
    const id = yield* order(yield* account(), 500)
    const made = { id, accountId: 1, planId: 1, soldId: 1, status: "paid", price: 500, charge: 500 }
    assert.deepStrictEqual(yield* repository.find(id), made as never)
    assert.isTrue(yield* repository.markRefunded(id))
    assert.isFalse(yield* repository.markRefunded(id))
    assert.isFalse(yield* repository.markRefunded(id + 1))
    assert.strictEqual((yield* repository.find(id))?.status, "refunded")
    assert.isUndefined(yield* repository.find(id + 1))
  }),

  "a price is announced to those who have another one, and applies later": Effect.gen(function*() {
    const repository = yield* Orders
    const { accountId, id: instanceId, orderId: id } = yield* firstInstance
    const change = { planId: 1, price: 1_299, from: NOW + 9 }
    const email = (yield* (yield* Accounts).find(accountId))!.email
    const { soldId } = (yield* repository.find(id))!
    const unannounced = { nextPrice: null, nextPriceFrom: null, mailId: null }
    const read = { id, soldId, instanceId, accountId, email, price: 999, ...unannounced }
    assert.deepStrictEqual(yield* repository.repriceable(change), [read])
    assert.deepStrictEqual(yield* repository.repriceable({ ...change, price: 999 }), [])
    assert.deepStrictEqual(yield* repository.repriceable({ ...change, planId: 2 }), [])
    const stale = [
      { ...read, soldId: soldId + 1 },
      { ...read, price: 998 },
      { ...read, nextPrice: 1, nextPriceFrom: 1 },
      { ...read, id: id + 1 }
    ]
    for (const order of stale) assert.isFalse(yield* repository.setNextPrice(order, change))
    assert.isTrue(yield* repository.setNextPrice(read, change))
    assert.isFalse(yield* repository.setNextPrice(read, { ...change, price: 1 }), "it was announced already")
    const announced = { ...read, nextPrice: change.price, nextPriceFrom: change.from }
    assert.isTrue(yield* repository.setNextPrice(announced, change))
    assert.deepStrictEqual(yield* repository.repriceable(change), [])
    assert.lengthOf(yield* repository.repriceable({ ...change, from: NOW + 10 }), 1)
    assert.strictEqual((yield* repository.find(id))?.price, 999)
    yield* repository.applyNextPrice(id)
    assert.strictEqual((yield* repository.find(id))?.price, 1_299)
    assert.deepStrictEqual(yield* repository.repriceable(change), [])
  })
}

export const instances: Rules = {
  "a create answers what is read once its provision is queued": write(Effect.gen(function*() {
    const repository = yield* Instances
    yield* stock
    const accountId = yield* account()
    const found = (yield* (yield* Catalogue).plan(1))!
    const bought = yield* repository.insert({
      account: (yield* (yield* Accounts).find(accountId))!,
      plan: found,
      orderId: yield* (yield* Orders).insert({
        accountId,
        planId: 1,
        soldId: yield* sell(found),
        config: "{\"a\":1}",
        price: found.price,
        charge: 9,
        at: NOW
      }),
      config: "{\"a\":1}",
      hostname: null,
      os: "debian-12",
      expiresAt: NOW + 5,
      at: NOW
    })
    yield* task(bought.id)
    assert.deepStrictEqual(yield* repository.show(accountId, bought.id), bought)
  })),

  "the record shows the plan as it was sold, and whether the end of the period renews": Effect.gen(function*() {
    const { accountId, id } = yield* firstInstance
    const shown = Effect.map(
      Effect.flatMap(Instances, ({ show }) => show(accountId, id)),
      (instance) => ({ renews: instance?.auto_renew, plan: instance?.order.service })
    )
    const before = yield* shown
    assert.isTrue(before.renews)
    const { auto_deploy, is_active, name, out_of_stock, price } = before.plan!
    assert.deepStrictEqual([auto_deploy, is_active, name, out_of_stock, price], [true, true, "Plan 1", false, 9.99])
    const withdrawn = { ...plan(1), price: 5, name: "Renamed", isActive: false, outOfStock: true, autoDeploy: false }
    const nothing = { dataCenters: [], images: [], offers: [], isos: [] }
    yield* write(Effect.flatMap(Catalogue, ({ upsert }) => upsert({ ...nothing, plans: [withdrawn] })))
    yield* (yield* Instances).subscriptions.setAutoRenew(id, false)
    const after = yield* shown
    assert.isFalse(after.renews)
    assert.deepStrictEqual(after.plan, before.plan)
  }),

  "an instance is shown to its account alone, and a deleted one to a replay": Effect.gen(function*() {
    const repository = yield* Instances
    const { accountId, id } = yield* firstInstance
    const other = yield* account()
    assert.strictEqual((yield* repository.show(accountId, id))?.id, id)
    assert.isUndefined(yield* repository.show(other, id))
    assert.isUndefined(yield* repository.showAny(other, id))
    yield* setLifecycle(id, "deleted")
    assert.isUndefined(yield* repository.show(accountId, id))
    assert.strictEqual((yield* repository.showAny(accountId, id))?.status, "deleted")
    assert.strictEqual((yield* repository.find(id))?.lifecycle, "deleted")
    assert.isUndefined(yield* repository.find(id + 1))
  }),

  "the list has the account's instances that are not deleted, by id": Effect.gen(function*() {
    const repository = yield* Instances
    const { accountId, id } = yield* firstInstance
    const second = yield* instance(accountId)
    const third = yield* instance(accountId)
    yield* instance(yield* account())
    yield* setLifecycle(second.id, "deleted")
    yield* repository.setPower(id, "on")
    assert.deepStrictEqual((yield* repository.list(accountId)).map((shown) => shown.id), [id, third.id])
  }),

  "a change is shown at once, and what was undone never was": Effect.gen(function*() {
    const repository = yield* Instances
    const { accountId, id } = yield* firstInstance
    const status = Effect.map(repository.show(accountId, id), (shown) => shown?.status)
    assert.strictEqual(yield* status, "pending")
    const inside = write(Effect.andThen(repository.setDeployed(id, DEPLOYED), Effect.flatMap(status, Effect.fail)))
    assert.strictEqual(yield* Effect.flip(inside), "running")
    assert.strictEqual(yield* status, "pending")
    yield* write(repository.setDeployed(id, DEPLOYED))
    assert.strictEqual(yield* status, "running")
    yield* task(id, { type: "stop" })
    assert.strictEqual(yield* status, "stopping")
    const [taken] = yield* write(Effect.flatMap(Tasks, ({ claim }) => claim(NOW, NOW + 1, 1)))
    assert.strictEqual(yield* status, "stopping")
    assert.strictEqual((yield* repository.find(id))?.task, "stop")
    yield* write(
      Effect.flatMap(
        Tasks,
        ({ finish }) => finish(taken!.id, taken!.fence, { at: NOW, error: null, status: "succeeded" })
      )
    )
    yield* repository.setPower(id, "off")
    assert.strictEqual(yield* status, "stopped")
  }),

  "what operations change is what is found": Effect.gen(function*() {
    const repository = yield* Instances
    const { accountId, id, orderId } = yield* firstInstance
    yield* (yield* editable).addIso({ id: 3, name: "rescue", fileName: "rescue.iso", sizeBytes: 1 })
    yield* repository.setDeployed(id, DEPLOYED)
    yield* repository.setBootMode(id, "rescue")
    yield* repository.setIso(id, 3)
    yield* repository.setHostname(id, "db", "{}")
    yield* repository.setSystem(id, { os: "alma-9", hostname: "db2", providerData: "{\"os\":\"alma-9\"}" })
    yield* task(id, { type: "rescue_exit" })
    const found = (yield* repository.find(id))!
    assert.match(found.tag, new RegExp(`^instance-${id}-[\\da-f]{10}$`))
    assert.deepStrictEqual(found, {
      id,
      tag: found.tag,
      accountId,
      orderId,
      planId: 1,
      soldId: 1,
      lifecycle: "active",
      terminateAt: null,
      power: "on",
      bootMode: "rescue",
      booted: "disk",
      task: "rescue_exit",
      hostname: "db2",
      suspendedReason: null,
      os: "alma-9",
      providerId: "sim-1",
      ipv4: "192.0.2.1",
      ipv6: null,
      providerData: "{\"os\":\"alma-9\"}",
      category: "vps",
      autoRenew: true,
      graceUntil: null,
      held: false,
      paidFrom: NOW,
      pausedMillis: 0,
      price: 999,
      isoId: 3,
      createdAt: NOW,
      expiresAt: NOW + 1_000
    })
    yield* repository.setIso(id, null)
    assert.isNull((yield* repository.find(id))?.isoId)
    const second = yield* instance(accountId)
    assert.isTrue(yield* isRefused(repository.setDeployed(second.id, DEPLOYED)), "another's machine")
  })
}

export const suspensions: Rules = {
  "only an active instance is suspended, and comes back to the power that it had": Effect.gen(function*() {
    const instances = yield* Instances
    const suspensions = yield* Instances
    const { accountId, id } = yield* firstInstance
    yield* suspensions.suspend(id, ABUSE)
    assert.strictEqual((yield* instances.find(id))?.lifecycle, "pending")
    assert.isUndefined(yield* suspensions.unsuspend(id, NOW))
    yield* instances.setDeployed(id, DEPLOYED)
    yield* suspensions.suspend(id, ABUSE)
    yield* instances.setPower(id, "off")
    const shown = yield* instances.show(accountId, id)
    assert.deepStrictEqual([shown?.status, shown?.suspended_reason], ["suspended", "abuse"])
    assert.strictEqual(yield* suspensions.unsuspend(id, NOW), "on")
    assert.isUndefined(yield* suspensions.unsuspend(id, NOW))
    assert.deepStrictEqual((yield* instances.show(accountId, id))?.suspended_reason, null)
    assert.strictEqual((yield* instances.find(id))?.lifecycle, "active")
  }),

  "a suspension that is not charged pauses the period, and its end comes later by that time": Effect.gen(function*() {
    const { find, frozen, setDeployed, subscriptions, suspend, unsuspend } = yield* Instances
    const { accountId, id } = yield* firstInstance
    yield* setDeployed(id, DEPLOYED)
    const end = (yield* subscriptions.find(id))!.expiresAt
    yield* suspend(id, { ...ABUSE, freeSince: NOW + 10, frozen: true })
    assert.deepStrictEqual(yield* frozen(accountId), [id])
    assert.isTrue((yield* subscriptions.find(id))?.isFree)
    assert.deepStrictEqual(yield* subscriptions.endings.ids(end, 9), [])
    assert.isUndefined((yield* (yield* DueTimes).next).ending)
    yield* unsuspend(id, NOW + 50)
    const { expiresAt, isFree, pausedMillis } = (yield* subscriptions.find(id))!
    assert.deepStrictEqual({ expiresAt, isFree, pausedMillis }, {
      expiresAt: end + 40,
      isFree: false,
      pausedMillis: 40
    })
    assert.strictEqual((yield* find(id))?.pausedMillis, 40)
    assert.deepStrictEqual(yield* subscriptions.endings.ids(end + 40, 9), [id])
    assert.deepStrictEqual(yield* frozen(accountId), [])
    yield* suspend(id, ABUSE)
    yield* unsuspend(id, NOW + 99)
    assert.strictEqual((yield* subscriptions.find(id))?.expiresAt, end + 40, "a charged one moves nothing")
  })
}
