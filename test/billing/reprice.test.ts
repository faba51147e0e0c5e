/** An operator's price for existing orders: announced by mail, and charged from the first period after its date. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { repricePlan } from "#service/admin/commands/Prices"
import { monthsAfter } from "#service/domain/Calendar"
import { availablePlans, resize } from "#service/operations/Resize"
import { renewals, until } from "../support/billing.ts"
import { operationTime, running } from "../support/instances.ts"
import { Mailbox } from "../support/mailbox.ts"
import { elapse, owner, serviceLayer, show } from "../support/service.ts"

const DAY = 86_400_000

/** Until an instance bought on 1 January 1970 was renewed this often. */
const renewed = (times: number) => until(monthsAfter(0, times) + DAY)

const announce = (from = "1970-02-15") => repricePlan({ id: 1, price: 5.99, from })

/** The charges of the first order's renewals. */
const charges = Effect.map(
  renewals,
  (journals) =>
    journals.filter(({ reference }) => reference.includes(":order:1:")).map(({ entries }) => -entries[0]!.amount)
)

const priceOf = (id: number) => Effect.map(show(id), ({ order }) => order.service.price)

describe("a new price for existing orders", () => {
  it.effect("is mailed ahead, and charged from the first period that begins after its date", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* running(2)
      const result = yield* announce()
      assert.deepStrictEqual(result, {
        plan_id: 1,
        price: 5.99,
        currency: "EUR",
        from: "1970-02-15T00:00:00.000Z",
        repriced: 1,
        uninformed: []
      })
      const [mail, ...others] = (yield* Mailbox).received
      assert.deepStrictEqual(others, [])
      assert.deepInclude(mail, { to: "owner@example.test", subject: "New price of VPS S from 1970-02-15" })
      assert.include(Redacted.value(mail!.text), "will be 5.99 EUR per month")
      assert.include(Redacted.value(mail!.text), `instance ${id}, now 4.99 EUR`)
      yield* renewed(1)
      assert.deepStrictEqual([yield* charges, yield* priceOf(id)], [[499], 4.99])
      yield* renewed(2)
      assert.deepStrictEqual([yield* charges, yield* priceOf(id)], [[499, 599], 5.99])
      yield* renewed(3)
      assert.deepStrictEqual(yield* charges, [499, 599, 599])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is that of a period which begins at its very moment", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* announce((yield* show(id)).expires_at!)
      yield* renewed(1)
      assert.deepStrictEqual(yield* charges, [599])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is announced once: a repetition informs only those who have not been informed", () =>
    Effect.gen(function*() {
      yield* running()
      const box = yield* Mailbox
      box.refusals = 3
      const first = yield* Effect.forkChild(announce())
      yield* elapse(10_000, 1_000)
      assert.deepInclude(yield* Fiber.join(first), { repriced: 0, uninformed: [1] })
      yield* renewed(1)
      yield* renewed(2)
      assert.deepStrictEqual(yield* charges, [499, 499], "without the mail the price does not change")
      assert.deepInclude(yield* announce("1970-05-15"), { repriced: 1, uninformed: [] })
      assert.deepInclude(yield* announce("1970-05-15"), { repriced: 0, uninformed: [] })
      assert.lengthOf(box.received, 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("ends with a resize, which has the price of the catalogue", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* announce()
      const [target] = yield* availablePlans(owner, id)
      assert.strictEqual(target!.charge_amount, 5, "counted from the price that holds now")
      yield* resize(owner, id, 2)
      yield* operationTime
      yield* renewed(1)
      yield* renewed(2)
      assert.deepStrictEqual(yield* charges, [999, 999])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is rejected less than 30 days ahead, and for a plan that does not exist", () =>
    Effect.gen(function*() {
      yield* running()
      const { message } = yield* Effect.flip(announce("1970-01-30"))
      assert.include(message, "Set --from to 1970-01-31T00:00:0")
      assert.deepStrictEqual((yield* Mailbox).received, [])
      const unknown = yield* Effect.flip(repricePlan({ id: 99, price: 1, from: "1971-01-01" }))
      assert.include(unknown.message, "Plan 99 not found.")
    }).pipe(Effect.provide(serviceLayer())))
})
