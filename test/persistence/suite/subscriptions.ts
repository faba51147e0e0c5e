/** Until when instances are paid for, what falls due, and their nightly backups. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { DueTimes } from "#service/persistence/DueTimes"
import { Backups } from "#service/persistence/Snapshots"
import { Instances } from "#service/persistence/Instances"
import { Tasks } from "#service/persistence/Tasks"
import { setLifecycle } from "../../support/lifecycle.ts"
import { ABUSE, account, firstInstance, instance, NOW, stock, task } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

/** Active instances of one account that end at these moments; returns their ids. */
const ending = Effect.fnUntraced(function*(...moments: ReadonlyArray<number>) {
  yield* stock
  const accountId = yield* account()
  const instances = yield* Instances
  return yield* Effect.forEach(moments, (moment) =>
    Effect.gen(function*() {
      const { id } = yield* instance(accountId, moment)
      yield* setLifecycle(id, "active")
      yield* instances.setPower(id, "on")
      return id
    }))
})

/** The due subscriptions, and the time of the next one. */
const look = Effect.fnUntraced(function*(kind: "ending" | "deletion" | "backup", now: number, limit = 10) {
  const { deletions, endings } = (yield* Instances).subscriptions
  const due = { ending: endings, deletion: deletions, backup: (yield* Backups).due }[kind]
  return [yield* due.ids(now, limit), (yield* (yield* DueTimes).next)[kind]] as const
})

