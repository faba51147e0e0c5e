/** The limits of billing. */
import type { LimitTable } from "../Limit.ts"

export const BILLING_LIMITS = {
  EXPIRY_GRACE_MILLIS: {
    fallback: 7 * 24 * 60 * 60_000,
    min: 0,
    unit: "milliseconds",
    reason: "How long an expired instance waits for a top-up before it is deleted: 7 days, holidays included."
  }
} satisfies LimitTable
