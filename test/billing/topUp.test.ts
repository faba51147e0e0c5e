/** Money that comes in: once per payment, and it pays at once for what had expired. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fillWallet, setBalance } from "#service/billing/TopUp"
import { verify } from "#service/ledger/Ledger"
import { Journals } from "#service/persistence/Journals"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { renewals, running, until, wallet } from "../support/billing.ts"
import { allTasks, coreLayer, elapse, serviceLayer, settle, show } from "../support/service.ts"

const newest = Effect.map(Effect.flatMap(Journals, (book) => book.all), (journals) => {
  const { entries, kind, reference } = journals.at(-1)!
  return [kind, reference, entries[0]!.amount]
})

const settleAt = (balance: number, accountId = 1) => setBalance({ accountId, balance, reference: "r", at: 0 })

describe("a wallet that is to hold a balance", () => {
  it.effect("is filled up to it", () =>
    Effect.gen(function*() {
      yield* settleAt(100_001)
      assert.deepStrictEqual(yield* newest, ["top_up", "top_up:r", 1])
      assert.deepStrictEqual([yield* wallet, (yield* verify).balanced], [100_001, true])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("is paid out down to it, to nothing too", () =>
    Effect.gen(function*() {
      yield* settleAt(0)
      assert.deepStrictEqual(yield* newest, ["payout", "refund:top_up:r", -100_000])
      assert.deepStrictEqual([yield* wallet, (yield* verify).balanced], [0, true])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("that it already has, or of a missing account, changes nothing", () =>
    Effect.gen(function*() {
      const before = yield* newest
      yield* settleAt(100_000)
      yield* settleAt(7, 99)
      assert.deepStrictEqual(yield* newest, before)
    }).pipe(Effect.provide(coreLayer())))
})

describe("a payment", () => {
  it.effect("for a missing account, or that was booked before, is rejected", () =>
    Effect.gen(function*() {
      const payment = { accountId: 1, amount: 5, reference: "p", at: 0 }
      assert.isFalse((yield* fillWallet({ ...payment, accountId: 99 })).filled)
      assert.isTrue((yield* fillWallet(payment)).filled)
      assert.isFalse((yield* fillWallet(payment)).filled)
      assert.strictEqual(yield* wallet, 100_005)
    }).pipe(Effect.provide(coreLayer())))

  it.effect.each(["fills", "settles"])(
    "that %s the wallet starts expired machines immediately, not at the next poll",
    (how) =>
      Effect.gen(function*() {
        const { end, id } = yield* running(0)
        yield* until(end)
        assert.strictEqual((yield* show(id)).status, "expired")
        const payment = { accountId: 1, reference: "p", at: end + 1_000 }
        yield* how === "fills" ? fillWallet({ ...payment, amount: 499 }) : setBalance({ ...payment, balance: 499 })
        yield* settle
        assert.deepInclude((yield* allTasks).at(-1), { type: "start", status: "running" })
        assert.strictEqual((yield* renewals).length, 1)
        yield* elapse(1_000)
        assert.strictEqual((yield* show(id)).status, "running")
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("that pays for no expired instance does not notify the worker", () =>
    Effect.gen(function*() {
      const woken: Array<string> = []
      const payment = { accountId: 1, reference: "p", at: 0 }
      const works = Effect.all([
        fillWallet({ ...payment, amount: 5 }),
        setBalance({ ...payment, balance: 7_000 }),
        setBalance({ ...payment, balance: 7_001 })
      ])
      yield* Effect.provideService(works, WorkerNotifier, { notify: Effect.sync(() => void woken.push("worker")) })
      assert.deepStrictEqual([yield* wallet, woken], [7_001, []])
    }).pipe(Effect.provide(coreLayer())))
})
