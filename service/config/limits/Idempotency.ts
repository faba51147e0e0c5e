/** The limits of idempotency keys. */
import type { LimitTable } from "../Limit.ts"

export const IDEMPOTENCY_LIMITS = {
  IDEMPOTENCY_RETENTION_MILLIS: {
    fallback: 30 * 24 * 60 * 60_000,
    min: 0,
    unit: "milliseconds",
    reason: "How long idempotency keys outlive their instance: 30 days, longer than any client retries."
  },
  IDEMPOTENCY_WAIT_MILLIS: {
    fallback: 5_000,
    unit: "milliseconds",
    reason:
      "Maximum wait of a create for another one with its Idempotency-Key: it usually completes within milliseconds."
  }
} satisfies LimitTable
