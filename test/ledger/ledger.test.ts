/** The ledger: every journal sums to zero, and each wallet matches its journals. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { price } from "#service/domain/Vat"
import { charge as chargeFor, createReference, type Payment, topUp, verify } from "#service/ledger/Ledger"
import { refundOrder } from "#service/ledger/Refunds"
import { Accounts } from "#service/persistence/Accounts"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { persistenceLayer } from "../support/service.ts"
import { TREATMENTS } from "#service/contract/Words"

const inTransaction = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, ({ run }) => run(useCase))

const account = (treatment: typeof TREATMENTS[number] = "domestic") =>
  Effect.gen(function*() {
    const accounts = yield* Accounts
    const vat = { treatment, rate: 1900 }
    return yield* inTransaction(accounts.create({ email: "a@example.test", currency: "EUR", vat, at: 0 }))
  })

/** A charge for no instance. */
const charge = (
  { orderId, ...payment }: Omit<Payment, "kind" | "reference" | "instanceId" | "explanation"> & { orderId: number }
) => {
  const order = Effect.succeed({ orderId, instanceId: null })
  return Effect.map(chargeFor({ ...payment, explanation: {} }, [0, 0], order), (ordered) => ordered !== undefined)
}

const DOMESTIC = { treatment: "domestic", rate: 1900 } as const

const pay = (accountId: number, orderId: number, gross: number) =>
  inTransaction(charge({ accountId, orderId, price: price(gross, DOMESTIC), currency: "EUR", at: 0 }))

const fill = (accountId: number, amount: number, reference: string) =>
  inTransaction(topUp({ accountId, amount, reference, at: 0 }))

const wallet = (accountId: number) =>
  Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(accountId), (found) => found!.wallet))

