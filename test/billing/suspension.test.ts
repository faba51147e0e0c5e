/** The paid time of suspended instances, and of those that are paid late. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { extendGrace, undoRenewal } from "#service/admin/commands/Wallet"
import { setAutoRenew, suspend, unsuspend } from "#service/admin/commands/Instances"
import { statementOf } from "#service/billing/Statement"
import { monthsAfter, nextPeriodEnd } from "#service/domain/Period"
import { verify } from "#service/ledger/Ledger"
import { availablePlans } from "#service/operations/Resize"
import { DueTimes } from "#service/persistence/DueTimes"
import { Instances } from "#service/persistence/Instances"
import { at, renewals, running, topUp, until, wallet } from "../support/billing.ts"
import { elapse, owner, serviceLayer, show } from "../support/service.ts"

const DAY = 86_400_000

const endOf = (id: number) => Effect.map(show(id), (shown) => at(shown.expires_at!))
const ALL = { instanceId: null, before: null, since: null, until: null }

describe("a suspension", () => {
  it.effect("that is not charged pauses the period: nothing is renewed, and the end comes later by its time", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      yield* until(end - 10 * DAY)
      assert.deepInclude(yield* suspend({ id, reason: "under investigation" }), { charged: false })
      yield* until(end + 85 * DAY)
      assert.strictEqual((yield* show(id)).status, "suspended")
      assert.deepStrictEqual(yield* renewals, [])
      assert.isUndefined((yield* (yield* DueTimes).next).ending, "the worker would never rest")
      assert.deepStrictEqual(yield* (yield* Instances).subscriptions.endings.ids(end + 85 * DAY, 9), [])
      yield* unsuspend({ id })
      yield* elapse(1_000)
      assert.strictEqual((yield* show(id)).status, "running")
      const later = yield* endOf(id)
      assert.closeTo(later, end + 95 * DAY, 60_000)
      yield* until(later - DAY)
      assert.deepStrictEqual(yield* renewals, [], "the ten days that were left are still paid")
      yield* until(later)
      assert.lengthOf(yield* renewals, 1)
      assert.strictEqual(yield* endOf(id), nextPeriodEnd(0, end) + later - end)
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is charged is renewed as before, and each line says so", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      assert.deepInclude(yield* suspend({ id, reason: "spam", charged: true }), { charged: true })
      yield* until(end)
      assert.strictEqual((yield* show(id)).status, "suspended")
      const [line] = yield* statementOf(1, ALL, 1)
      assert.match(line!.description, /^VPS S \(1970-02-01 to 1970-03-01, while suspended\)$/)
      assert.strictEqual(yield* endOf(id), nextPeriodEnd(0, end))
      yield* unsuspend({ id })
      yield* elapse(1_000)
      assert.strictEqual(yield* endOf(id), nextPeriodEnd(0, end))
      yield* until(nextPeriodEnd(0, end))
      assert.notInclude((yield* statementOf(1, ALL, 1))[0]!.description, "suspended")
    }).pipe(Effect.provide(serviceLayer())))

  /** Suspended when its period ended, without money for the next one. */
  const expired = Effect.gen(function*() {
    const { end, id } = yield* running(0)
    yield* suspend({ id, reason: "spam", charged: true })
    yield* until(end)
    return id
  })

  it.effect("continues after a renewal within the grace, and ends with the power from before", () =>
    Effect.gen(function*() {
      const id = yield* expired
      assert.strictEqual((yield* show(id)).status, "expired")
      yield* topUp(499)
      yield* elapse(1_500)
      assert.strictEqual((yield* show(id)).status, "suspended")
      yield* unsuspend({ id })
      yield* elapse(1_500)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is lifted within the grace leaves the instance expired, and its renewal starts it", () =>
    Effect.gen(function*() {
      const id = yield* expired
      yield* unsuspend({ id })
      yield* elapse(1_500)
      assert.strictEqual((yield* show(id)).status, "expired")
      yield* topUp(499)
      yield* elapse(1_500)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that was not charged changes neither the price of a larger plan, nor what an undone renewal refunds", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(10_000)
      const costOf = Effect.map(availablePlans(owner, id), (plans) => plans.map(({ charge_amount: charge }) => charge))
      yield* until(end - 10 * DAY)
      const before = yield* costOf
      yield* suspend({ id, reason: "under investigation" })
      yield* until(end + 40 * DAY)
      yield* unsuspend({ id })
      yield* elapse(1_000)
      assert.deepStrictEqual(yield* costOf, before)
      const later = yield* endOf(id)
      yield* until(later)
      yield* suspend({ id, reason: "again" })
      yield* until(later + 20 * DAY)
      yield* unsuspend({ id })
      yield* elapse(1_000)
      yield* setAutoRenew({ id, auto_renew: false })
      const left = yield* wallet
      assert.include((yield* undoRenewal({ id })).result, "4.99 EUR were refunded.")
      assert.strictEqual(yield* wallet, left + 499)
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a payment long after the end of a period", () => {
  it.effect("buys a whole period from then on, at whose end the next one begins", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(0)
      yield* until(end)
      yield* extendGrace({ id, days: 90 })
      yield* until(end + 45 * DAY)
      assert.deepInclude(yield* topUp(499), { renewed: [id] })
      yield* elapse(1_500)
      const paid = yield* endOf(id)
      assert.closeTo(paid, monthsAfter(0, 2) + 45 * DAY, 60_000)
      const [line] = yield* statementOf(1, ALL, 1)
      assert.deepStrictEqual([at(line!.period_to!), line!.description], [
        paid,
        "VPS S (1970-03-18 to 1970-04-15)"
      ])
      yield* until(paid - DAY)
      assert.strictEqual((yield* show(id)).status, "running")
      yield* topUp(499, "payment-2")
      yield* until(paid)
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual((yield* renewals).length, 2)
      assert.closeTo(yield* endOf(id), monthsAfter(0, 3) + 45 * DAY, 60_000)
    }).pipe(Effect.provide(serviceLayer())))
})
