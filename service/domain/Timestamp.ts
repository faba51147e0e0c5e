/** Moments as the API returns them. */
import { memoize } from "./Memoize.ts"

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
