/** The recurring cost of a set of instances: the sum of their renewals. Pure. */
import { isEnded } from "../api/Errors.ts"
import { minor } from "../purchase/Money.ts"

/** The relevant outputs of an instance. */
export interface Renewing {
  readonly renewalPrice: number
  readonly billingCycle: string
  readonly currency?: string | undefined
  readonly autoRenew: boolean
  readonly status: string
}

/** The renewals of one billing cycle and one currency. */
export interface CostLine {
  /** For example "monthly". */
  readonly billingCycle: string
  /** The wallet's; "?" when no price was requested, as with a key that cannot buy. */
  readonly currency: string
  /** The charge per cycle for all of them, in units of `currency`. */
  readonly renewals: number
  /** The number of instances. */
  readonly instances: number
}

const UNKNOWN_CURRENCY = "?"

/** Sums per billing cycle and currency, in that order; an instance that does not renew costs nothing more. */
export const summarize = (instances: ReadonlyArray<Renewing>): ReadonlyArray<CostLine> => {
  const renewing = instances.filter(({ autoRenew, status }) => autoRenew && !isEnded(status))
  const groups = Map.groupBy(
    renewing,
    ({ billingCycle, currency }) => JSON.stringify([billingCycle, currency ?? UNKNOWN_CURRENCY])
  )
  return [...groups].toSorted(([a], [b]) => a < b ? -1 : 1).map(([key, members]) => {
    const [billingCycle, currency] = JSON.parse(key) as [string, string]
    const total = members.reduce((sum, { renewalPrice }) => sum + minor(renewalPrice), 0)
    return { billingCycle, currency, renewals: total / 100, instances: members.length }
  })
}
