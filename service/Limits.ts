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
