/** The dry run: the same checks as a create, writing nothing. */
import * as Effect from "effect/Effect"
import type { DryRun } from "#contract/Instance"
import { toAmount } from "../domain/Money.ts"
import type { PlaceOrder } from "./PlaceOrder.ts"
import { discountOf, quote } from "./Quote.ts"
import { findReplay, keyDigest } from "./Replay.ts"
import { Accounts } from "../persistence/Accounts.ts"

/** With a key that was used before: nothing would be created or charged. */
const alreadyBought = Effect.fnUntraced(function*(command: PlaceOrder) {
  if (command.key === undefined) return undefined
  const replay = yield* findReplay(command.caller, command.body, keyDigest(command.key))
  if (replay === undefined) return undefined
  const account = yield* (yield* Accounts).find(command.caller.accountId)
  const service = replay.instance.order.service
  return {
    dry_run: true,
    would_create: false,
    service_id: service.id,
    plan_name: service.name,
    billing_cycle: service.billing_cycle,
    charge_amount: 0,
    discount_amount: 0,
    currency: account!.currency,
    wallet_balance: toAmount(account!.wallet),
    sufficient_funds: true
  } satisfies DryRun
})

/** Insufficient funds are a result, not an error; 400, 404 and 422 still apply. */
export const previewOrder = Effect.fnUntraced(function*(command: PlaceOrder) {
  const bought = yield* alreadyBought(command)
  if (bought !== undefined) return bought
  const quoted = yield* quote(command.caller, command.body)
  const { account, plan, price } = quoted
  const sufficient = account.wallet >= price.charge
  return {
    dry_run: true,
    would_create: sufficient,
    service_id: plan.id,
    plan_name: plan.name,
    billing_cycle: plan.billingCycle,
    charge_amount: toAmount(price.charge),
    discount_amount: toAmount(discountOf(quoted)),
    currency: plan.currency,
    wallet_balance: toAmount(account.wallet),
    sufficient_funds: sufficient
  } satisfies DryRun
})
