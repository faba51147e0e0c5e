/** Another plan: which ones there are, what a change costs now, and who pays what when it fails. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { AvailablePlan } from "#contract/Services"
import { monthsAfter } from "#service/domain/Period"
import { operate } from "#service/operations/Power"
import { availablePlans, resize } from "#service/operations/Resize"
import { verify } from "#service/ledger/Ledger"
import { Accounts } from "#service/persistence/Accounts"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { IN_STATE, operationTime, running } from "../support/instances.ts"
import { setLifecycle } from "../support/lifecycle.ts"
import { buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { editable, plan } from "../support/catalogue.ts"
import type { Treatment } from "#service/contract/Words"
import { machineOf } from "../support/machineTag.ts"

const DAY = 86_400_000
const stranger = { ...owner, accountId: 2 }

const wallet = Effect.flatMap(Accounts, ({ find }) => Effect.map(find(1), (account) => account!.wallet))

const addPlans = Effect.flatMap(editable, ({ addPlan }) =>
  Effect.flatMap(Transaction, ({ run }) =>
    run(Effect.all([
      addPlan(plan(20, { price: 2_999, outOfStock: true })),
      addPlan(plan(21, { price: 2_999, isActive: false })),
      addPlan(plan(22, { price: 2_999, currency: "USD" })),
      addPlan(plan(23, { price: 2_999, category: "hosting" })),
      addPlan(plan(24, { price: 499 }))
    ]))))

const treat = (treatment: Treatment, rate: number) =>
  execute(`UPDATE accounts SET vat_treatment = '${treatment}', vat_rate = ${rate} WHERE id = 1`)

/** 1 January 1970 had 31 days in its month. */
const PERIOD = monthsAfter(0, 1)

