/** Limits, timeouts, retry counts and retentions: each with its unit and its reason. */

/** Largest request body, in bytes: 16 times the longest legal one, small enough to refuse a flood. */
export const BODY_BYTES_MAX = 64 * 1024

/** How long a positive key look-up is trusted, in milliseconds: for so long a revocation may not be seen. */
export const KEY_CACHE_MILLIS = 2_000

/** Most keys remembered at once, so that the cache stays below a few megabytes. */
export const KEY_CACHE_ENTRIES = 10_000

/** `last_used_at` is written at most this often per key, in milliseconds: it is for people, and each write costs. */
export const KEY_LAST_USED_MILLIS = 60_000

/** How long to wait at start for a lock on the database file, in milliseconds: a predecessor may be exiting. */
export const DATABASE_BUSY_MILLIS = 5_000

/** What a client that meets a busy instance is told to wait, in seconds: most operations take about this long. */
export const BUSY_RETRY_AFTER_SECONDS = 2

/** How long finishing requests may take after SIGTERM, in milliseconds: the supervisor's usual patience is 10 s. */
export const SHUTDOWN_MILLIS = 8_000

/** A worker owns a task for this long without a sign of life, in milliseconds. */
export const LEASE_MILLIS = 60_000

/** How often a worker shows a sign of life, in milliseconds: a third of the lease, so that two may be lost. */
export const HEARTBEAT_MILLIS = LEASE_MILLIS / 3

/** Tasks in work at once: they mostly wait for the upstream and hold no connection. */
export const WORKER_TASKS_MAX = 256

/** First pause after a transient upstream fault, in milliseconds; doubles, with full jitter. */
export const RETRY_BASE_MILLIS = 1_000

/** Longest pause between two tries of a task, in milliseconds: a recovered upstream is noticed within a minute. */
export const RETRY_CAP_MILLIS = 60_000

/** Tries of a task before it fails for good. */
export const ATTEMPTS_MAX = 10

/** Provisioning goes on for this long instead of counting tries, in milliseconds: it has been paid for. */
export const PROVISION_PATIENCE_MILLIS = 30 * 60_000

/** How long an expired instance waits for a top-up before it is deleted, in milliseconds: 7 days, holidays included. */
export const EXPIRY_GRACE_MILLIS = 7 * 24 * 60 * 60_000

/** When a deletion that the upstream refused is tried again, in milliseconds: somebody has to look at it first. */
export const TERMINATE_RETRY_MILLIS = 60 * 60_000

/** How long idempotency keys outlive their instance, in milliseconds: 30 days, longer than any client retries. */
export const IDEMPOTENCY_RETENTION_MILLIS = 30 * 24 * 60 * 60_000

/** Most instances whose period is ended at once: each takes part in one shared transaction. */
export const DUTY_BATCH = 100

/** How long duties pause after a defect in one of them, in milliseconds: it would only be met again. */
export const DUTY_PAUSE_MILLIS = 60_000

/** Requests that the emulator remembers for its log. */
export const EMULATOR_REQUESTS = 1_000

/** Default time from a create to its deployment in the emulator, in milliseconds. */
export const EMULATOR_DEPLOY_MILLIS = 1_000

/** Every other simulated operation takes this long, in milliseconds; 0 when deploys are instant. */
export const EMULATOR_OPERATION_MILLIS = 200

/** How long the simulated upstream knows the key of an operation, in milliseconds: far longer than any task lives. */
export const SIMULATED_KEY_RETENTION_MILLIS = 24 * 60 * 60_000

/** Longest wait for one upstream operation of a task, in milliseconds: beyond it the upstream has lost it. */
export const OPERATION_PATIENCE_MILLIS = 10 * 60_000

/** Longest wait of a request for the upstream, in milliseconds: below the lease, so that nobody takes the task over. */
export const UPSTREAM_CALL_MILLIS = 30_000

/** How long the worker waits after the database refused a write, in milliseconds: a full disk is not cured sooner. */
export const WORKER_STORAGE_PAUSE_MILLIS = 1_000

/** Longest wait of a read for the deployment that it completes, in milliseconds: it takes a few turns of the worker. */
export const EMULATOR_SETTLE_MILLIS = 5_000

/** Snapshots of one instance at once, those being made included: disks are dear, and three cover a risky change. */
export const SNAPSHOTS_MAX = 3

/** How long a nightly backup is kept, in milliseconds: a mistake is usually noticed within a week. */
export const BACKUP_RETENTION_MILLIS = 7 * 24 * 60 * 60_000

/** When a backup that met a busy instance, or gave way to one, is tried again, in milliseconds. */
export const BACKUP_WAIT_MILLIS = 15 * 60_000

/** Backups begun in one transaction, so that a night's work does not hold up those who wait for an answer. */
export const BACKUP_BATCH = 64

/** Longest try to set back what the done steps of a failed call changed, in milliseconds: the caller waits for it. */
export const SET_BACK_MILLIS = 10_000

/** Characters of a password made here: about 119 bits, and no longer than the panel's own limit. */
export const PASSWORD_LENGTH = 20

/** Tries to mail a copy of a reset password: it is in memory only, so there is no later. */
export const MAIL_TRIES = 3

/** Pause between two tries to mail something, in milliseconds: longer than most hiccups of a mail server. */
export const MAIL_PAUSE_MILLIS = 2_000

/** How long the simulated upstream remembers when a machine was on, in milliseconds: the longest metrics range. */
export const SIMULATED_POWER_RETENTION_MILLIS = 31 * 24 * 60 * 60_000
