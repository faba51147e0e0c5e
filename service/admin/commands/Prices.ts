/** The commands for coupons, and for the price of existing contracts. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { toOptionalTimestamp, toTimestamp } from "../../domain/Timestamp.ts"
import type { Coupon } from "../../domain/Coupon.ts"
import { toAmount } from "../../domain/Money.ts"
import { Coupons as CouponsRepository } from "../../persistence/Coupons.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { hundredths, millisOf, notFound, reject, rejectUsage } from "../Input.ts"
import type { InputOf } from "../../contract/operator/Commands.ts"
import { CallerLeft, type UseCases } from "../UseCases.ts"
import { preview, reprice } from "../../billing/Reprice.ts"
import { Limits } from "../../config/Limits.ts"
import { Catalogue } from "../../persistence/Catalogue.ts"

const toRecord = (coupon: Coupon) => ({
  code: coupon.code,
  kind: coupon.kind,
  // Basis points and minor units are both hundredths.
  value: toAmount(coupon.value),
  currency: coupon.currency,
  valid_from: toOptionalTimestamp(coupon.validFrom),
  valid_until: toOptionalTimestamp(coupon.validUntil),
  uses: coupon.uses,
  max_uses: coupon.maxUses,
  once_per_account: coupon.oncePerAccount
})

/** The discount. Fails with `CommandRejected` unless the input has exactly one. */
const valueOf = Effect.fnUntraced(function*({ currency, fixed, percent }: InputOf<"coupons.create">) {
  if (percent !== undefined && fixed === undefined) {
    if (currency !== undefined) return yield* reject("currency: Use it with --fixed only.")
    return { kind: "percent", value: hundredths(percent), currency: null } as const
  }
  if (percent === undefined && fixed !== undefined) {
    return { kind: "fixed", value: hundredths(fixed), currency: currency ?? "EUR" } as const
  }
  return yield* rejectUsage("Specify either --percent or --fixed.")
})

const createCoupon = Effect.fnUntraced(function*(input: InputOf<"coupons.create">) {
  const value = yield* valueOf(input)
  const validFrom = millisOf(input.valid_from)
  const validUntil = millisOf(input.valid_until)
  if (validFrom !== null && validUntil !== null && validUntil <= validFrom) {
    return yield* reject("valid_until: Must be later than valid_from.")
  }
  const coupons = yield* CouponsRepository
  const at = yield* Clock.currentTimeMillis
  const { code, max_uses: maxUses = null, once_per_account: oncePerAccount } = input
  const coupon = { code, ...value, validFrom, validUntil, maxUses, oncePerAccount }
  return yield* (yield* Transaction).run(Effect.gen(function*() {
    if ((yield* coupons.find(code)) !== undefined) {
      return yield* reject(`Coupon ${code} already exists.`)
    }
    yield* coupons.add({ ...coupon, at })
    return toRecord({ ...coupon, uses: 0 })
  }))
})

const listCoupons = Effect.map(
  Effect.flatMap(OperatorLists, ({ coupons }) => coupons),
  (coupons) => coupons.map(toRecord)
)

/** Announces a price to the owners of a plan's instances; it applies to periods that begin at a moment or later. */
export const repricePlan = Effect.fnUntraced(function*(input: InputOf<"plans.reprice">) {
  const { dry_run: dryRun = false, from, id, price, replace = false } = input
  const plan = yield* (yield* Catalogue).plan(id)
  if (plan === undefined) return yield* notFound("plan", id)
  const { REPRICE_NOTICE_MILLIS } = yield* Limits
  const start = millisOf(from)!
  const earliest = (yield* Clock.currentTimeMillis) + REPRICE_NOTICE_MILLIS
  if (start < earliest) {
    return yield* reject(
      `The price would change before customers can react. Set --from to ${toTimestamp(earliest)} or later.`
    )
  }
  const change = { planId: id, price: hundredths(price), from: start }
  const { skipped, ...outcome } = yield* Effect.gen(function*() {
    if (dryRun) return yield* preview(plan, change, replace)
    return yield* reprice(plan, change, replace, yield* CallerLeft)
  }).pipe(Effect.catchTag("AnnouncedBefore", ({ message }) => Effect.fail(reject(message))))
  return {
    plan_id: id,
    price,
    currency: plan.currency,
    from: toTimestamp(start),
    ...outcome,
    skipped: skipped.map(({ accountId, instanceId, reason }) => ({
      account_id: accountId,
      instance_id: instanceId,
      reason
    }))
  }
})

export const PRICES_USE_CASES = {
  "coupons.create": createCoupon,
  "coupons.list": () => listCoupons,
  "plans.reprice": repricePlan
} satisfies UseCases