export const contracts: Rules = {
  "a subscription has its terms, its state, and whether it is busy": Effect.gen(function*() {
    const { subscriptions: repository } = yield* Instances
    const [id] = yield* ending(NOW + 9)
    const contract = yield* repository.find(id!)
    assert.deepStrictEqual(contract, {
      instanceId: id!,
      accountId: 1,
      orderId: 1,
      plan: "Plan 1",
      price: 999,
      nextPrice: null,
      nextPriceFrom: null,
      currency: "EUR",
      paidFrom: NOW,
      expiresAt: NOW + 9,
      pausedMillis: 0,
      isFree: false,
      renewAfter: null,
      autoRenew: true,
      lifecycle: "active",
      suspended: false,
      resumePower: null,
      graceUntil: null,
      terminateAt: null,
      busy: false
    })
    yield* task(id!)
    yield* repository.setAutoRenew(id!, false)
    yield* (yield* Instances).suspend(id!, ABUSE)
    const { autoRenew, busy, suspended } = (yield* repository.find(id!))!
    assert.deepStrictEqual({ autoRenew, busy, suspended }, { autoRenew: false, busy: true, suspended: true })
    yield* write(Effect.flatMap(Tasks, ({ claim }) => claim(NOW, NOW + 1, 1)))
    assert.isTrue((yield* repository.find(id!))?.busy, "in work as well as in the queue")
    assert.isUndefined(yield* repository.find(id! + 1))
  }),

  "ended periods come earliest first, up to the limit, without busy instances": Effect.gen(function*() {
    const [late, early, soon, open] = yield* ending(NOW + 3, NOW + 1, NOW + 2, NOW)
    assert.deepStrictEqual(yield* look("ending", NOW - 1), [[], NOW])
    yield* task(open!)
    assert.deepStrictEqual(yield* look("ending", NOW + 2), [[early!, soon!], NOW + 1])
    assert.deepStrictEqual(yield* look("ending", NOW + 9, 1), [[early!], NOW + 1])
    assert.deepStrictEqual((yield* look("ending", NOW + 3))[0], [early!, soon!, late!])
  }),

  "who is behind comes when its pause is over": Effect.gen(function*() {
    const { subscriptions } = yield* Instances
    const [first, second] = yield* ending(NOW, NOW + 2)
    const contract = (yield* subscriptions.find(first!))!
    yield* subscriptions.renew(contract, { expiresAt: NOW + 1, pausedMillis: 0, renewAfter: NOW + 3 })
    assert.strictEqual((yield* subscriptions.find(first!))?.renewAfter, NOW + 3)
    assert.deepStrictEqual(yield* look("ending", NOW + 2), [[second!], NOW + 2])
    assert.deepStrictEqual(yield* look("ending", NOW + 3), [[second!, first!], NOW + 2])
  }),

  "nothing ends where nothing is": Effect.gen(function*() {
    assert.deepStrictEqual(yield* look("ending", NOW), [[], undefined])
    assert.deepStrictEqual(yield* look("deletion", NOW), [[], undefined])
  }),

  "who expires keeps the power to come back to, and is in grace": Effect.gen(function*() {
    const { subscriptions: repository } = yield* Instances
    const [first, second] = yield* ending(NOW + 2, NOW + 1)
    yield* repository.expire(first!, NOW + 100)
    yield* repository.expire(second!, NOW + 90)
    const { graceUntil, lifecycle, resumePower } = (yield* repository.find(first!))!
    assert.deepStrictEqual({ graceUntil, lifecycle, resumePower }, {
      graceUntil: NOW + 100,
      lifecycle: "expired",
      resumePower: "on"
    })
    assert.deepStrictEqual(yield* look("ending", NOW + 9), [[], undefined])
    assert.deepStrictEqual(yield* look("deletion", NOW + 100), [[second!, first!], NOW + 90])
    assert.deepStrictEqual((yield* repository.expired(1)).map(({ instanceId }) => instanceId), [second!, first!])
    assert.deepStrictEqual(yield* repository.expired(2), [])
    yield* repository.terminate(first!, NOW + 80)
    assert.deepStrictEqual(yield* look("deletion", NOW + 85), [[first!], NOW + 80])
    assert.deepInclude(yield* repository.find(first!), {
      autoRenew: false,
      graceUntil: null,
      lifecycle: "expired",
      resumePower: null,
      terminateAt: NOW + 80
    })
  }),

  "a failed instance has no period, and is due when it leaves the list": Effect.gen(function*() {
    const { subscriptions: repository } = yield* Instances
    const [id] = yield* ending(NOW)
    yield* repository.fail(id!, NOW + 30)
    assert.isUndefined(yield* repository.find(id!))
    const { autoRenew, expiresAt, graceUntil, lifecycle } = (yield* (yield* Instances).find(id!))!
    assert.deepStrictEqual([lifecycle, autoRenew, expiresAt, graceUntil], ["failed", false, null, NOW + 30])
    assert.deepStrictEqual(yield* look("ending", NOW + 30), [[], undefined])
    assert.deepStrictEqual(yield* look("deletion", NOW + 30), [[id!], NOW + 30])
  }),

  "a renewal is paid for until later, and out of grace": Effect.gen(function*() {
    const { subscriptions: repository } = yield* Instances
    const [id] = yield* ending(NOW)
    yield* repository.expire(id!, NOW + 1)
    yield* repository.renew((yield* repository.find(id!))!, { expiresAt: NOW + 50, pausedMillis: 0, renewAfter: null })
    const { expiresAt, graceUntil, lifecycle, resumePower } = (yield* repository.find(id!))!
    assert.deepStrictEqual([expiresAt, graceUntil, lifecycle, resumePower], [NOW + 50, null, "active", null])
  }),

  "who was suspended is so again after a renewal, with the power from before": Effect.gen(function*() {
    const { subscriptions: repository } = yield* Instances
    const suspensions = yield* Instances
    const [id] = yield* ending(NOW)
    yield* suspensions.suspend(id!, ABUSE)
    yield* (yield* Instances).setPower(id!, "off")
    yield* repository.expire(id!, NOW + 1)
    assert.strictEqual(yield* suspensions.unsuspend(id!, NOW), "on")
    assert.strictEqual((yield* repository.find(id!))?.resumePower, "on", "lifted in grace: it comes back to it")
    const [other] = [(yield* instance(1, NOW)).id]
    yield* setLifecycle(other, "active")
    yield* suspensions.suspend(other, ABUSE)
    yield* repository.renew((yield* repository.find(other))!, {
      expiresAt: NOW + 50,
      pausedMillis: 0,
      renewAfter: null
    })
    assert.strictEqual((yield* repository.find(other))?.lifecycle, "suspended")
  }),

  "a deleted instance is in no question": Effect.gen(function*() {
    const { subscriptions: repository } = yield* Instances
    const [id] = yield* ending(NOW)
    yield* repository.expire(id!, NOW)
    yield* repository.delete(id!, NOW)
    assert.strictEqual((yield* repository.find(id!))?.lifecycle, "deleted")
    assert.deepStrictEqual(yield* look("deletion", NOW), [[], undefined])
    assert.deepStrictEqual(yield* repository.expired(1), [])
  })
}

