/** Refunds of single charges, and the check of all books. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { assert, describe, it } from "@effect/vitest"
import { createReference, pay, payOut, topUp, verify } from "#service/ledger/Ledger"
import { type PartialRefund, refundable, refundOrder, refundPart } from "#service/ledger/Refunds"
import { Accounts } from "#service/persistence/Accounts"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { persistenceLayer } from "../support/service.ts"
import { StorageUnavailable } from "#service/domain/Errors"
import { Books } from "#service/ledger/Books"
import { ReplicaBus } from "#service/persistence/ReplicaBus"

const inTransaction = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, ({ run }) => run(useCase))

const journal = (reference: string) =>
  Effect.flatMap(Journals, ({ find }) => Effect.map(find(reference), (found) => found!))

const entriesOf = (reference: string) =>
  Effect.map(journal(reference), ({ entries }) => entries.map(({ account, amount }) => [account, amount]))

const wallet = Effect.flatMap(Accounts, ({ find }) => Effect.map(find(1), (found) => found!.wallet))

/** Order 7: 4.99 with 0.80 VAT, from a wallet that held 5.00. */
const ORDER = { accountId: 1, kind: "instance_create", reference: createReference(7) } as const

const charged = Effect.gen(function*() {
  const vat = { treatment: "domestic", rate: 1900 } as const
  yield* inTransaction((yield* Accounts).create({ email: "a@example.test", currency: "EUR", vat, at: 0 }))
  yield* inTransaction(topUp({ accountId: 1, amount: 500, reference: "p1", at: 0 }))
  const price = { charge: 499, vat: 80 }
  const explanation = { plan: "VPS S", price: 499 }
  yield* inTransaction(pay({ ...ORDER, price, currency: "EUR", instanceId: null, explanation, at: 0 }))
  return yield* journal(ORDER.reference)
})

const refund = (part: Omit<PartialRefund, "reason" | "at">) =>
  inTransaction(refundPart({ reason: "outage", at: 1, ...part }))

