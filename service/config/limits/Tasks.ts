/** The limits of tasks, the worker and its scheduled jobs. */
import type { LimitTable } from "../Limit.ts"

export const TASK_LIMITS = {
  DUTY_CONCURRENCY: {
    fallback: 2,
    max: 100,
    unit: "instances",
    reason:
      "Instances that a scheduled job handles concurrently per replica on PostgreSQL: requests need connections, too."
  },
  FEED_RETENTION_MILLIS: {
    fallback: 180 * 24 * 60 * 60_000,
    unit: "milliseconds",
    reason: "How long ended tasks stay in the activity feed: half a year. The ledger is never deleted."
  },
  FEED_FORGET_PAUSE_MILLIS: {
    fallback: 60 * 60_000,
    unit: "milliseconds",
    reason:
      "How often expired tasks are deleted from the feed. Some must stay, so age alone would find them again at once."
  },
  FEED_FORGET_BATCH: {
    fallback: 1_000,
    max: 100_000,
    unit: "tasks",
    reason: "Maximum number of expired tasks deleted in one transaction: it blocks other writes for some milliseconds."
  },
  LEASE_MILLIS: {
    fallback: 60_000,
    min: 1_000,
    unit: "milliseconds",
    reason: "How long a worker owns a task without a heartbeat."
  },
  WORKER_TASKS_MAX: {
    fallback: 256,
    max: 10_000,
    unit: "tasks",
    reason: "Tasks in progress at once: they mostly wait for the driver and hold no connection."
  },
  PROGRESS_MILLIS: {
    fallback: 1_000,
    unit: "milliseconds",
    reason: "Maximum age of the progress shown in the feed: changes within this interval are stored in one write."
  },
  RETRY_BASE_MILLIS: {
    fallback: 1_000,
    unit: "milliseconds",
    reason: "Delay before the first retry after a transient driver fault. It doubles with each retry, with full jitter."
  },
  RETRY_CAP_MILLIS: {
    fallback: 60_000,
    unit: "milliseconds",
    reason: "Maximum delay between two attempts of a task: a recovered upstream is noticed within a minute."
  },
  ATTEMPTS_MAX: {
    fallback: 10,
    unit: "attempts",
    reason: "Attempts of a task before it fails permanently."
  },
  PROVISION_PATIENCE_MILLIS: {
    fallback: 30 * 60_000,
    unit: "milliseconds",
    reason:
      "Provisioning is retried for at least this long, regardless of the number of attempts: the customer has paid."
  },
  TERMINATE_RETRY_MILLIS: {
    fallback: 60 * 60_000,
    unit: "milliseconds",
    reason: "Delay before a deletion that the driver rejected is retried: an operator has to look at it first."
  },
  DUTY_BATCH: {
    fallback: 100,
    max: 10_000,
    unit: "instances",
    reason: "Maximum number of instances that a scheduled job handles at once, in one shared transaction."
  },
  DUTY_PAUSE_MILLIS: {
    fallback: 60_000,
    unit: "milliseconds",
    reason: "How long a scheduled job pauses after an unexpected error: it would only fail again."
  },
  OPERATION_PATIENCE_MILLIS: {
    fallback: 10 * 60_000,
    unit: "milliseconds",
    reason: "Maximum duration of one attempt of a task: after this the upstream has lost the operation."
  },
  UPSTREAM_CALL_MILLIS: {
    fallback: 30_000,
    below: "LEASE_MILLIS",
    unit: "milliseconds",
    reason:
      "Maximum duration of a driver call that a client waits for: below the lease, so that no worker takes it over."
  },
  WORKER_STORAGE_PAUSE_MILLIS: {
    fallback: 1_000,
    unit: "milliseconds",
    reason: "How long the worker pauses after a failed database write: a full disk takes longer to fix."
  },
  SET_BACK_MILLIS: {
    fallback: 10_000,
    unit: "milliseconds",
    reason: "Maximum time to compensate the completed steps of a failed call, because the client is waiting."
  }
} satisfies LimitTable
