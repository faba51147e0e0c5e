/** Periods of a contract, counted in calendar months (UTC) from an anchor. */

const lastDayOf = (year: number, month: number): number => new Date(Date.UTC(year, month + 1, 0)).getUTCDate()

/**
 * The end of the n-th monthly period after `anchor` (both epoch milliseconds). Counting from the anchor keeps its day:
 * 31 January leads to 28 February and then to 31 March; adding one month at a time would drift to the 28th.
 */
export const monthsAfter = (anchor: number, months: number): number => {
  const at = new Date(anchor)
  const first = new Date(Date.UTC(at.getUTCFullYear(), at.getUTCMonth() + months, 1))
  const day = Math.min(at.getUTCDate(), lastDayOf(first.getUTCFullYear(), first.getUTCMonth()))
  return first.getTime() + (day - 1) * 86_400_000 + (anchor % 86_400_000)
}

/** Epoch milliseconds as the wire writes a moment. */
export const toTimestamp = (epochMillis: number): string => new Date(epochMillis).toISOString()
