/** The discount of a coupon, and the conditions of its use. */
import { fraction, type Minor } from "./Money.ts"

export type CouponKind = "percent" | "fixed"

export interface Coupon {
  readonly code: string
  readonly kind: CouponKind
  /** Basis points of the price, or minor units. */
  readonly value: number
  /** ISO 4217 code of a fixed value; null for a percentage. */
  readonly currency: string | null
  /** Epoch milliseconds; null is unlimited. */
  readonly validFrom: number | null
  /** Epoch milliseconds, the first moment at which it is no longer valid; null is unlimited. */
  readonly validUntil: number | null
  /** By all accounts together; null is unlimited. */
  readonly maxUses: number | null
  readonly oncePerAccount: boolean
  /** Without uses that were returned. */
  readonly uses: number
}

/** 100 % in basis points. */
const WHOLE = 10_000

/** The discount on an amount, at most the amount. A percentage is rounded half up. */
export const discountOn = (amount: Minor, { kind, value }: Coupon): Minor =>
  Math.min(amount, kind === "fixed" ? value : fraction(amount, value, WHOLE))

export interface Use {
  /** Epoch milliseconds. */
  readonly at: number
  /** ISO 4217 code of the purchase. */
  readonly currency: string
  /** The account has redeemed it before. */
  readonly redeemedBefore: boolean
}

/** The reason for the customer why it cannot be used; undefined when it can. */
export const couponProblem = (coupon: Coupon, { at, currency, redeemedBefore }: Use): string | undefined => {
  const { code, maxUses, oncePerAccount, uses, validFrom, validUntil } = coupon
  if (validUntil !== null && at >= validUntil) return `Coupon ${code} has expired.`
  if (at < (validFrom ?? at)) return `Coupon ${code} is not valid yet.`
  if (maxUses !== null && uses >= maxUses) return `Coupon ${code} has reached its usage limit.`
  if (oncePerAccount && redeemedBefore) {
    return `Coupon ${code} can be used once per account, and this account has used it.`
  }
  if (coupon.currency !== null && coupon.currency !== currency) {
    return `Coupon ${code} is valid for plans priced in ${coupon.currency}, but this plan is priced in ${currency}.`
  }
  return undefined
}
