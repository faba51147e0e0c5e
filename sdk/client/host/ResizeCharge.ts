/** The charge of a resize: as the host says it, or else what the plans' prices and the specification say about it. */
import type { AvailablePlan, Instance, PublicPlan } from "../Records.ts"
import type { View } from "./View.ts"

export type ResizeCharge =
  /** The host says it. */
  | { readonly kind: "shown"; readonly amount: number; readonly currency: string }
  /** The specification says that a downgrade is not charged. */
  | { readonly kind: "none" }
  /** The difference of the prices for the rest of the period: the host may charge another amount. */
  | { readonly kind: "estimate"; readonly amount: number; readonly currency: string | undefined }

/** The charge for a period of a plan, as a dry run shows it. */
export interface PlanCharge {
  readonly amount: number
  readonly currency: string | undefined
}

const DAY = 86_400_000
/** Days of a period. The specification shows none of the words: another one counts as if all of it were left. */
const DAYS: Readonly<Record<string, number>> = {
  daily: 1,
  weekly: 7,
  monthly: 30,
  quarterly: 91,
  yearly: 365,
  annually: 365
}

/** The part of the paid period that is left, from 0 to 1. */
const restOf = ({ expires_at, order: { service } }: Instance, now: number): number => {
  const days = DAYS[service.billing_cycle]
  const left = Date.parse(expires_at ?? "") - now
  return days === undefined || Number.isNaN(left) ? 1 : Math.min(1, Math.max(0, left / (days * DAY)))
}

const MINOR_UNITS = 100

/**
 * `listed` is the plan in the instance's list of plans, `to` that of the catalogue; `priced` is the charge for buying
 * it, where the key may request that.
 */
export const resizeCharge = (
  instance: Instance,
  listed: View<AvailablePlan> | undefined,
  to: Pick<PublicPlan, "price">,
  priced: PlanCharge | undefined,
  now: number
): ResizeCharge => {
  const { charge_amount, currency } = listed ?? {}
  if (charge_amount !== undefined && currency !== undefined) return { kind: "shown", amount: charge_amount, currency }
  const { price, pricing } = instance.order.service
  if (to.price <= price) return { kind: "none" }
  const factor = pricing !== null && pricing !== undefined && pricing.gross > 0
    ? pricing.charge_amount / pricing.gross
    : 1
  const difference = (priced?.amount ?? to.price * factor) - (pricing?.charge_amount ?? price)
  const amount = Math.round(Math.max(0, difference) * restOf(instance, now) * MINOR_UNITS) / MINOR_UNITS
  return { kind: "estimate", amount, currency: priced?.currency ?? currency }
}
