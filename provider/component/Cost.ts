/** What a set of instances goes on costing: the sum of their renewals. Pure. */
import { isEnded } from "../api/InstanceStatus.ts"
import { minor } from "../purchase/Money.ts"

/** What an instance contributes, as its outputs hold it. */
export interface Renewing {
  readonly renewalPrice: number
  readonly billingCycle: string
  readonly currency?: string | undefined
  readonly autoRenew: boolean
  readonly status: string
}

/** What renews together: one billing cycle, one currency. */
export interface CostLine {
  /** As the plans say it, for example "monthly". */
  readonly billingCycle: string
  /** Of the wallet; "?" where no price was asked for, as with a key that may not buy. */
  readonly currency: string
  /** What each cycle charges for all of them, in units of `currency`. */
  readonly renewals: number
  /** How many instances that is. */
  readonly instances: number
}

const UNKNOWN_CURRENCY = "?"

/** Sums per billing cycle and currency, in that order; what does not renew itself costs nothing more. */
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
