/** An operator's price for existing orders: announced by mail, and charged from the first period after its date. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Deferred from "effect/Deferred"
import * as Fiber from "effect/Fiber"
import * as Redacted from "effect/Redacted"
import { repricePlan } from "#service/admin/commands/Prices"
import { CallerLeft } from "#service/admin/UseCases"
import { Mails } from "#service/persistence/Mails"
import { Orders } from "#service/persistence/Orders"
import { monthsAfter } from "#service/domain/Period"
import { availablePlans, resize } from "#service/operations/Resize"
import { renewals, until } from "../support/billing.ts"
import { terminate } from "#service/admin/commands/Instances"
import { operationTime, running } from "../support/instances.ts"
import { Mailbox } from "../support/mailbox.ts"
import { elapse, owner, serviceLayer, show } from "../support/service.ts"

const DAY = 86_400_000

/** Of an instance that the tests' helper buys. */
const HOSTNAME = "web.example.test"

/** Until an instance bought on 1 January 1970 was renewed this often. */
const renewed = (times: number) => until(monthsAfter(0, times) + DAY)

/** Until a command that may wait for its mails has ended. */
const ended = <A, E, R>(command: Effect.Effect<A, E, R>) =>
  Effect.gen(function*() {
    const fiber = yield* Effect.forkChild(command)
    yield* elapse(30_000, 1_000)
    return yield* Fiber.join(fiber)
  })

