/** An operator's price for existing orders: announced by mail, and charged from the first period after its date. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { repricePlan } from "#service/admin/commands/Prices"
import { terminate } from "#service/admin/commands/Instances"
import { monthsAfter } from "#service/domain/Period"
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
        uninformed: [],
        skipped: []
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

  it.effect("is not stored for an instance that was resized, or ended, while the mail was sent", () =>
    Effect.gen(function*() {
      const [resized, ended, other] = [yield* running(), yield* running(), yield* running()]
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof resize>>>()
      const change = Effect.gen(function*() {
        yield* resize(owner, resized, 2)
        yield* terminate({ id: ended, reason: "asked" })
        yield* operationTime
      })
      ;(yield* Mailbox).meanwhile = Effect.orDie(Effect.provideContext(change, context))
      const { repriced, skipped } = yield* announce()
      assert.strictEqual(repriced, 1)
      assert.deepStrictEqual(skipped, [
        {
          account_id: 1,
          instance_id: resized,
          reason: "It was resized while the mail was sent, so it has the price of its new plan."
        },
        { account_id: 1, instance_id: ended, reason: "It ended while the mail was sent." }
      ])
      yield* renewed(1)
      yield* renewed(2)
      assert.deepStrictEqual([yield* priceOf(resized), yield* priceOf(other)], [9.99, 5.99])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("does not replace another announcement, unless it says so; the mail names both", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* announce()
      const { message } = yield* Effect.flip(repricePlan({ id: 1, price: 6.99, from: "1970-03-15" }))
      assert.strictEqual(
        message,
        "Owners of plan 1 were already informed of another price: 5.99 EUR from 1970-02-15T00:00:00.000Z, for instance "
          + `${id}. Wait until it applies, or replace it, which their mail says: --replace.`
      )
      const { received } = yield* Mailbox
      assert.lengthOf(received, 1)
      const replaced = yield* repricePlan({ id: 1, price: 6.99, from: "1970-03-15", replace: true })
      assert.deepInclude(replaced, { repriced: 1, skipped: [] })
      const text = Redacted.value(received.at(-1)!.text)
      assert.include(text, `instance ${id}, now 4.99 EUR, instead of 5.99 EUR as announced before`)
      for (const times of [1, 2, 3]) yield* renewed(times)
      assert.deepStrictEqual(yield* charges, [499, 499, 699])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of two announcements at once, the second is skipped and reported", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const context = yield* Effect.context<Effect.Services<ReturnType<typeof repricePlan>>>()
      const other = Effect.asVoid(repricePlan({ id: 1, price: 6.99, from: "1970-03-15" }))
      ;(yield* Mailbox).meanwhile = Effect.orDie(Effect.provideContext(other, context))
      const reason = "Its price was changed while the mail was sent. Run the command again."
      assert.deepInclude(yield* announce(), { repriced: 0, skipped: [{ account_id: 1, instance_id: id, reason }] })
      for (const times of [1, 2, 3]) yield* renewed(times)
      assert.deepStrictEqual(yield* charges, [499, 499, 699])
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
