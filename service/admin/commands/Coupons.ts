/** The commands for coupons. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { text } from "#contract/Primitives"
import { toOptionalTimestamp } from "../../domain/Calendar.ts"
import type { Coupon } from "../../domain/Coupon.ts"
import { toAmount } from "../../domain/Money.ts"
import { Coupons as CouponsRepository } from "../../persistence/Coupons.ts"
import { OperatorLists } from "../../persistence/OperatorLists.ts"
import { Transaction } from "../../persistence/Transaction.ts"
import { reject, rejectUsage } from "../CommandRejected.ts"
import { Currency, hundredths, Id, type Input, millisOf, Money, PositivePercent, Timestamp } from "../InputSchemas.ts"

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

const CODE_MAX = 64

export const NewCoupon = () =>
  Schema.Struct({
    code: text(1, CODE_MAX),
    /** Either a percentage, or a fixed amount with its currency. */
    percent: Schema.optionalKey(PositivePercent),
    fixed: Schema.optionalKey(Money),
    currency: Schema.optionalKey(Currency),
    valid_from: Schema.optionalKey(Timestamp),
    valid_until: Schema.optionalKey(Timestamp),
    max_uses: Schema.optionalKey(Id),
    once_per_account: Schema.Boolean
  })
type NewCoupon = Input<typeof NewCoupon>

/** The discount. Fails with `CommandRejected` unless the input has exactly one. */
const valueOf = Effect.fnUntraced(function*({ currency, fixed, percent }: NewCoupon) {
  if (percent !== undefined && fixed === undefined) {
    if (currency !== undefined) return yield* reject("currency: Use it with --fixed only.")
    return { kind: "percent", value: hundredths(percent), currency: null } as const
  }
  if (percent === undefined && fixed !== undefined) {
    return { kind: "fixed", value: hundredths(fixed), currency: currency ?? "EUR" } as const
  }
  return yield* rejectUsage("Specify either --percent or --fixed.")
})

export const createCoupon = Effect.fnUntraced(function*(input: NewCoupon) {
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

export const listCoupons = Effect.map(
  Effect.flatMap(OperatorLists, ({ coupons }) => coupons),
  (coupons) => coupons.map(toRecord)
)