describe("the plans to resize to", () => {
  it.effect("are those of the data center that are sold now, with what a resize costs now", () =>
    Effect.gen(function*() {
      yield* addPlans
      const { id } = yield* buy({ service_id: 2 })
      yield* deployTime
      yield* elapse(PERIOD / 2 - 1_100, DAY)
      const plans = yield* availablePlans(owner, id)
      yield* Schema.decodeUnknownEffect(Schema.Array(AvailablePlan), { onExcessProperty: "error" })(plans)
      assert.deepStrictEqual(
        plans.map((
          { charge_amount: charge, currency, direction, id: planId }
        ) => [planId, direction, charge, currency]),
        [[1, "downgrade", 0, "EUR"], [3, "upgrade", 5, "EUR"], [24, "downgrade", 0, "EUR"]]
      )
      assert.deepInclude(plans[1], { slug: "vps-l", price: 19.99, billing_cycle: "monthly", category: "vps" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(
    [
      ["running", [2, 3] as ReadonlyArray<number>],
      ["stopped", [2, 3]],
      ["rescue", []],
      ["suspended", []],
      ["expired", []],
      ["failed", []],
      ["pending", []]
    ] as const
  )("of an instance that is %s: %j, none where a resize is refused", ([state, plans]) =>
    Effect.gen(function*() {
      const id = yield* IN_STATE[state]
      assert.deepStrictEqual((yield* availablePlans(owner, id)).map((each) => each.id), plans)
      const tried = yield* Effect.exit(resize(owner, id, 3))
      assert.strictEqual(tried._tag, plans.length === 0 ? "Failure" : "Success")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("are not listed for another account or for a dedicated machine", () =>
    Effect.gen(function*() {
      const id = yield* running()
      assert.strictEqual((yield* Effect.flip(availablePlans(stranger, id)))._tag, "InstanceNotFound")
      const dedicated = yield* running(5)
      assert.strictEqual((yield* Effect.flip(availablePlans(owner, dedicated)))._tag, "NotForCategory")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a resize", () => {
  it.effect("charges what is left of the period, and changes order and machine when it is done", () =>
    Effect.gen(function*() {
      const { id } = yield* buy({ service_id: 2 })
      yield* deployTime
      yield* elapse(PERIOD / 4 - 1_100, DAY)
      const before = yield* wallet
      const { expires_at: expiresAt } = yield* show(id)
      const [, expected] = yield* availablePlans(owner, id)
      const result = yield* resize(owner, id, 3)
      const { task_id: taskId, ...rest } = result
      assert.deepStrictEqual(rest, {
        ok: true,
        action: "resize",
        status: "resizing",
        charge_amount: 7.5,
        currency: "EUR"
      })
      assert.strictEqual(result.charge_amount, expected!.charge_amount)
      assert.strictEqual(yield* wallet, before - 750)
      assert.strictEqual((yield* show(id)).order.service_id, 2)
      assert.strictEqual((yield* show(id)).status, "resizing")
      yield* operationTime
      const after = yield* show(id)
      assert.deepInclude(after, { status: "running", expires_at: expiresAt })
      assert.deepInclude(after.order, { service_id: 3 })
      assert.deepInclude(after.order.service, { id: 3, slug: "vps-l", price: 19.99 })
      assert.strictEqual((yield* machineOf(id))!.plan, "vps-l")
      const journal = yield* (yield* Journals).find(`instance_resize:task:${taskId}`)
      assert.deepStrictEqual(journal!.entries.map(({ amount }) => amount), [-750, 630, 120])
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("down costs nothing, gives nothing back, and later counts from the smaller plan's price", () =>
    Effect.gen(function*() {
      const { id } = yield* buy({ service_id: 3 })
      yield* deployTime
      const before = yield* wallet
      assert.deepInclude(yield* resize(owner, id, 1), { charge_amount: 0, currency: "EUR" })
      yield* operationTime
      assert.strictEqual(yield* wallet, before)
      assert.strictEqual((yield* show(id)).order.service_id, 1)
      assert.isUndefined((yield* (yield* Journals).all).find(({ kind }) => kind === "instance_resize"))
      const [middle] = yield* availablePlans(owner, id)
      assert.deepInclude(middle, { id: 2, charge_amount: 5, direction: "upgrade" })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("counts from the list price of the order, not from what a coupon made of it, nor from today's list", () =>
    Effect.gen(function*() {
      const { id } = yield* buy({ service_id: 1, coupon_code: "MINUS5" })
      yield* deployTime
      yield* execute("UPDATE plans SET price = 9999 WHERE id = 1")
      const result = yield* resize(owner, id, 2)
      assert.strictEqual(result.charge_amount, 5)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each<readonly [Treatment, number, number, ReadonlyArray<number>]>([
    ["domestic", 1_900, 5, [-500, 420, 80]],
    ["oss", 2_100, 5, [-500, 413, 87]],
    ["reverse_charge", 0, 4.2, [-420, 420]],
    ["outside_scope", 0, 4.2, [-420, 420]],
    ["exempt", 0, 4.2, [-420, 420]]
  ])(
    "is charged on the basis of a customer who is %s at %i: %d",
    ([treatment, rate, charge, entries]) =>
      Effect.gen(function*() {
        const { id } = yield* buy({ service_id: 1 })
        yield* treat(treatment, rate)
        yield* deployTime
        const result = yield* resize(owner, id, 2)
        assert.strictEqual(result.charge_amount, charge)
        const journal = yield* (yield* Journals).find(`instance_resize:task:${result.task_id}`)
        assert.deepStrictEqual(journal!.entries.map(({ amount }) => amount), entries)
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("needs the money: 402 to the cent, and nothing happens", () =>
    Effect.gen(function*() {
      const { id } = yield* buy({ service_id: 1 })
      yield* deployTime
      yield* execute("UPDATE accounts SET wallet = 499 WHERE id = 1")
      const refused = yield* Effect.flip(resize(owner, id, 2))
      assert.deepInclude(refused, { _tag: "InsufficientFunds", charge: 500, wallet: 499, currency: "EUR" })
      assert.strictEqual((yield* show(id)).status, "running")
      yield* execute("UPDATE accounts SET wallet = 500 WHERE id = 1")
      assert.strictEqual((yield* resize(owner, id, 2)).charge_amount, 5)
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("requested twenty times concurrently is charged once", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const each = Array.from({ length: 20 }, () => Effect.exit(resize(owner, id, 3)))
      const exits = yield* Effect.all(each, { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(({ _tag }) => _tag === "Success").length, 1)
      const journals = (yield* (yield* Journals).all).filter(({ kind }) => kind === "instance_resize")
      assert.lengthOf(journals, 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each<readonly [number, string]>([
    [99, "PlanNotFound"],
    [6, "PlanNotFound"],
    [20, "PlanNotFound"],
    [21, "PlanNotFound"],
    [4, "OtherDataCenter"],
    [5, "OtherCategory"],
    [7, "OtherCategory"],
    [22, "CurrencyMismatch"],
    [23, "OtherCategory"],
    [1, "CurrentPlan"]
  ])("to plan %i is refused: %s", ([planId, tag]) =>
    Effect.gen(function*() {
      yield* addPlans
      const id = yield* running()
      const before = yield* wallet
      assert.strictEqual((yield* Effect.flip(resize(owner, id, planId)))._tag, tag)
      assert.strictEqual(yield* wallet, before)
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each(["is_active = 0", "out_of_stock = 1"])(
    "to its own plan is refused as such, also when that plan is no longer sold: %s",
    (withdrawn) =>
      Effect.gen(function*() {
        const id = yield* running()
        yield* execute(`UPDATE plans SET ${withdrawn} WHERE id = 1`)
        assert.strictEqual((yield* Effect.flip(resize(owner, id, 1)))._tag, "CurrentPlan")
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("is checked in the order 404, 409 current plan, 404, 400, 409 busy, 409 state, 402", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const refusal = (caller: typeof owner, instanceId: number, planId: number) =>
        Effect.map(Effect.flip(resize(caller, instanceId, planId)), ({ _tag }) => _tag)
      yield* operate(owner, id, "restart")
      yield* execute("UPDATE accounts SET wallet = 0 WHERE id = 1")
      assert.strictEqual(yield* refusal(stranger, id, 99), "InstanceNotFound")
      assert.strictEqual(yield* refusal(owner, id, 99), "PlanNotFound")
      assert.strictEqual(yield* refusal(owner, id, 4), "OtherDataCenter")
      assert.strictEqual(yield* refusal(owner, id, 1), "CurrentPlan")
      assert.strictEqual(yield* refusal(owner, id, 2), "InstanceBusy")
      yield* operationTime
      yield* setLifecycle(id, "suspended")
      assert.strictEqual(yield* refusal(owner, id, 2), "InvalidState")
      yield* setLifecycle(id, "active")
      assert.strictEqual(yield* refusal(owner, id, 2), "InsufficientFunds")
      yield* execute("UPDATE accounts SET wallet = 100000 WHERE id = 1")
      const dedicated = yield* running(5)
      assert.strictEqual(yield* refusal(owner, dedicated, 1), "NotForCategory")
    }).pipe(Effect.provide(serviceLayer())))
})
