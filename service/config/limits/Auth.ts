/** The limits of authentication. */
import type { LimitTable } from "../Limit.ts"

export const AUTH_LIMITS = {
  KEY_CACHE_MILLIS: {
    fallback: 2_000,
    min: 0,
    max: 2_000,
    unit: "milliseconds",
    reason: "How long a valid key is cached: a revocation may take effect this much later."
  },
  KEY_CACHE_ENTRIES: {
    fallback: 10_000,
    unit: "keys",
    reason: "Maximum number of cached keys, so that the cache stays below a few megabytes."
  },
  KEY_LAST_USED_MILLIS: {
    fallback: 60_000,
    min: 0,
    unit: "milliseconds",
    reason: "`last_used_at` is written at most this often per key: it is informational, and each write costs."
  }
} satisfies LimitTable
