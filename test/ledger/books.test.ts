/** The check of the books for pages that are read often. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { StorageUnavailable } from "#service/domain/Errors"
import { Books } from "#service/ledger/Books"
import { topUp } from "#service/ledger/Ledger"
import { Database } from "#service/persistence/sqlite/Database"
import { ReplicaBus } from "#service/persistence/ReplicaBus"
import { Transaction } from "#service/persistence/Transaction"
import { Accounts } from "#service/persistence/Accounts"
import { persistenceLayer } from "../support/service.ts"

const checked = Effect.flatMap(Books, (books) => books.checked)

/** A wallet that differs from the ledger. */
const breakBooks = Effect.gen(function*() {
  const vat = { treatment: "domestic", rate: 1900 } as const
  const { run } = yield* Transaction
  yield* run(Effect.gen(function*() {
    const accountId = yield* (yield* Accounts).create({ email: "a@example.test", currency: "EUR", vat, at: 0 })
    yield* topUp({ accountId, amount: 500, reference: "p1", at: 0 })
  }))
  ;(yield* Database).connection.exec("UPDATE accounts SET wallet = 501")
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
