/** The discount of a purchase with a coupon. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { couponProblem, discountOn } from "../domain/Coupon.ts"
import { CouponRejected } from "../domain/Errors.ts"
import type { Minor } from "../domain/Money.ts"
import { Coupons, type StoredCoupon } from "../persistence/Coupons.ts"

export interface Discount {
  readonly coupon: StoredCoupon
  /** Minor units, on the customer's charge basis. */
  readonly amount: Minor
}

export interface Purchase {
  readonly accountId: number
  /** The cost without the coupon. */
  readonly charge: Minor
  /** ISO 4217 code. */
  readonly currency: string
}

/** Only reads: the coupon is redeemed with the order. Fails with `CouponRejected`, which contains the reason. */
export const findDiscount = Effect.fnUntraced(function*(code: string, { accountId, charge, currency }: Purchase) {
  const coupons = yield* Coupons
  const coupon = yield* coupons.find(code)
  if (coupon === undefined) return yield* new CouponRejected({ problem: `Coupon ${code} does not exist.` })
  const at = yield* Clock.currentTimeMillis
  const redeemedBefore = coupon.oncePerAccount && (yield* coupons.redeemedBy(coupon.id, accountId))
  const problem = couponProblem(coupon, { at, currency, redeemedBefore })
  if (problem !== undefined) return yield* new CouponRejected({ problem })
  return { coupon, amount: discountOn(charge, coupon) } satisfies Discount
})
