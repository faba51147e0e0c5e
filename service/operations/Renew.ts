/**
 * Charges the next period of an instance, and revives one that expired for lack of money. Each function is part of its
 * caller's transaction. The reference of a charge contains the period's start, so a period is charged once.
 */
import * as Effect from "effect/Effect"
import { nextPeriodEnd, toTimestamp } from "../domain/Calendar.ts"
import { asText, toAmount } from "../domain/Money.ts"
import { price } from "../domain/Vat.ts"
import { pay } from "../ledger/Ledger.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import type { Subscription } from "../persistence/instances/Subscriptions.ts"
import { Instances } from "../persistence/Instances.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { enqueueAs } from "./Enqueue.ts"
import { Start } from "./Power.ts"

/** Unique for each charged period. */
export const renewReference = ({ expiresAt, orderId }: Pick<Subscription, "expiresAt" | "orderId">): string =>
  `instance_renew:order:${orderId}:${toTimestamp(expiresAt)}`

/** Records the outcome of a renewal in the feed; it has no work to do. */
export const recordRenewal = Effect.fnUntraced(function*(instanceId: number, at: number, error: string | null) {
  const status = error === null ? "succeeded" : "failed"
  const by = { actor: "system", apiKeyId: null, requestId: null } as const
  yield* (yield* Tasks).recordAudit({ ...by, instanceId, type: "renew", status, error, at })
})

/** Today's list price, as this customer pays it. */
const priceOf = Effect.fnUntraced(function*({ accountId, planId }: Subscription) {
  const account = yield* (yield* Accounts).find(accountId)
  const plan = yield* (yield* Catalogue).plan(planId)
  if (account === undefined || plan === undefined) {
    return yield* Effect.die(new Error(`account ${accountId} or plan ${planId} of a contract is missing`))
  }
  return { list: plan.price, price: price(plan.price, account.vat), currency: plan.currency, wallet: account.wallet }
})

/** Charges the next period; returns the reason if the balance is too low: then nothing was written. */
export const chargePeriod = Effect.fnUntraced(function*(contract: Subscription, at: number) {
  const { currency, list, price, wallet } = yield* priceOf(contract)
  const { accountId, createdAt, expiresAt } = contract
  const reference = renewReference(contract)
  const paid = yield* pay({ accountId, kind: "instance_renew", reference, price, currency, at })
  if (!paid) {
    return `The wallet holds ${asText(toAmount(wallet))} ${currency}; the next period costs ${
      asText(toAmount(price.charge))
    } ${currency}.`
  }
  yield* (yield* Instances).subscriptions.renew(contract, nextPeriodEnd(createdAt, expiresAt), list)
  yield* recordRenewal(contract.instanceId, at, null)
  return undefined
})

/** Restores the state before it expired, if the wallet pays for it now. A busy one is retried when its task ends. */
const revive = Effect.fnUntraced(function*(contract: Subscription, at: number) {
  if (contract.busy || (contract.graceUntil ?? at) <= at) return false
  if ((yield* chargePeriod(contract, at)) !== undefined) return false
  if (contract.resumePower === "on" && !contract.suspended) {
    yield* enqueueAs("system", contract.instanceId, Start.task({}), at)
  }
  return true
})

/** Renews one expired instance within its grace period, if it auto-renews and the wallet holds the price. */
export const reviveOne = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const contract = yield* (yield* Instances).subscriptions.find(instanceId)
  return contract?.lifecycle === "expired" && contract.autoRenew && (yield* revive(contract, at))
})

/** Renews as many of the account's expired instances as the wallet pays for, earliest end first; returns the count. */
export const reviveAll = Effect.fnUntraced(function*(accountId: number, at: number) {
  const contracts = yield* (yield* Instances).subscriptions.inGrace(accountId)
  const revived = yield* Effect.filter(contracts, (contract) => revive(contract, at))
  return revived.length
})
