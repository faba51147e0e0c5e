/** Coupons, and who redeemed them. */
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Coupon } from "../domain/Coupon.ts"
import type { Minor } from "../domain/Money.ts"

export interface StoredCoupon extends Coupon {
  readonly id: number
}

export interface NewCoupon extends Omit<Coupon, "uses"> {
  readonly at: number
}

export interface Redemption {
  readonly coupon: StoredCoupon
  readonly accountId: number
  readonly orderId: number
  /** What it took off. */
  readonly discount: Minor
  readonly at: number
}

export class Coupons extends Context.Service<Coupons, {
  readonly add: (coupon: NewCoupon) => Effect.Effect<void>
  /** Codes are compared letter by letter: upper and lower case differ. */
  readonly find: (code: string) => Effect.Effect<StoredCoupon | undefined>
  /** Whether the account holds a redemption that was not given back. */
  readonly redeemedBy: (couponId: number, accountId: number) => Effect.Effect<boolean>
  /** Uses it up once; a defect when it is used up already, or by this account: ask first, in the same transaction. */
  readonly redeem: (redemption: Redemption) => Effect.Effect<void>
  /** Gives back what an order redeemed; false when there is nothing to give back (any more). */
  readonly release: (orderId: number, at: number) => Effect.Effect<boolean>
}>()("pulumi-vps/service/Coupons") {}
