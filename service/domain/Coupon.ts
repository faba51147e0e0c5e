/** What a coupon takes off, and when it may be used. */
import { fraction, type Minor, toAmount } from "./Money.ts"

export type CouponKind = "percent" | "fixed"

export interface Coupon {
  readonly code: string
  readonly kind: CouponKind
  /** Basis points of the price, or minor units. */
  readonly value: number
  /** ISO 4217 code of a fixed value; null for a percentage. */
  readonly currency: string | null
  /** Epoch milliseconds; null is open. */
  readonly validFrom: number | null
  /** Epoch milliseconds, the first moment at which it is no longer valid; null is open. */
  readonly validUntil: number | null
  /** By all accounts together; null is as often as you like. */
  readonly maxUses: number | null
  readonly oncePerAccount: boolean
  /** So far, without those that were given back. */
  readonly uses: number
}

/** 100 % in basis points. */
const WHOLE = 10_000

/** What it takes off an amount, never more than the amount: a percentage is rounded half up. */
export const discountOn = (amount: Minor, { kind, value }: Coupon): Minor =>
  Math.min(amount, kind === "fixed" ? value : fraction(amount, value, WHOLE))

export interface Use {
  /** Epoch milliseconds. */
  readonly at: number
  /** ISO 4217 code of the purchase. */
  readonly currency: string
  /** Whether the account has redeemed it before. */
  readonly redeemedBefore: boolean
}

/** Why it cannot be used, in words for the customer; undefined when it can. */
export const couponProblem = (coupon: Coupon, { at, currency, redeemedBefore }: Use): string | undefined => {
  const { code, maxUses, oncePerAccount, uses, validFrom, validUntil, value } = coupon
  if (validUntil !== null && at >= validUntil) return `The coupon ${code} has expired.`
  if (at < (validFrom ?? at)) return `The coupon ${code} is not valid yet.`
  if (maxUses !== null && uses >= maxUses) return `The coupon ${code} is used up.`
  if (oncePerAccount && redeemedBefore) return `The coupon ${code} can be used once per account; this one has used it.`
  if (coupon.currency !== null && coupon.currency !== currency) {
    return `The coupon ${code} takes off ${toAmount(value)} ${coupon.currency}; this plan is sold in ${currency}.`
  }
  return undefined
}
