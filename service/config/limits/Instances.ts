/** The limits of an instance's snapshots, backups and passwords. */
import type { LimitTable } from "../Limit.ts"

export const INSTANCE_LIMITS = {
  SNAPSHOTS_MAX: {
    fallback: 3,
    min: 0,
    max: 1_000,
    unit: "snapshots",
    reason:
      "Snapshots of an instance, including those in progress: disks are expensive, and three cover a risky change."
  },
  BACKUP_RETENTION_MILLIS: {
    fallback: 7 * 24 * 60 * 60_000,
    unit: "milliseconds",
    reason: "How long a nightly backup is stored: a mistake is usually noticed within a week."
  },
  BACKUP_WAIT_MILLIS: {
    fallback: 15 * 60_000,
    unit: "milliseconds",
    reason: "Delay before a backup is retried that found its instance busy or was preempted."
  },
  PASSWORD_LENGTH: {
    fallback: 20,
    min: 12,
    max: 64,
    unit: "characters",
    reason: "Length of a generated password: about 119 bits, within the panel's own limit."
  }
} satisfies LimitTable
