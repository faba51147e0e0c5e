/** The limits of an instance's snapshots, backups and passwords. */
import type { LimitTable } from "../config/Limit.ts"

export const INSTANCE_LIMITS = {
  SNAPSHOTS_MAX: {
    fallback: 3,
    min: 0,
    max: 1_000,
    unit: "snapshots",
    reason:
      "Snapshots of one instance at once, those being made included: disks are dear, and three cover a risky change."
  },
  BACKUP_RETENTION_MILLIS: {
    fallback: 7 * 24 * 60 * 60_000,
    unit: "milliseconds",
    reason: "How long a nightly backup is kept: a mistake is usually noticed within a week."
  },
  BACKUP_WAIT_MILLIS: {
    fallback: 15 * 60_000,
    unit: "milliseconds",
    reason: "When a backup that met a busy instance, or gave way to one, is tried again."
  },
  PASSWORD_LENGTH: {
    fallback: 20,
    min: 12,
    max: 64,
    unit: "characters",
    reason: "Characters of a password made here: about 119 bits, and no longer than the panel's own limit."
  }
} satisfies LimitTable
