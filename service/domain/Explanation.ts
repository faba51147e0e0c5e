/** The calculation of a booking, as it was at that time. Amounts are minor units, times epoch milliseconds. */
import type { BasisPoints, CustomerVat } from "./Vat.ts"
import type { Minor } from "./Money.ts"
import type { Treatment } from "../contract/Words.ts"

export interface Explanation {
  /** Name of the plan that was sold. */
  readonly plan?: string
  /** Its list price for a period, gross. */
  readonly price?: Minor
  /** Name of the plan before a resize, and its list price. */
  readonly previous?: string
  readonly previousPrice?: Minor
  /** The time that is paid for. Absent in the first charge of an instance, whose period begins with its deployment. */
  readonly from?: number
  readonly to?: number
  /** True if the instance was suspended when it was charged. */
  readonly suspended?: boolean
  /** The time that the period of the instance had paused before, in milliseconds. */
  readonly pausedMillis?: number
  /** Code of the coupon, and the amount that it took off. */
  readonly coupon?: string
  readonly discount?: Minor
  /** The customer's VAT. */
  readonly treatment?: Treatment
  readonly rate?: BasisPoints
  /** The operator's reason. */
  readonly reason?: string
}

/** The VAT of a customer as a part of an explanation; customers without VAT have the rate 0. */
export const explainVat = ({ rate, treatment }: CustomerVat): Pick<Explanation, "rate" | "treatment"> => ({
  treatment,
  rate: treatment === "domestic" || treatment === "oss" ? rate : 0
})
