/** Another plan: the rest of the period is charged with the request, and refunded if the task fails permanently. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import type { ResizeResult } from "@pulumi-vps/contract/Instance"
import type { AvailablePlan } from "@pulumi-vps/contract/Services"
import { endChange, reserveChange, resizable } from "../catalogue/Capacity.ts"
import { findPlanForSale, planOf, toPublicPlan } from "../catalogue/Plans.ts"
import type { Caller } from "../domain/Caller.ts"
import { CurrencyMismatch, CurrentPlan, InsufficientFunds, OtherCategory, OtherDataCenter } from "../domain/Errors.ts"
import { explainVat, type Explanation } from "../domain/Explanation.ts"
import { verdict } from "../domain/InstanceMachine.ts"
import type { Charge } from "../domain/Vat.ts"
import { type ChargeLimit, toAmount } from "../domain/Money.ts"
import { openPeriods } from "../domain/Period.ts"
import { proration } from "../domain/Proration.ts"
import { admit, assertAllowed, assertNotFrozen, findOwnVirtual, ownerOf } from "../instances/Admission.ts"
import { pay, resizeReference } from "../ledger/Ledger.ts"
import { refundResize } from "../ledger/Refunds.ts"
import { reviveAll } from "./Renew.ts"
import type { Account } from "../persistence/Accounts.ts"
import { Catalogue } from "../persistence/Catalogue.ts"
import { isVirtual, type Plan } from "../persistence/catalogue/Plan.ts"
import type { StoredInstance } from "../persistence/Instances.ts"
import { Orders } from "../persistence/Orders.ts"
import { Rejected } from "../provisioning/Driver.ts"
import { commitAndNotify, enqueue } from "./Enqueue.ts"
import { define, type Operation } from "./Operation.ts"

const Params = Schema.Struct({
  plan_id: Schema.Int,
  /** The plan as it was sold; absent in tasks of versions without it. */
  sold_id: Schema.optionalKey(Schema.Int),
  /** List price in minor units, from which later changes are prorated. */
  price: Schema.Int,
  previous_id: Schema.Int,
  previous_sold_id: Schema.optionalKey(Schema.Int)
})
type Params = typeof Params.Type

/** The version of a plan that is sold now. */
const sell = Effect.fnUntraced(function*(plan: Plan) {
  const catalogue = yield* Catalogue
  return yield* catalogue.sell(plan, yield* catalogue.lastSold(plan.id))
})

/** A plan as it was sold; as it is now, if its sale was not recorded. */
const termsOf = (planId: number, soldId: number | undefined) =>
  Effect.flatMap(Catalogue, (catalogue) => soldId === undefined ? catalogue.plan(planId) : catalogue.sold(soldId))

export const Resize: Operation<"resize", Params> = define({
  type: "resize",
  params: Params,
  retry: "default",
  execute: Effect.fnUntraced(function*({ params }) {
    const plan = yield* termsOf(params.plan_id, params.sold_id)
    if (plan === undefined) return yield* new Rejected({ reason: "the plan does not exist" })
    return [{ type: "resize", plan: plan.slug, specs: plan.specs }]
  }),
  complete: Effect.fnUntraced(function*({ instance, params, task }) {
    yield* endChange(instance.id, yield* termsOf(params.plan_id, params.sold_id))
    // The order never changed, and the refund is booked already.
    if (task.purpose === "compensate") return
    const soldId = params.sold_id ?? (yield* sell((yield* (yield* Catalogue).plan(params.plan_id))!))
    yield* (yield* Orders).setPlan(instance.orderId, soldId, params.price)
  }),
  // In doubt, the larger size stays reserved until the compensating task has settled it.
  fail: Effect.fnUntraced(function*({ instance, params }, _, doubt) {
    if (!doubt) yield* endChange(instance.id, yield* termsOf(params.previous_id, params.previous_sold_id))
  }),
  // A compensating task has no journal of its own, so this refunds nothing for it.
  refund: Effect.fnUntraced(function*({ instance: { accountId }, task }, at) {
    if (yield* refundResize({ taskId: task.id, at })) yield* reviveAll(accountId, at)
  }),
  compensation: ({ plan_id: planId, previous_id: previousId, previous_sold_id: previousSoldId }) => ({
    ...Resize.task({
      plan_id: previousId,
      ...(previousSoldId === undefined ? {} : { sold_id: previousSoldId }),
      price: 0,
      previous_id: planId
    }),
    after: "doubt"
  }),
  recovery: {
    unreconciled: { left: "the machine may have another plan than its order", supersededBy: ["resize"] }
  }
})

