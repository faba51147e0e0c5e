/** A programming error stops the transaction, by name, before any money moves. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { pay, payOut, resizeReference, topUp, verify } from "#service/ledger/Ledger"
import { refundResize } from "#service/ledger/Refunds"
import { Accounts } from "#service/persistence/Accounts"
import { Journals } from "#service/persistence/Journals"
import { Transaction } from "#service/persistence/Transaction"
import { persistenceLayer } from "../support/service.ts"

const inTransaction = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, ({ run }) => run(useCase))

/** The reason for the failure. */
const defect = <A, E, R>(useCase: Effect.Effect<A, E, R>) => Effect.map(Effect.exit(inTransaction(useCase)), String)

const wallet = (accountId: number) =>
  Effect.flatMap(Accounts, (accounts) => Effect.map(accounts.find(accountId), (found) => found!.wallet))

/** An account with 5.00. */
const account = Effect.gen(function*() {
  const vat = { treatment: "domestic", rate: 1900 } as const
  const accounts = yield* Accounts
  const accountId = yield* inTransaction(accounts.create({ email: "a@example.test", currency: "EUR", vat, at: 0 }))
  yield* inTransaction(topUp({ accountId, amount: 500, reference: "p1", at: 0 }))
  return accountId
})

const payment = (accountId: number, charge: number, vat: number) =>
  ({
    accountId,
    kind: "instance_resize",
    reference: resizeReference(1),
    price: { charge, vat },
    currency: "EUR",
    instanceId: null,
    explanation: {},
    at: 0
  }) as const

describe("an amount that is none", () => {
  it.effect.each([-1, 0.5, Number.NaN, 2 ** 53])(
    "%d is named, and neither paid, filled in nor paid out",
    (amount) =>
      Effect.gen(function*() {
        const accountId = yield* account
        const named = `no amount: ${amount}`
        const booking = { accountId, amount, reference: "r", at: 0 }
        assert.include(yield* defect(pay(payment(accountId, amount, 0))), named)
        assert.include(yield* defect(pay(payment(accountId, 100, amount))), named)
        assert.include(yield* defect(topUp(booking)), named)
        assert.include(yield* defect(payOut(booking)), named)
        assert.strictEqual(yield* wallet(accountId), 500)
      }).pipe(Effect.provide(persistenceLayer))
  )
})

describe("a reference that comes again", () => {
  it.effect("is named when it was paid before, and takes nothing", () =>
    Effect.gen(function*() {
      const accountId = yield* account
      yield* inTransaction(pay(payment(accountId, 100, 16)))
      assert.include(yield* defect(pay(payment(accountId, 100, 16))), "instance_resize:task:1 was charged before")
      assert.strictEqual(yield* wallet(accountId), 400)
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("is named when it was paid out before, and takes nothing", () =>
    Effect.gen(function*() {
      const accountId = yield* account
      const booking = { accountId, amount: 100, reference: "out-1", at: 0 }
      assert.isTrue(yield* inTransaction(payOut(booking)))
      assert.include(yield* defect(payOut(booking)), "out-1 was paid out before")
      assert.strictEqual(yield* wallet(accountId), 400)
    }).pipe(Effect.provide(persistenceLayer)))
})

describe("money that goes back to where it came from", () => {
  it.effect("leaves the wallet for the bank, at most what was paid, also after it was spent", () =>
    Effect.gen(function*() {
      const accountId = yield* account
      const booking = { accountId, amount: 501, reference: "out", at: 0 }
      assert.isFalse(yield* inTransaction(payOut(booking)))
      assert.isFalse(yield* inTransaction(payOut({ ...booking, accountId: 99, amount: 0 })))
      assert.isTrue(yield* inTransaction(payOut({ ...booking, amount: 200 })))
      const { currency, entries, explanation, kind } = (yield* (yield* Journals).find("out"))!
      assert.deepStrictEqual([kind, currency, explanation], ["payout", "EUR", null])
      assert.deepStrictEqual(entries, [
        { account: `wallet:${accountId}`, amount: -200 },
        { account: "bank", amount: 200 }
      ])
      assert.deepStrictEqual([yield* wallet(accountId), (yield* verify).balanced], [300, true])
      yield* inTransaction(pay(payment(accountId, 250, 16)))
      assert.isFalse(yield* inTransaction(payOut({ ...booking, amount: 301, reference: "back" })))
      assert.isTrue(yield* inTransaction(payOut({ ...booking, amount: 299, reference: "back" })))
      assert.deepStrictEqual([yield* wallet(accountId), (yield* verify).balanced], [-249, true])
      assert.isFalse(yield* inTransaction(pay({ ...payment(accountId, 1, 0), reference: "more" })))
      yield* inTransaction(payOut({ ...booking, amount: 1, reason: "asked", reference: "why" }))
      assert.deepStrictEqual((yield* (yield* Journals).find("why"))!.explanation, { reason: "asked" })
    }).pipe(Effect.provide(persistenceLayer)))

  it.effect("is, for a resize, what the resize had cost, once", () =>
    Effect.gen(function*() {
      const accountId = yield* account
      assert.isFalse(yield* inTransaction(refundResize({ taskId: 1, at: 0 })))
      yield* inTransaction(pay(payment(accountId, 100, 16)))
      assert.isTrue(yield* inTransaction(refundResize({ taskId: 1, at: 0 })))
      assert.isFalse(yield* inTransaction(refundResize({ taskId: 1, at: 0 })))
      assert.strictEqual(yield* wallet(accountId), 500)
      const back = (yield* (yield* Journals).find("refund:resize:task:1"))!
      assert.deepStrictEqual(back.entries, [
        { account: `wallet:${accountId}`, amount: 100 },
        { account: "revenue", amount: -84 },
        { account: "vat", amount: -16 }
      ])
    }).pipe(Effect.provide(persistenceLayer)))
})
