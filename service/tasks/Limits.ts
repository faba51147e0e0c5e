/** The limits of tasks, the worker and its scheduled jobs. */
import type { LimitTable } from "../config/Limit.ts"

export const TASK_LIMITS = {
  DUTY_CONCURRENCY: {
    fallback: 2,
    max: 100,
    unit: "instances",
    reason: "Periods ended at once by one replica on PostgreSQL: more would leave requests no connection."
  },
  FEED_RETENTION_MILLIS: {
    fallback: 180 * 24 * 60 * 60_000,
    unit: "milliseconds",
    reason: "How long ended tasks stay in the activity feed: half a year of who did what; money is kept for ever."
  },
  FEED_FORGET_PAUSE_MILLIS: {
    fallback: 60 * 60_000,
    unit: "milliseconds",
    reason: "How often tasks that are too old are looked for: some of them stay, so their age alone would not end it."
  },
  FEED_FORGET_BATCH: {
    fallback: 1_000,
    max: 100_000,
    unit: "tasks",
    reason: "Most ended tasks forgotten at once: some milliseconds, in which nobody else is answered."
  },
  LEASE_MILLIS: {
    fallback: 60_000,
    min: 1_000,
    unit: "milliseconds",
    reason: "A worker owns a task for this long without a sign of life."
  },
  WORKER_TASKS_MAX: {
    fallback: 256,
    max: 10_000,
    unit: "tasks",
    reason: "Tasks in work at once: they mostly wait for the upstream and hold no connection."
  },
  PROGRESS_MILLIS: {
    fallback: 1_000,
    unit: "milliseconds",
    reason: "How old the progress that the feed shows may be: all that was made meanwhile is stored in one write."
  },
  RETRY_BASE_MILLIS: {
    fallback: 1_000,
    unit: "milliseconds",
    reason: "First pause after a transient upstream fault; doubles, with full jitter."
  },
  RETRY_CAP_MILLIS: {
    fallback: 60_000,
    unit: "milliseconds",
    reason: "Longest pause between two tries of a task: a recovered upstream is noticed within a minute."
  },
  ATTEMPTS_MAX: {
    fallback: 10,
    unit: "tries",
    reason: "Tries of a task before it fails for good."
  },
  PROVISION_PATIENCE_MILLIS: {
    fallback: 30 * 60_000,
    unit: "milliseconds",
    reason: "Provisioning goes on for this long instead of counting tries: it has been paid for."
  },
  TERMINATE_RETRY_MILLIS: {
    fallback: 60 * 60_000,
    unit: "milliseconds",
    reason: "When a deletion that the upstream refused is tried again: somebody has to look at it first."
  },
  DUTY_BATCH: {
    fallback: 100,
    max: 10_000,
    unit: "instances",
    reason: "Most instances whose period is ended at once: each takes part in one shared transaction."
  },
  DUTY_PAUSE_MILLIS: {
    fallback: 60_000,
    unit: "milliseconds",
    reason: "How long duties pause after a defect in one of them: it would only be met again."
  },
  OPERATION_PATIENCE_MILLIS: {
    fallback: 10 * 60_000,
    unit: "milliseconds",
    reason: "Longest wait for one upstream operation of a task: beyond it the upstream has lost it."
  },
  UPSTREAM_CALL_MILLIS: {
    fallback: 30_000,
    below: "LEASE_MILLIS",
    unit: "milliseconds",
    reason: "Longest wait of a request for the upstream: below the lease, so that nobody takes the task over."
  },
  WORKER_STORAGE_PAUSE_MILLIS: {
    fallback: 1_000,
    unit: "milliseconds",
    reason: "How long the worker waits after the database refused a write: a full disk is not cured sooner."
  },
  SET_BACK_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason: "Longest try to set back what the done steps of a failed call changed: the caller waits for it."
  }
} satisfies LimitTable
