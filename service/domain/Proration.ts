/** The cost of a plan change in the middle of a paid period. */
import { type Charge, chargeOf, type CustomerVat, price } from "./Vat.ts"
import { fraction, type Minor } from "./Money.ts"
import type { Period } from "./Period.ts"

export interface PlanChange {
  /** List price at which the current plan was ordered, gross. A coupon does not count: it is for one order only. */
  readonly from: Minor
  /** List price of the new plan, gross. */
  readonly to: Minor
  readonly customer: CustomerVat
  /** The paid periods that are not over. */
  readonly periods: ReadonlyArray<Period>
  /** Epoch milliseconds. */
  readonly now: number
}

/** The charge for a whole period: the difference between the customer's prices; zero if the new plan is cheaper. */
export const difference = ({ customer, from, to }: Pick<PlanChange, "customer" | "from" | "to">): Minor =>
  Math.max(0, price(to, customer).charge - price(from, customer).charge)

/** The difference of a period, times its remaining part, rounded half up; the sum of all periods. */
export const proration = ({ now, periods, ...change }: PlanChange): Charge => {
  const whole = difference(change)
  const parts = periods.map(({ end, start }) => {
    const length = end - start
    const left = Math.min(length, Math.max(0, end - now))
    return length === 0 ? 0 : fraction(whole, left, length)
  })
  return chargeOf(parts.reduce((sum, part) => sum + part, 0), change.customer)
}
