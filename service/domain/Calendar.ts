/**
 * The periods of a subscription, counted in calendar months (UTC) from an anchor, and the cost of a plan change in the
 * middle of one.
 */
import { memoize } from "./Memoize.ts"
import { type Charge, chargeOf, type CustomerVat, fraction, type Minor, price } from "./Money.ts"

const lastDayOf = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()

/**
 * The end of the n-th monthly period after `anchor` (both epoch milliseconds). Counting from the anchor preserves its
 * day: 31 January leads to 28 February and then to 31 March; adding one month at a time would drift to the 28th.
 */
export const monthsAfter = (anchor: number, months: number): number => {
  const at = new Date(anchor)
  const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1))
  const day = Math.min(at.getUTCDate(), lastDayOf(first.getUTCFullYear(), first.getUTCMonth()))
  return first.getTime() + (day - 1) * 86_400_000 + (anchor % 86_400_000)
}

const monthOf = (at: number): number => {
  const date = new Date(at)
  return date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** The end of the period that follows the one that ends at `end`, for a subscription from `anchor`. */
export const nextPeriodEnd = (anchor: number, end: number): number =>
  monthsAfter(anchor, monthOf(end) - monthOf(anchor) + 1)

/** Maximum number of remembered timestamps: some hundred kilobytes. */
const FORMATTED_MAX = 4_096

/**
 * Epoch milliseconds as an ISO 8601 timestamp, as the API returns it. Rows are read far more often than written, and
 * formatting a date costs as much as a tenth of a read.
 */
export const toTimestamp = memoize(
  (epochMillis: number): string => new Date(epochMillis).toISOString(),
  FORMATTED_MAX
)

export const toOptionalTimestamp = (epochMillis: number | null): string | null =>
  epochMillis === null ? null : toTimestamp(epochMillis)

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

/** The night starts at 02:00 UTC, when most machines are idle. */
const START = 2 * 60 * MINUTE

/** Its work is spread over two hours, in minutes, to limit the load on the hosts. */
const SPREAD = 120

/** A stride without a common factor with the spread: consecutive instances are minutes apart. */
const STRIDE = 7

/** The time between two nightly runs of an instance, in milliseconds. */
export const NIGHT_TO_NIGHT_MILLIS = DAY

/** The instance's next nightly run after `at`; both in epoch milliseconds. */
export const nextNight = (at: number, instanceId: number): number => {
  const minute = START + (instanceId * STRIDE % SPREAD) * MINUTE
  return (Math.floor((at - minute) / DAY) + 1) * DAY + minute
}

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

/** The paid periods until `end` that are not over at a moment, newest first; at least one. */
export const openPeriods = (anchor: number, end: number, now: number): ReadonlyArray<Period> => {
  const last = periodEnding(anchor, end)
  const isFirst = last.start <= anchor || last.start === end
  return isFirst || last.start <= now ? [last] : [last, ...openPeriods(anchor, last.start, now)]
}

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
