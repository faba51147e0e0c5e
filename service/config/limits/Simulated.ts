/** The limits of the simulated driver. */
import type { LimitTable } from "../Limit.ts"

export const SIMULATED_LIMITS = {
  EMULATOR_DEPLOY_MILLIS: {
    fallback: 1_000,
    min: 0,
    unit: "milliseconds",
    reason: "Default time from a create to its deployment in the emulator."
  },
  EMULATOR_OPERATION_MILLIS: {
    fallback: 200,
    min: 0,
    unit: "milliseconds",
    reason: "Duration of every other simulated operation; 0 when deployments are instant."
  },
  SIMULATED_KEY_RETENTION_MILLIS: {
    fallback: 24 * 60 * 60_000,
    unit: "milliseconds",
    reason: "How long the simulated driver stores the key of an operation: far longer than any task lives."
  },
  SIMULATED_POWER_RETENTION_MILLIS: {
    fallback: 31 * 24 * 60 * 60_000,
    unit: "milliseconds",
    reason: "How long the simulated driver stores a machine's power history: the longest metrics range."
  }
} satisfies LimitTable
