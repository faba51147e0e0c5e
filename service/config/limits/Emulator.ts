/** The limits of the emulator. */
import type { LimitTable } from "../Limit.ts"

export const EMULATOR_LIMITS = {
  EMULATOR_REQUESTS: {
    fallback: 1_000,
    unit: "requests",
    reason: "Number of requests in the emulator's request log."
  },
  EMULATOR_SETTLE_MILLIS: {
    fallback: 5_000,
    unit: "milliseconds",
    reason: "Maximum wait of a read for the deployment that it completes: the worker needs a few event-loop turns."
  }
} satisfies LimitTable