export const backups: Rules = {
  "a backup is being created, then there, then gone": Effect.gen(function*() {
    const repository = yield* Backups
    const { id: instanceId } = yield* firstInstance
    const id = yield* repository.insert({ instanceId, os: "debian-12", at: NOW, expiresAt: NOW + 7 })
    const made = { id, instanceId, os: "debian-12", createdAt: NOW, expiresAt: NOW + 7 }
    assert.deepStrictEqual(yield* repository.find(instanceId, id), { ...made, status: "creating", sizeBytes: null })
    yield* repository.setAvailable(id, 5_000_000_000)
    const there = { ...made, status: "available" as const, sizeBytes: 5_000_000_000 }
    assert.deepStrictEqual(yield* repository.list(instanceId), [there])
    yield* repository.setStatus(id, "restoring")
    assert.strictEqual((yield* repository.find(instanceId, id))?.status, "restoring")
    assert.isUndefined(yield* repository.find(instanceId + 1, id))
    yield* repository.remove(id)
    assert.deepStrictEqual(yield* repository.list(instanceId), [])
  }),

  "a discarded backup is not listed, and removable immediately": Effect.gen(function*() {
    const repository = yield* Backups
    const { id: instanceId } = yield* firstInstance
    const add = (expiresAt: number) => repository.insert({ instanceId, os: "debian-12", at: NOW, expiresAt })
    const [old, young] = [yield* add(NOW), yield* add(NOW + 9)]
    yield* repository.setAvailable(young, null)
    yield* repository.setAvailable(old, null)
    const given = yield* add(NOW + 9)
    yield* repository.discard(instanceId, NOW)
    // Written last, and listed first all the same.
    yield* repository.setStatus(old, "restoring")
    assert.isUndefined(yield* repository.find(instanceId, given))
    assert.deepStrictEqual((yield* repository.list(instanceId)).map(({ id }) => id), [old, young])
    assert.deepStrictEqual(yield* repository.deletable(instanceId, NOW), [old, given])
    assert.deepStrictEqual(yield* repository.deletable(instanceId, NOW - 1), [])
    yield* repository.removeAll(instanceId)
    assert.deepStrictEqual(yield* repository.deletable(instanceId, NOW + 99), [])
  }),

  "the next night of active instances falls due, earliest first": Effect.gen(function*() {
    const repository = yield* Backups
    const [first, second, third] = yield* ending(NOW, NOW, NOW)
    assert.deepStrictEqual(yield* look("backup", NOW), [[], undefined])
    yield* repository.schedule(first!, NOW + 2)
    yield* repository.schedule(second!, NOW + 1)
    yield* repository.schedule(third!, NOW + 1)
    assert.deepStrictEqual(yield* look("backup", NOW), [[], NOW + 1])
    assert.deepStrictEqual(yield* look("backup", NOW + 1), [[second!, third!], NOW + 1])
    assert.deepStrictEqual(yield* look("backup", NOW + 2), [[second!, third!, first!], NOW + 1])
    assert.deepStrictEqual(yield* look("backup", NOW + 2, 1), [[second!], NOW + 1])
    yield* repository.schedule(second!, null)
    yield* setLifecycle(third!, "suspended")
    assert.deepStrictEqual(yield* look("backup", NOW + 2), [[first!], NOW + 2])
  })
}
