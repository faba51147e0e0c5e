/** Accounts that owe something, or are frozen: nothing that costs money happens on them, and they say why. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { freezeAccount, unfreezeAccount } from "#service/admin/commands/Accounts"
import { debitWallet } from "#service/admin/commands/Wallet"
import { changeAutoRenew } from "#service/billing/Renewals"
import { resize } from "#service/operations/Resize"
import { running, topUp, until, wallet } from "../support/billing.ts"
import { operationTime } from "../support/instances.ts"
import { allTasks, elapse, owner, serviceLayer, show } from "../support/service.ts"

const DAY = 86_400_000

/** Takes 20 of a payment back that was spent. */
const chargeBack = Effect.andThen(
  debitWallet({ account_id: 1, amount: 20, reason: "chargeback", payout: true }),
  wallet
)

describe("an account that owes something", () => {
  it.effect("renews nothing, says what it owes, and renews once that is paid", () =>
    Effect.gen(function*() {
      const { end, id } = yield* running(500)
      assert.strictEqual(yield* chargeBack, -1_500)
      yield* until(end + DAY)
      assert.strictEqual((yield* show(id)).status, "expired")
      const renewal = (yield* allTasks).find(({ type }) => type === "renew")
      assert.strictEqual(renewal?.error, "The account owes 15.00 EUR. Nothing is renewed until that is paid.")
      yield* topUp(1_500, "the debt")
      yield* elapse(1_000)
      assert.strictEqual((yield* show(id)).status, "expired", "nothing is left for the period")
      yield* topUp(499, "the period")
      yield* operationTime
      assert.strictEqual((yield* show(id)).status, "running")
      assert.strictEqual(yield* wallet, 0)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("buys no larger plan, and may take a smaller one", () =>
    Effect.gen(function*() {
      const { id } = yield* running(2_000)
      yield* resize(owner, id, 2)
      yield* operationTime
      yield* chargeBack
      assert.isBelow(yield* wallet, 0)
      yield* resize(owner, id, 1)
      yield* operationTime
      assert.strictEqual((yield* Effect.flip(resize(owner, id, 2)))._tag, "InsufficientFunds")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a frozen account", () => {
  it.effect("changes to no larger plan and turns no renewal on until it is released", () =>
    Effect.gen(function*() {
      const { id } = yield* running(5_000)
      yield* changeAutoRenew(owner, id, false)
      yield* freezeAccount({ id: 1, reason: "fraud", suspend: false })
      const refusals = [Effect.flip(resize(owner, id, 2)), Effect.flip(changeAutoRenew(owner, id, true))] as const
      for (const refusal of refusals) assert.deepInclude(yield* refusal, { _tag: "AccountFrozen", reason: "fraud" })
      yield* unfreezeAccount({ id: 1 })
      yield* changeAutoRenew(owner, id, true)
      yield* resize(owner, id, 2)
    }).pipe(Effect.provide(serviceLayer())))
})
