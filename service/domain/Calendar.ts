/** The periods of a subscription, counted in calendar months (UTC) from an anchor. */
import { memoize } from "./Memoize.ts"

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