/** The cost of a change to a plan at a moment, from the price at which the instance was ordered. */
const chargeFor = (
  { expiresAt, pausedMillis, paidFrom, price }: StoredInstance,
  to: Plan,
  { vat }: Account,
  at: number
): Charge => {
  const now = at - pausedMillis
  const end = expiresAt === null ? now : expiresAt - pausedMillis
  return proration({ from: price, to: to.price, customer: vat, periods: openPeriods(paidFrom, end, now), now })
}

/** Fails with `PlanNotFound`, `OtherCategory`, `OtherDataCenter` or `CurrencyMismatch`. */
const findTarget = Effect.fnUntraced(function*(instance: StoredInstance, planId: number) {
  const target = yield* findPlanForSale(planId)
  if (!isVirtual(target.category)) return yield* new OtherCategory({ planId, category: target.category })
  if (target.dataCenterId !== (yield* planOf(instance)).dataCenterId) return yield* new OtherDataCenter({ planId })
  const account = yield* ownerOf(instance)
  if (account.currency !== target.currency) {
    return yield* new CurrencyMismatch({ plan: target.currency, wallet: account.currency })
  }
  return { target, account }
})

const explain = Effect.fnUntraced(function*(instance: StoredInstance, target: Plan, { vat }: Account, at: number) {
  return {
    plan: target.name,
    price: target.price,
    previous: (yield* planOf(instance)).name,
    previousPrice: instance.price,
    from: at,
    to: instance.expiresAt ?? at,
    ...(instance.pausedMillis === 0 ? {} : { pausedMillis: instance.pausedMillis }),
    ...explainVat(vat)
  } satisfies Explanation
})

/**
 * Requests a resize and charges for it. Fails with `InstanceNotFound`, `NotForCategory`, `CurrentPlan`,
 * `PlanNotFound`, `OtherCategory`, `OtherDataCenter`, `CurrencyMismatch`, `InstanceBusy`, `InvalidState`,
 * `AccountFrozen`, `ChargeTooHigh`, `InsufficientFunds` or `StorageUnavailable`.
 */
export const resize = Effect.fnUntraced(function*(
  caller: Caller,
  instanceId: number,
  planId: number,
  maxCharge?: ChargeLimit
) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  // First, because the current plan may be retired or out of stock.
  if (planId === instance.planId) return yield* new CurrentPlan({ planId })
  const { account, target } = yield* findTarget(instance, planId)
  yield* admit(instance, "resize")
  const at = yield* Clock.currentTimeMillis
  const price = chargeFor(instance, target, account, at)
  const { currency } = target
  if (price.charge > 0) yield* assertNotFrozen(account)
  yield* assertAllowed({ charge: price.charge, currency }, maxCharge)
  const insufficient = () =>
    new InsufficientFunds({ accountId: account.id, charge: price.charge, wallet: account.wallet, currency })
  // Checked before anything is written: a failure that wrote nothing costs the shared transaction nothing.
  // A smaller plan costs nothing, also for an account that owes something.
  if (price.charge > 0 && account.wallet < price.charge) return yield* insufficient()
  const task = Resize.task({
    plan_id: planId,
    sold_id: yield* sell(target),
    price: target.price,
    previous_id: instance.planId,
    previous_sold_id: instance.soldId
  })
  const result = yield* enqueue(caller, instance, task)
  yield* reserveChange(instanceId, target)
  const paid = yield* pay({
    accountId: account.id,
    kind: "instance_resize",
    reference: resizeReference(result.task_id),
    price,
    currency,
    instanceId,
    explanation: yield* explain(instance, target, account, at),
    at
  })
  if (!paid) return yield* insufficient()
  return { ...result, charge_amount: toAmount(price.charge), currency } satisfies typeof ResizeResult.Encoded
}, commitAndNotify)

/**
 * Plans to which the instance could be resized, with their current cost; none in a state that allows no resize. Fails
 * with `InstanceNotFound` or `NotForCategory`.
 */
export const availablePlans = Effect.fnUntraced(function*(caller: Caller, instanceId: number) {
  const instance = yield* findOwnVirtual(caller, instanceId)
  if (verdict("resize", instance) === "no") return []
  const current = yield* planOf(instance)
  const account = yield* ownerOf(instance)
  const now = yield* Clock.currentTimeMillis
  const plans = (yield* (yield* Catalogue).forSale).filter((plan) =>
    plan.id !== current.id && isVirtual(plan.category) && plan.dataCenterId === current.dataCenterId
    && plan.currency === account.currency
  )
  return (yield* resizable(instanceId, plans)).map((plan): AvailablePlan => ({
    ...toPublicPlan(plan),
    direction: plan.price > instance.price ? "upgrade" : "downgrade",
    charge_amount: toAmount(chargeFor(instance, plan, account, now).charge),
    currency: plan.currency
  }))
})
