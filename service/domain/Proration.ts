/** The cost of a plan change in the middle of a period. */
import { monthsAfter } from "./Calendar.ts"
import { fraction, type Minor } from "./Money.ts"
import { type Charge, chargeOf, type CustomerVat, price } from "./Vat.ts"

/** A paid period, in epoch milliseconds. */
export interface Period {
  readonly start: number
  readonly end: number
}

/** The monthly period that ends at `end`, for a subscription from `anchor`. */
export const periodEnding = (anchor: number, end: number): Period => {
  const started = new Date(anchor)
  const ends = new Date(end)
  const months = (ends.getUTCFullYear() - started.getUTCFullYear()) * 12 + ends.getUTCMonth() - started.getUTCMonth()
  return { start: Math.min(end, monthsAfter(anchor, Math.max(0, months - 1))), end }
}

export interface PlanChange {
  /** List price at which the current plan was ordered, gross. A coupon does not count: it is for one order only. */
  readonly from: Minor
  /** List price of the new plan, gross. */
  readonly to: Minor
  readonly customer: CustomerVat
  readonly period: Period
  /** Epoch milliseconds. */
  readonly now: number
}

/**
 * The difference between the customer's prices, times the remaining part of the period, rounded half up. Zero if the
 * new plan is cheaper, or if no time remains.
 */
export const proration = ({ customer, from, now, period, to }: PlanChange): Charge => {
  const length = period.end - period.start
  const left = Math.min(length, Math.max(0, period.end - now))
  const difference = Math.max(0, price(to, customer).charge - price(from, customer).charge)
  return chargeOf(length === 0 ? 0 : fraction(difference, left, length), customer)
}