const announce = (from = "1970-02-15") => ended(repricePlan({ id: 1, price: 5.99, from }))

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
        accounts: 1,
        waiting: [],
        uninformed: [],
        withdrawn: [],
        skipped: []
      })
      const [mail, ...others] = (yield* Mailbox).received
      assert.deepStrictEqual(others, [])
      assert.deepInclude(mail, {
        to: "owner@example.test",
        subject: "New price of VPS S: 5.99 EUR from February 15, 1970 at 00:00 UTC"
      })
      assert.include(Redacted.value(mail!.text), "will cost 5.99 EUR per month")
      assert.include(Redacted.value(mail!.text), `${HOSTNAME} (instance ${id}): now 4.99 EUR`)
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

  it.effect("waits for the mail server, and applies once the mail is sent", () =>
    Effect.gen(function*() {
      yield* running()
      const box = yield* Mailbox
      box.refusals = Number.POSITIVE_INFINITY
      assert.deepInclude(yield* announce(), { repriced: 1, waiting: [1], uninformed: [] })
      assert.deepInclude(yield* announce(), { repriced: 0, waiting: [] }, "its mail is not written a second time")
      yield* renewed(1)
      yield* renewed(2)
      assert.deepStrictEqual(yield* charges, [499, 499], "without the mail the price does not change")
      box.refusals = 0
      yield* elapse(3_600_000, 60_000)
      assert.lengthOf(box.received, 1)
      yield* renewed(3)
      assert.deepStrictEqual(yield* charges, [499, 499, 599])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is not announced to an address that the mail server refuses, and a repetition tries again", () =>
    Effect.gen(function*() {
      yield* running()
      const box = yield* Mailbox
      box.refused = "owner@example.test"
      assert.deepInclude(yield* announce("1970-05-15"), { repriced: 0, waiting: [], uninformed: [1] })
      yield* renewed(1)
      box.refused = undefined
      assert.deepInclude(yield* announce("1970-05-15"), { repriced: 1, uninformed: [] })
      assert.deepInclude(yield* announce("1970-05-15"), { repriced: 0, uninformed: [] })
      assert.lengthOf(box.received, 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("stops when its command is interrupted: what no mail has announced yet never was", () =>
    Effect.gen(function*() {
      yield* running()
      const box = yield* Mailbox
      box.refusals = Number.POSITIVE_INFINITY
      const left = yield* Deferred.make<void>()
      const command = Effect.provideService(
        repricePlan({ id: 1, price: 59.9, from: "1970-02-15" }),
        CallerLeft,
        Deferred.await(left)
      )
      const fiber = yield* Effect.forkChild(command)
      yield* elapse(3_000, 1_000)
      yield* Deferred.succeed(left, undefined)
      yield* elapse(1_000, 500)
      assert.deepInclude(yield* Fiber.join(fiber), { repriced: 0, waiting: [], withdrawn: [1], uninformed: [] })
      box.refusals = 0
      yield* elapse(3_600_000, 60_000)
      assert.deepStrictEqual(box.received, [])
      assert.deepInclude(yield* announce(), { repriced: 1 })
      yield* renewed(1)
      yield* renewed(2)
      assert.deepStrictEqual(yield* charges, [499, 599])
      const [sent, withdrawn] = yield* (yield* Mails).list({ accountId: 1, state: null, before: null }, 9)
      assert.isNotNull(sent!.sentAt)
      assert.deepInclude(withdrawn!, { sentAt: null, dueAt: null, error: "The announcement was interrupted." })
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("can be tried: a dry run counts, and neither stores nor mails anything", () =>
    Effect.gen(function*() {
      yield* running()
      yield* running()
      const tried = yield* repricePlan({ id: 1, price: 5.99, from: "1970-02-15", dry_run: true })
      assert.deepInclude(tried, { repriced: 2, accounts: 1, waiting: [] })
      assert.deepInclude(yield* announce(), { repriced: 2, accounts: 1 })
      assert.lengthOf((yield* Mailbox).received, 1)
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

  it.effect("is not mailed to an owner who resized the instance while the mail server took none", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const box = yield* Mailbox
      box.refusals = Number.POSITIVE_INFINITY
      assert.deepInclude(yield* announce(), { repriced: 1, waiting: [1] })
      yield* resize(owner, id, 2)
      yield* operationTime
      box.refusals = 0
      yield* elapse(3_600_000, 60_000)
      assert.deepStrictEqual(box.received, [])
      const [mail] = yield* (yield* Mails).list({ accountId: 1, state: "failed", before: null }, 9)
      assert.strictEqual(mail!.error, "Its instances have another plan by now, or have ended.")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is mailed for those instances only that still have the plan, and have not ended", () =>
    Effect.gen(function*() {
      const [kept, resized, ended] = [yield* running(), yield* running(), yield* running()]
      const box = yield* Mailbox
      box.refusals = Number.POSITIVE_INFINITY
      yield* announce()
      yield* resize(owner, resized, 2)
      yield* terminate({ id: ended, reason: "test" })
      yield* operationTime
      box.refusals = 0
      yield* elapse(3_600_000, 60_000)
      const mail = box.received.find(({ subject }) => subject.startsWith("New price"))!
      const named = [...Redacted.value(mail.text).matchAll(/\(instance (\d+)\)/g)].map(([, id]) => Number(id))
      assert.deepStrictEqual(named, [kept])
      assert.include(Redacted.value(mail.text), "That is charged for each period")
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
      const later = yield* Effect.flip(repricePlan({ id: 1, price: 5.99, from: "1970-03-15" }))
      assert.strictEqual(later.message, message, "the same price from another date")
      const { received } = yield* Mailbox
      assert.lengthOf(received, 1)
      const replaced = yield* ended(repricePlan({ id: 1, price: 6.99, from: "1970-03-15", replace: true }))
      assert.deepInclude(replaced, { repriced: 1, skipped: [] })
      const text = Redacted.value(received.at(-1)!.text)
      assert.include(text, `${HOSTNAME} (instance ${id}): now 4.99 EUR, instead of 5.99 EUR as announced before`)
      for (const times of [1, 2, 3]) yield* renewed(times)
      assert.deepStrictEqual(yield* charges, [499, 499, 699])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("of two announcements at once, one applies, and the other is skipped and reported", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const both = Effect.all(
        [5.99, 6.99].map((price) => repricePlan({ id: 1, price, from: "1970-02-15" })),
        { concurrency: "unbounded" }
      )
      // Either may be the first: on PostgreSQL the two run on connections of their own.
      const [applied, refused] = (yield* ended(both)).toSorted((left, right) => right.repriced - left.repriced)
      assert.deepInclude(applied, { repriced: 1, skipped: [] })
      const reason = "Its price was changed meanwhile. Run the command again."
      assert.deepInclude(refused, { repriced: 0, skipped: [{ account_id: 1, instance_id: id, reason }] })
      assert.lengthOf((yield* Mailbox).received, 1)
      for (const times of [1, 2]) yield* renewed(times)
      assert.deepStrictEqual(yield* charges, [499, applied!.price * 100])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("skips an order that is resized between the look at it and its announcement", () =>
    Effect.gen(function*() {
      const id = yield* running()
      const orders = yield* Orders
      const resized = Effect.andThen(Effect.orDie(resize(owner, id, 2)), operationTime)
      const context = yield* Effect.context<Effect.Services<typeof resized>>()
      const repriced = Effect.provideService(repricePlan({ id: 1, price: 5.99, from: "1970-02-15" }), Orders, {
        ...orders,
        repriceable: (change) => Effect.tap(orders.repriceable(change), Effect.provideContext(resized, context))
      })
      const reason = "It was resized meanwhile, so it has the price of its new plan."
      assert.deepInclude(yield* repriced, { repriced: 0, skipped: [{ account_id: 1, instance_id: id, reason }] })
      assert.deepStrictEqual((yield* Mailbox).received, [])
      yield* renewed(2)
      assert.strictEqual(yield* priceOf(id), 9.99)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is rejected less than 30 days ahead, and for a plan that does not exist", () =>
    Effect.gen(function*() {
      yield* running()
      const { message } = yield* Effect.flip(repricePlan({ id: 1, price: 5.99, from: "1970-01-30" }))
      assert.include(message, "Set --from to 1970-01-31T00:00:0")
      assert.deepStrictEqual((yield* Mailbox).received, [])
      const unknown = yield* Effect.flip(repricePlan({ id: 99, price: 1, from: "1971-01-01" }))
      assert.include(unknown.message, "Plan 99 not found.")
    }).pipe(Effect.provide(serviceLayer())))
})
