/** An account that is gone though the ledger has it is a defect. Only SQLite lets a test arrange it. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { endPeriod } from "#service/billing/Renewals"
import { pay, resizeReference } from "#service/ledger/Ledger"
import { refundResize } from "#service/ledger/Refunds"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { allTasks, buy, coreLayer } from "../support/service.ts"

const inTransaction = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Transaction, ({ run }) => run(useCase))

const removeAccounts = execute("PRAGMA foreign_keys = OFF; DELETE FROM accounts")

describe("an account that is in the ledger and nowhere else", () => {
  it.effect("is named when money should go back to it", () =>
    Effect.gen(function*() {
      const price = { charge: 100, vat: 16 }
      const money = { accountId: 1, kind: "instance_resize", reference: resizeReference(1), price, at: 0 } as const
      yield* inTransaction(pay({ ...money, currency: "EUR", instanceId: null, explanation: {} }))
      yield* removeAccounts
      const exit = yield* Effect.exit(inTransaction(refundResize({ taskId: 1, at: 0 })))
      assert.include(String(exit), "account 1 is in the ledger but does not exist")
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is named when the period of its instance ends, and nothing expires for it", () =>
    Effect.gen(function*() {
      const { expires_at: end, id } = yield* buy()
      yield* execute(
        "UPDATE tasks SET status = 'succeeded', finished_at = 0; UPDATE instances SET lifecycle = 'active'"
      )
      yield* removeAccounts
      const exit = yield* Effect.exit(inTransaction(endPeriod(id, Date.parse(end!))))
      assert.include(String(exit), "account 1 is missing")
      assert.lengthOf(yield* allTasks, 1)
    }).pipe(Effect.provide(coreLayer())))
})
