/** Refunds of parts of a charge: all together give back what it took, to the cent, and never more. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { createReference, pay, payOut, topUp, verify } from "#service/ledger/Ledger"
import { type PartialRefund, refundable, refundOrder, refundPart } from "#service/ledger/Refunds"
import { Accounts } from "#service/persistence/Accounts"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { persistenceLayer } from "../support/service.ts"

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
