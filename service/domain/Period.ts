/** The paid periods of a subscription, counted in calendar months (UTC) from an anchor. */

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
