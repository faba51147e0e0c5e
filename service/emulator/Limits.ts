/** The limits of the emulator. */
import type { LimitTable } from "../config/Limit.ts"

export const EMULATOR_LIMITS = {
  EMULATOR_REQUESTS: {
    fallback: 1_000,
    unit: "requests",
    reason: "Requests that the emulator remembers for its log."
  },
  EMULATOR_SETTLE_MILLIS: {
    fallback: 5_000,
    unit: "milliseconds",
    reason: "Longest wait of a read for the deployment that it completes: it takes a few turns of the worker."
  }
} satisfies LimitTable
