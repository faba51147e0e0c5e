/** The limits of tasks, the worker and its scheduled jobs. */
import { limit, millis } from "../Limit.ts"

export const TASK_LIMITS = {
  DUTY_CONCURRENCY: limit(
    2,
    "instances",
    "Instances that a scheduled job handles concurrently per replica on PostgreSQL: requests need connections, too.",
    { max: 100 }
  ),
  FEED_RETENTION_MILLIS: millis(
    180 * 24 * 60 * 60_000,
    "How long ended tasks stay in the activity feed: half a year. The ledger is never deleted."
  ),
  FEED_FORGET_PAUSE_MILLIS: millis(
    60 * 60_000,
    "How often expired tasks are deleted from the feed. Some must stay, so age alone would find them again at once."
  ),
  FEED_FORGET_BATCH: limit(
    1_000,
    "tasks",
    "Maximum number of expired tasks deleted in one transaction: it blocks other writes for some milliseconds.",
    { max: 100_000 }
  ),
  LEASE_MILLIS: millis(60_000, "How long a worker owns a task without a heartbeat.", { min: 1_000 }),
  WORKER_TASKS_MAX: limit(
    256,
    "tasks",
    "Tasks in progress at once: they mostly wait for the driver and hold no connection.",
    { max: 10_000 }
  ),
  PROGRESS_MILLIS: millis(
    1_000,
    "Maximum age of the progress shown in the feed: changes within this interval are stored in one write."
  ),
  RETRY_BASE_MILLIS: millis(
    1_000,
    "Delay before the first retry after a transient driver fault. It doubles with each retry, with full jitter."
  ),
  RETRY_CAP_MILLIS: millis(
    60_000,
    "Maximum delay between two attempts of a task: a recovered upstream is noticed within a minute."
  ),
  ATTEMPTS_MAX: limit(10, "attempts", "Attempts of a task before it fails permanently."),
  PROVISION_PATIENCE_MILLIS: millis(
    30 * 60_000,
    "Provisioning is retried for at least this long, regardless of the number of attempts: the customer has paid."
  ),
  TERMINATE_RETRY_MILLIS: millis(
    60 * 60_000,
    "Delay before a deletion that the driver rejected is retried: an operator has to look at it first."
  ),
  DUTY_BATCH: limit(
    100,
    "instances",
    "Maximum number of instances that a scheduled job handles at once, in one shared transaction.",
    { max: 10_000 }
  ),
  DUTY_PAUSE_MILLIS: millis(
    60_000,
    "How long a scheduled job pauses after an unexpected error: it would only fail again."
  ),
  OPERATION_PATIENCE_MILLIS: millis(
    10 * 60_000,
    "Maximum duration of one attempt of a task: after this the upstream has lost the operation."
  ),
  UPSTREAM_CALL_MILLIS: millis(
    30_000,
    "Maximum duration of a driver call that a client waits for: below the lease, so that no worker takes it over.",
    { below: "LEASE_MILLIS" }
  ),
  WORKER_STORAGE_PAUSE_MILLIS: millis(
    1_000,
    "How long the worker pauses after a failed database write: a full disk takes longer to fix."
  )
}
