/** Another plan: charged for what is left of the period when the transaction commits, done by the task. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { ResizeResult } from "#contract/Instance"
import type { AvailablePlan } from "#contract/Services"
import type { Caller } from "../domain/Caller.ts"
import { CurrencyMismatch, CurrentPlan, InsufficientFunds, NotForCategory, OtherDataCentre } from "../domain/Errors.ts"
import { toAmount } from "../domain/Money.ts"
import { periodEnding, proration } from "../domain/Proration.ts"
import type { Charge } from "../domain/Vat.ts"
import { pay, resizeReference } from "../ledger/Ledger.ts"
import { toPublicPlan } from "../orders/Catalogue.ts"
import { findPlanForSale } from "../orders/Quote.ts"
import { type Account, Accounts } from "../persistence/Accounts.ts"
import { Catalogue, isVirtual, type Plan } from "../persistence/Catalogue.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { admit, commitAndNotify, enqueue, findOwnVirtual } from "./Admission.ts"

const currentPlan = Effect.fnUntraced(function*({ id, planId }: StoredInstance) {
  const plan = yield* (yield* Catalogue).plan(planId)
  return plan ?? (yield* Effect.die(new Error(`plan ${planId} of instance ${id} is missing`)))
})

const ownerOf = Effect.fnUntraced(function*({ accountId }: StoredInstance) {
  const account = yield* (yield* Accounts).find(accountId)
  return account ?? (yield* Effect.die(new Error(`account ${accountId} of an instance is missing`)))
})

/** What a change to a plan costs at a moment, from the price that the order was made at. */
const chargeFor = ({ createdAt, expiresAt, price }: StoredInstance, to: Plan, { vat }: Account, now: number): Charge =>
  proration({
    from: price,
    to: to.price,
    customer: vat,
    period: periodEnding(createdAt, expiresAt ?? now),
    now
  })

/** Fails with `PlanNotFound`, `NotForCategory`, `OtherDataCentre` or `CurrencyMismatch`. */
const findTarget = Effect.fnUntraced(function*(instance: StoredInstance, planId: number) {
  const target = yield* findPlanForSale(planId)
  if (!isVirtual(target.category)) return yield* new NotForCategory({ category: target.category })
  if (target.dataCentreId !== (yield* currentPlan(instance)).dataCentreId) return yield* new OtherDataCentre({ planId })
  const account = yield* ownerOf(instance)
  if (account.currency !== target.currency) {
    return yield* new CurrencyMismatch({ plan: target.currency, wallet: account.currency })
  }
  return { target, account }
})

/** Runs in one transaction. */
const resized = Effect.fnUntraced(function*(caller: Caller, instanceId: number, planId: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  const { account, target } = yield* findTarget(instance, planId)
  yield* admit(instance, "resize")
  if (planId === instance.planId) return yield* new CurrentPlan({ planId })
  const at = yield* Clock.currentTimeMillis
  const price = chargeFor(instance, target, account, at)
  const { currency } = target
  const insufficient = () => new InsufficientFunds({ charge: price.charge, wallet: account.wallet, currency })
  // Asked before anything is written: a refusal that wrote nothing costs the shared transaction nothing.
  if (account.wallet < price.charge) return yield* insufficient()
  const result = yield* enqueue(caller, instance, {
    type: "resize",
    params: JSON.stringify({ plan_id: planId, price: target.price, previous_id: instance.planId })
  })
  const reference = resizeReference(result.task_id)
  const paid = yield* pay({ accountId: account.id, kind: "instance_resize", reference, price, currency, at })
  if (!paid) return yield* insufficient()
  return { ...result, charge_amount: toAmount(price.charge), currency } satisfies typeof ResizeResult.Encoded
})

/**
 * Begins a resize and takes what it costs; a failure gives it back. Fails with `InstanceNotFound`, `NotForCategory`,
 * `PlanNotFound`, `OtherDataCentre`, `CurrencyMismatch`, `InstanceBusy`, `InvalidState`, `CurrentPlan`,
 * `InsufficientFunds` or `StorageUnavailable`.
 */
export const resize = (caller: Caller, instanceId: number, planId: number) =>
  commitAndNotify(resized(caller, instanceId, planId))

/**
 * Plans to which the instance could be resized, with what that costs now. Fails with `InstanceNotFound` or
 * `NotForCategory`.
 */
export const availablePlans = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  const current = yield* currentPlan(instance)
  const account = yield* ownerOf(instance)
  const now = yield* Clock.currentTimeMillis
  const plans = (yield* (yield* Catalogue).forSale).filter((plan) =>
    plan.id !== current.id && isVirtual(plan.category) && plan.dataCentreId === current.dataCentreId
    && plan.currency === account.currency
  )
  return plans.map((plan): AvailablePlan => ({
    ...toPublicPlan(plan),
    direction: plan.price > instance.price ? "upgrade" : "downgrade",
    charge_amount: toAmount(chargeFor(instance, plan, account, now).charge),
    currency: plan.currency
  }))
})
