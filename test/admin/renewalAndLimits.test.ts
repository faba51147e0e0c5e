/** Operators' changes to an instance's renewal and to an account's limits. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { accountLimits } from "#service/admin/commands/Accounts"
import { setAutoRenew, suspend } from "#service/admin/commands/Instances"
import { nextNight } from "#service/domain/Calendar"
import { verify } from "#service/ledger/Ledger"
import { Backups } from "#service/persistence/Backups"
import { Accounts } from "#service/persistence/Accounts"
import { Instances } from "#service/persistence/Instances"
import { at, until } from "../support/billing.ts"
import { operationTime, running } from "../support/instances.ts"
import { setLifecycle } from "../support/lifecycle.ts"
import { allTasks, buy, elapse, serviceLayer, show } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { CREATES_PER_HOUR, CREATES_PER_MINUTE } = DEFAULT_LIMITS

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

const audits = Effect.map(allTasks, (tasks) => tasks.filter(({ type }) => type === "set_auto_renew"))

describe("auto-renewal", () => {
  it.effect("that an operator turns off lets the instance expire with its period, and is in the feed", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.isTrue((yield* show(id)).auto_renew)
      const result = yield* setAutoRenew({ id, auto_renew: false })
      assert.deepInclude(result, { instance_id: id, auto_renew: false, lifecycle: "active", renewed: false })
      assert.isFalse((yield* show(id)).auto_renew)
      assert.deepInclude((yield* audits)[0], { kind: "audit", actor: "admin", status: "succeeded", instanceId: id })
      // A repetition has no effect and leaves no record.
      yield* setAutoRenew({ id, auto_renew: false })
      assert.lengthOf(yield* audits, 1)
      yield* until(at((yield* show(id)).expires_at!))
      assert.strictEqual((yield* show(id)).status, "expired")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is turned on again within the grace brings it back, for the price of a period", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* setAutoRenew({ id, auto_renew: false })
      yield* until(at((yield* show(id)).expires_at!))
      yield* elapse(5_000, 500)
      const result = yield* setAutoRenew({ id, auto_renew: true })
      assert.deepInclude(result, { auto_renew: true, lifecycle: "active", renewed: true })
      yield* elapse(2_000)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is refused for what was never deployed, and for what is not there", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* setLifecycle(id, "failed")
      assert.include(yield* refusal(setAutoRenew({ id, auto_renew: false })), "nothing to renew")
      yield* setLifecycle(id, "deleted")
      assert.include(yield* refusal(setAutoRenew({ id, auto_renew: false })), `Instance ${id} not found`)
      assert.include(yield* refusal(setAutoRenew({ id: 99, auto_renew: true })), "Instance 99 not found")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("an account's limits of creates", () => {
  it.effect("are the service's own until an operator sets some, one by one, and takes them back", () =>
    Effect.gen(function*() {
      const own = {
        account_id: 1,
        creates_per_minute: CREATES_PER_MINUTE,
        creates_per_hour: CREATES_PER_HOUR,
        set_for_account: []
      }
      assert.deepStrictEqual(yield* accountLimits({ id: 1 }), own)
      assert.deepStrictEqual(yield* accountLimits({ id: 1, creates_per_hour: 500 }), {
        ...own,
        creates_per_hour: 500,
        set_for_account: ["creates_per_hour"]
      })
      yield* accountLimits({ id: 1, creates_per_minute: 2 })
      assert.deepInclude((yield* (yield* Accounts).find(1))!.creates, { perMinute: 2, perHour: 500 })
      assert.deepStrictEqual(yield* accountLimits({ id: 1, creates_per_minute: null, creates_per_hour: null }), own)
      assert.include(yield* refusal(accountLimits({ id: 9 })), "Account 9 not found")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a suspension", () => {
  it.effect("does not wait for a nightly backup, which gives way", () =>
    Effect.gen(function*() {
      const { id } = yield* buy()
      yield* elapse(2_000)
      const now = yield* Clock.currentTimeMillis
      yield* elapse(nextNight(now, id) - now, 3_600_000)
      assert.strictEqual((yield* (yield* Instances).find(id))!.task, "backup_create")
      assert.deepInclude(yield* suspend({ id, reason: "sends spam" }), { lifecycle: "suspended" })
      yield* operationTime
      assert.deepInclude(yield* (yield* Instances).find(id), { lifecycle: "suspended", power: "off" })
      const tasks = (yield* allTasks).map(({ status, type }) => `${type} ${status}`)
      assert.deepStrictEqual(tasks.slice(-2), ["backup_create cancelled", "suspend succeeded"])
      assert.deepStrictEqual(yield* (yield* Backups).list(id), [])
    }).pipe(Effect.provide(serviceLayer())))
})