describe("a part of a charge", () => {
  it.effect("returns with its share of the VAT, and the rest if no amount is named", () =>
    Effect.gen(function*() {
      const paid = yield* charged
      assert.strictEqual(yield* refund({ paid, reference: "r1", amount: 166 }), 166)
      assert.deepStrictEqual(yield* entriesOf("r1"), [["wallet:1", 166], ["revenue", -139], ["vat", -27]])
      assert.strictEqual(yield* refundable(paid), 333)
      assert.strictEqual(yield* refund({ paid, reference: "r2" }), 333)
      assert.deepStrictEqual(yield* entriesOf("r2"), [["wallet:1", 333], ["revenue", -280], ["vat", -53]])
      assert.strictEqual(yield* refundable(paid), 0)
      assert.deepStrictEqual([yield* wallet, (yield* verify).balanced], [500, true])
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("keeps what the charge was for, and has the reason", () =>
    Effect.gen(function*() {
      const paid = yield* charged
      yield* refund({ paid, reference: "r1", amount: 1 })
      assert.deepInclude(yield* journal("r1"), {
        kind: "refund",
        reverses: paid.id,
        explanation: { plan: "VPS S", price: 499, reason: "outage" }
      })
      yield* inTransaction(refundOrder({ orderId: 7, at: 2 }))
      assert.deepStrictEqual((yield* journal("refund:order:7")).explanation, { plan: "VPS S", price: 499 })
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("is refunded once under a reference", () =>
    Effect.gen(function*() {
      const paid = yield* charged
      yield* refund({ paid, reference: "r1", amount: 100 })
      assert.isUndefined(yield* refund({ paid, reference: "r1", amount: 100 }))
      assert.deepStrictEqual([yield* wallet, (yield* verify).balanced], [101, true])
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("leaves the rest to the refund of the order, which writes nothing if none is left", () =>
    Effect.gen(function*() {
      const paid = yield* charged
      yield* refund({ paid, reference: "r1", amount: 100 })
      assert.isTrue(yield* inTransaction(refundOrder({ orderId: 7, at: 1 })))
      assert.deepStrictEqual(yield* entriesOf("refund:order:7"), [["wallet:1", 399], ["revenue", -335], ["vat", -64]])
      const other = { ...ORDER, reference: createReference(8) }
      const price = { charge: 500, vat: 0 }
      yield* inTransaction(pay({ ...other, price, currency: "EUR", instanceId: null, explanation: {}, at: 0 }))
      yield* refund({ paid: yield* journal(other.reference), reference: "r2" })
      assert.deepStrictEqual(yield* entriesOf("r2"), [["wallet:1", 500], ["revenue", -500]])
      assert.isFalse(yield* inTransaction(refundOrder({ orderId: 8, at: 1 })))
      assert.deepStrictEqual([yield* wallet, yield* verify], [
        500,
        { balanced: true, unbalanced: [], wrongWallets: [] }
      ])
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect.each([0, -1, 500])(
    "of %d is a defect, which names what can be refunded",
    (amount) =>
      Effect.gen(function*() {
        const paid = yield* charged
        const exit = yield* Effect.exit(refund({ paid, reference: "r1", amount }))
        assert.include(String(exit), `${amount} of 499 cannot be refunded`)
        assert.strictEqual(yield* wallet, 1)
      }).pipe(Effect.provide(persistenceLayer))
  )
})

describe("the amount that can be refunded", () => {
  it.effect("is nothing for a top-up, a payout and a refund", () =>
    Effect.gen(function*() {
      const paid = yield* charged
      assert.strictEqual(yield* refundable(paid), 499)
      yield* refund({ paid, reference: "r1" })
      yield* inTransaction(payOut({ accountId: 1, amount: 500, reference: "out", at: 1 }))
      for (const reference of ["p1", "r1", "out"]) {
        assert.strictEqual(yield* refundable(yield* journal(reference)), 0, reference)
      }
    }).pipe(Effect.provide(persistenceLayer)))
})

const checked = Effect.flatMap(Books, (books) => books.checked)

/** A wallet that differs from the ledger. */
const breakBooks = Effect.gen(function*() {
  const vat = { treatment: "domestic", rate: 1900 } as const
  const { run } = yield* Transaction
  yield* run(Effect.gen(function*() {
    const accountId = yield* (yield* Accounts).create({ email: "a@example.test", currency: "EUR", vat, at: 0 })
    yield* topUp({ accountId, amount: 500, reference: "p1", at: 0 })
  }))
  yield* execute("UPDATE accounts SET wallet = 501")
})

/** A process and its database: counts transactions, and lets the first `failures` of them fail. */
class Process {
  transactions = 0
  failures = 0

  layer(ownsDatabase: boolean) {
    const bus = Effect.map(ReplicaBus, (own) => ({ ...own, ownsDatabase }))
    const counted = Effect.map(Transaction, (real) => ({
      ...real,
      run: <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          this.transactions++
          return this.failures-- > 0
            ? Effect.fail(new StorageUnavailable({ message: "The disk is full." }))
            : real.run(useCase)
        })
    }))
    return Books.layer.pipe(
      Layer.provideMerge(Layer.mergeAll(Layer.effect(ReplicaBus, bus), Layer.effect(Transaction, counted))),
      Layer.provideMerge(persistenceLayer)
    )
  }
}

describe("the check of the books", () => {
  it.effect("is repeated five minutes after the last one, and not before", () =>
    Effect.gen(function*() {
      yield* TestClock.setTime(1_000)
      assert.deepStrictEqual(yield* checked, { balanced: true, at: 1_000 })
      yield* breakBooks
      yield* TestClock.setTime(300_999)
      assert.deepStrictEqual(yield* checked, { balanced: true, at: 1_000 })
      yield* TestClock.setTime(301_000)
      assert.deepStrictEqual(yield* checked, { balanced: false, at: 301_000 })
    }).pipe(Effect.provide(new Process().layer(true))))

  it.effect("reads in a transaction while other processes write, and is repeated at once if that fails", () => {
    const replica = new Process()
    return Effect.gen(function*() {
      replica.failures = 1
      assert.strictEqual((yield* Effect.flip(checked))._tag, "StorageUnavailable")
      assert.isTrue((yield* checked).balanced)
      assert.isTrue((yield* checked).balanced)
      assert.strictEqual(replica.transactions, 2)
    }).pipe(Effect.provide(replica.layer(false)))
  })
})
