/** The limits of the simulated driver, and of the emulator. */
import { limit, millis } from "../Limit.ts"

export const EMULATOR_LIMITS = {
  EMULATOR_DEPLOY_MILLIS: millis(1_000, "Default time from a create to its deployment in the emulator.", { min: 0 }),
  EMULATOR_OPERATION_MILLIS: millis(
    200,
    "Duration of every other simulated operation; 0 when deployments are instant.",
    { min: 0 }
  ),
  SIMULATED_KEY_RETENTION_MILLIS: millis(
    24 * 60 * 60_000,
    "How long the simulated driver stores the key of an operation: far longer than any task lives."
  ),
  SIMULATED_POWER_RETENTION_MILLIS: millis(
    31 * 24 * 60 * 60_000,
    "How long the simulated driver stores a machine's power history: the longest metrics range."
  ),
  EMULATOR_REQUESTS: limit(1_000, "requests", "Number of requests in the emulator's request log."),
  EMULATOR_MAILS: limit(1_000, "mails", "Number of mails in the emulator's list of sent mails."),
  EMULATOR_SETTLE_MILLIS: millis(
    5_000,
    "Maximum wait of a read for the deployment that it completes: the worker needs a few event-loop turns."
  )
}
