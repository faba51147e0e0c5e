/**
 * The end of a paid period: the next one is charged, or the instance expires. Each function runs in a transaction of
 * its caller; what is charged for a period carries the period's start in its reference, so it is charged once.
 */
import * as Effect from "effect/Effect"
import { nextPeriodEnd, toTimestamp } from "../domain/Calendar.ts"
import { asText, toAmount } from "../domain/Money.ts"
import { price } from "../domain/Vat.ts"
import { pay } from "../ledger/Ledger.ts"
import { Limits } from "../config/Limits.ts"
import { Accounts } from "../persistence/Accounts.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { type Contract, Contracts } from "../persistence/Contracts.ts"
import { Tasks } from "../persistence/Tasks.ts"
import type { TaskType } from "../persistence/tasks/Task.ts"

/** What makes the charge of a period unique. */
export const renewReference = ({ expiresAt, orderId }: Pick<Contract, "expiresAt" | "orderId">): string =>
  `instance_renew:order:${orderId}:${toTimestamp(expiresAt)}`

const BY_NOBODY = { actor: "system", apiKeyId: null, requestId: null } as const

const queue = Effect.fnUntraced(function*(instanceId: number, type: TaskType, at: number) {
  const task = { ...BY_NOBODY, instanceId, type, params: "{}", sealed: null, runAt: at, leaseUntil: null, at }
  yield* (yield* Tasks).insert(task)
})

/** Tells the feed how a renewal went; there is nothing left to do for it. */
const tell = Effect.fnUntraced(function*(instanceId: number, at: number, error: string | null) {
  const status = error === null ? "succeeded" : "failed"
  yield* (yield* Tasks).record({ ...BY_NOBODY, instanceId, type: "renew", status, error, at })
})

/** The list price of today, as this customer pays it. */
const priceOf = Effect.fnUntraced(function*({ accountId, planId }: Contract) {
  const account = yield* (yield* Accounts).find(accountId)
  const plan = yield* (yield* Catalogue).plan(planId)
  if (account === undefined || plan === undefined) {
    return yield* Effect.die(new Error(`account ${accountId} or plan ${planId} of a contract is missing`))
  }
  return { list: plan.price, price: price(plan.price, account.vat), currency: plan.currency, wallet: account.wallet }
})

/** Charges the next period; answers why not when the wallet does not hold it: then nothing was written. */
const charge = Effect.fnUntraced(function*(contract: Contract, at: number) {
  const { currency, list, price, wallet } = yield* priceOf(contract)
  const { accountId, createdAt, expiresAt } = contract
  const reference = renewReference(contract)
  const paid = yield* pay({ accountId, kind: "instance_renew", reference, price, currency, at })
  if (!paid) {
    return `The wallet holds ${asText(toAmount(wallet))} ${currency}; the next period costs ${
      asText(toAmount(price.charge))
    } ${currency}.`
  }
  yield* (yield* Contracts).renew(contract, nextPeriodEnd(createdAt, expiresAt), list)
  yield* tell(contract.instanceId, at, null)
  return undefined
})

/** Expired from now on; what remains is to power it off. */
const expire = Effect.fnUntraced(function*({ instanceId }: Contract, at: number) {
  yield* (yield* Contracts).expire(instanceId, at + (yield* Limits).EXPIRY_GRACE_MILLIS)
  yield* queue(instanceId, "expire", at)
})

/** The end of a period has come: renews the instance or lets it expire. Nothing when somebody was faster. */
export const endPeriod = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const contract = yield* (yield* Contracts).find(instanceId)
  if (contract === undefined || contract.busy || contract.expiresAt > at) return
  if (contract.lifecycle !== "active" && contract.lifecycle !== "suspended") return
  if (!contract.autoRenew) return yield* expire(contract, at)
  const refused = yield* charge(contract, at)
  if (refused === undefined) return
  yield* tell(instanceId, at, refused)
  yield* expire(contract, at)
})

/** The grace is over: the machine goes. */
export const endGrace = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const contract = yield* (yield* Contracts).find(instanceId)
  if (contract?.lifecycle !== "expired" || contract.busy || (contract.graceUntil ?? at) > at) return
  yield* queue(instanceId, "terminate", at)
})

/** Back to what it was before it expired, if the wallet pays for it now. Busy ones ask again when they are done. */
const revive = Effect.fnUntraced(function*(contract: Contract, at: number) {
  if (contract.busy || (contract.graceUntil ?? at) <= at) return false
  if ((yield* charge(contract, at)) !== undefined) return false
  if (contract.resumePower === "on" && !contract.suspended) yield* queue(contract.instanceId, "start", at)
  return true
})

/** Renews one expired instance within its grace, if it renews by itself and the wallet holds the price. */
export const reviveOne = Effect.fnUntraced(function*(instanceId: number, at: number) {
  const contract = yield* (yield* Contracts).find(instanceId)
  return contract?.lifecycle === "expired" && contract.autoRenew && (yield* revive(contract, at))
})

/** Renews as many of the account's expired instances as the wallet pays for, earliest end first; answers how many. */
export const reviveAll = Effect.fnUntraced(function*(accountId: number, at: number) {
  const contracts = yield* (yield* Contracts).inGrace(accountId)
  const revived = yield* Effect.filter(contracts, (contract) => revive(contract, at))
  return revived.length
})