describe("a charge", () => {
  it.effect("splits domestic VAT from the revenue", () =>
    Effect.gen(function*() {
      const id = yield* account()
      yield* fill(id, 1_000, "p1")
      assert.isTrue(yield* pay(id, 7, 999))
      const journal = yield* (yield* Journals).find(createReference(7))
      assert.deepStrictEqual(journal!.entries, [
        { account: `wallet:${id}`, amount: -999 },
        { account: "revenue", amount: 839 },
        { account: "vat", amount: 160 }
      ])
      assert.strictEqual(yield* wallet(id), 1)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("without VAT has no line for it", () =>
    Effect.gen(function*() {
      const id = yield* account("exempt")
      yield* fill(id, 1_000, "p1")
      const exempt = price(999, { treatment: "exempt", rate: 0 })
      yield* inTransaction(charge({ accountId: id, orderId: 7, price: exempt, currency: "EUR", at: 0 }))
      const journal = yield* (yield* Journals).find("instance_create:order:7")
      assert.strictEqual(journal!.kind, "instance_create")
      assert.deepStrictEqual(journal!.entries, [
        { account: `wallet:${id}`, amount: -839 },
        { account: "revenue", amount: 839 }
      ])
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("that the wallet does not hold writes nothing", () =>
    Effect.gen(function*() {
      const id = yield* account()
      yield* fill(id, 998, "p1")
      assert.isFalse(yield* pay(id, 7, 999))
      assert.strictEqual(yield* wallet(id), 998)
      assert.isUndefined(yield* (yield* Journals).find(createReference(7)))
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("of zero writes no journal", () =>
    Effect.gen(function*() {
      const id = yield* account()
      assert.isTrue(yield* pay(id, 7, 0))
      assert.deepStrictEqual(yield* (yield* Journals).all, [])
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("of the same order happens once: the second is a defect and takes nothing", () =>
    Effect.gen(function*() {
      const id = yield* account()
      yield* fill(id, 2_000, "p1")
      yield* pay(id, 7, 999)
      const second = yield* Effect.exit(pay(id, 7, 999))
      assert.strictEqual(second._tag, "Failure")
      assert.strictEqual(yield* wallet(id), 1_001)
      assert.isTrue((yield* verify).balanced)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect.each([-1, 0.5, Number.NaN, 2 ** 60])("of no amount is a defect: %d", (gross) =>
    Effect.gen(function*() {
      const id = yield* account()
      yield* fill(id, 100, "p1")
      const broken = { ...price(1, DOMESTIC), charge: gross }
      const tried = yield* Effect.exit(
        inTransaction(charge({ accountId: id, orderId: 1, price: broken, currency: "EUR", at: 0 }))
      )
      assert.strictEqual(tried._tag, "Failure")
      assert.strictEqual(yield* wallet(id), 100)
    }).pipe(Effect.provide(persistenceLayer)))
})

describe("a refund", () => {
  it.effect("reverses the charge, once", () =>
    Effect.gen(function*() {
      const id = yield* account()
      yield* fill(id, 1_000, "p1")
      yield* pay(id, 7, 999)
      assert.isTrue(yield* inTransaction(refundOrder({ orderId: 7, at: 1 })))
      assert.isFalse(yield* inTransaction(refundOrder({ orderId: 7, at: 2 })))
      assert.strictEqual(yield* wallet(id), 1_000)
      const book = yield* Journals
      assert.strictEqual(yield* book.balance("revenue"), 0)
      assert.strictEqual(yield* book.balance("vat"), 0)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("of one order is not that of another", () =>
    Effect.gen(function*() {
      const id = yield* account()
      yield* fill(id, 2_000, "p1")
      for (const order of [7, 8]) yield* pay(id, order, 999)
      for (const orderId of [7, 8]) assert.isTrue(yield* inTransaction(refundOrder({ orderId, at: 1 })))
      assert.strictEqual(yield* wallet(id), 2_000)
      assert.strictEqual((yield* (yield* Journals).find("refund:order:8"))!.kind, "refund")
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("of what cost nothing gives nothing", () =>
    Effect.gen(function*() {
      yield* account()
      assert.isFalse(yield* inTransaction(refundOrder({ orderId: 7, at: 1 })))
    }).pipe(Effect.provide(persistenceLayer)))
})

describe("a top-up", () => {
  it.effect("of nothing is done, and writes nothing", () =>
    Effect.gen(function*() {
      const id = yield* account()
      assert.isTrue(yield* fill(id, 0, "p1"))
      assert.deepStrictEqual(yield* (yield* Journals).all, [])
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("counts a payment once, and needs an account", () =>
    Effect.gen(function*() {
      const id = yield* account()
      assert.isTrue(yield* fill(id, 500, "payment-1"))
      assert.isFalse(yield* fill(id, 500, "payment-1"))
      assert.isFalse(yield* fill(99, 500, "payment-2"))
      assert.strictEqual(yield* wallet(id), 500)
    }).pipe(Effect.provide(persistenceLayer)))
})

describe("the audit", () => {
  it.effect("finds a wallet that was changed past the ledger", () =>
    Effect.gen(function*() {
      const id = yield* account()
      yield* fill(id, 500, "p1")
      const second = yield* account()
      yield* execute("UPDATE accounts SET wallet = 501")
      assert.deepStrictEqual(yield* verify, { balanced: false, unbalanced: [], wrongWallets: [id, second] })
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("finds a journal that does not sum to zero, or that is empty", () =>
    Effect.gen(function*() {
      const id = yield* account()
      const book = yield* Journals
      const journal = { accountId: id, kind: "top_up", currency: "EUR", at: 0 } as const
      yield* inTransaction(book.append({ ...journal, reference: "empty", entries: [] }))
      yield* inTransaction(
        book.append({ ...journal, reference: "one-sided", entries: [{ account: "bank", amount: -1 }] })
      )
      const found = { balanced: false, unbalanced: ["empty", "one-sided"], wrongWallets: [] }
      assert.deepStrictEqual(yield* verify, found)
    }).pipe(Effect.provide(persistenceLayer)))
})

/** The operations on money; accounts and orders have small numbers, so that operations collide. */
const Small = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 3 }))
const OrderNumber = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 12 }))
const Cents = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 5_000 }))
const Event = Schema.Union([
  Schema.Struct({ kind: Schema.Literal("topUp"), who: Small, amount: Cents, payment: OrderNumber }),
  Schema.Struct({ kind: Schema.Literal("charge"), who: Small, order: OrderNumber, gross: Cents }),
  Schema.Struct({ kind: Schema.Literal("refund"), order: OrderNumber })
])

const happen = (event: typeof Event.Type, ids: ReadonlyArray<number>) => {
  if (event.kind === "topUp") return fill(ids[event.who]!, event.amount, `payment-${event.payment}`)
  if (event.kind === "refund") return inTransaction(refundOrder({ orderId: event.order, at: 0 }))
  const customer = { treatment: TREATMENTS[event.who]!, rate: 1900 }
  const { gross, order: orderId, who } = event
  return inTransaction(
    charge({ accountId: ids[who]!, orderId, price: price(gross, customer), currency: "EUR", at: 0 })
  )
}

describe("any history", () => {
  it.effect.prop(
    "keeps the books balanced and no wallet below zero",
    [Schema.Array(Event)],
    ([events]) =>
      Effect.gen(function*() {
        const ids = yield* Effect.forEach(TREATMENTS.slice(0, 4), account)
        // An order that is charged twice is a defect; its transaction leaves nothing behind.
        yield* Effect.forEach(events, (event) => Effect.exit(happen(event, ids)), { concurrency: "unbounded" })
        assert.deepStrictEqual(yield* verify, { balanced: true, unbalanced: [], wrongWallets: [] })
        const wallets = yield* Effect.forEach(ids, wallet)
        assert.isTrue(wallets.every((balance) => balance >= 0))
        const journals = yield* (yield* Journals).all
        assert.strictEqual(new Set(journals.map(({ reference }) => reference)).size, journals.length)
      }).pipe(Effect.provide(persistenceLayer)),
    // Each has a database of its own, on PostgreSQL, too.
    { arbitrary: { runs: 40 } }
  )
})
