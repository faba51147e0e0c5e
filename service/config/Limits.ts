/**
 * Limits, timeouts, retry counts and retentions: each with its value, its unit, and its reason. Any of them is set by
 * the environment, as VPS_SERVICE_ and its name, when the process starts; `vps-service config` shows what holds.
 */
import { limit } from "./Config.ts"

export * from "../http/Limits.ts"
export * from "../mail/Limits.ts"
export * from "../persistence/Limits.ts"
export * from "../tasks/Limits.ts"

export const BODY_BYTES_MAX = limit("BODY_BYTES_MAX", 64 * 1024, {
  min: 16 * 1024,
  max: 64 * 1024 * 1024,
  unit: "bytes",
  reason: "Largest request body: 16 times the longest legal one, small enough to refuse a flood."
})

export const KEY_CACHE_MILLIS = limit("KEY_CACHE_MILLIS", 2_000, {
  min: 0,
  max: 2_000,
  unit: "milliseconds",
  reason: "How long a positive key look-up is trusted: for so long a revocation may not be seen."
})

export const KEY_CACHE_ENTRIES = limit("KEY_CACHE_ENTRIES", 10_000, {
  unit: "keys",
  reason: "Most keys remembered at once, so that the cache stays below a few megabytes."
})

export const KEY_LAST_USED_MILLIS = limit("KEY_LAST_USED_MILLIS", 60_000, {
  min: 0,
  unit: "milliseconds",
  reason: "`last_used_at` is written at most this often per key: it is for people, and each write costs."
})

export const DATABASE_BUSY_MILLIS = limit("DATABASE_BUSY_MILLIS", 5_000, {
  min: 0,
  unit: "milliseconds",
  reason: "How long to wait at start for a lock on the database file: a predecessor may be exiting."
})

export const BUSY_RETRY_AFTER_SECONDS = limit("BUSY_RETRY_AFTER_SECONDS", 2, {
  unit: "seconds",
  reason: "What a client that meets a busy instance is told to wait: most operations take about this long."
})

export const SHUTDOWN_MILLIS = limit("SHUTDOWN_MILLIS", 8_000, {
  min: 0,
  unit: "milliseconds",
  reason: "How long finishing requests may take after SIGTERM: the supervisor's usual patience is 10 s."
})

export const LEASE_MILLIS = limit("LEASE_MILLIS", 60_000, {
  min: 1_000,
  unit: "milliseconds",
  reason: "A worker owns a task for this long without a sign of life."
})

/** How often a worker shows a sign of life, in milliseconds: a third of the lease, so that two may be lost. */
export const HEARTBEAT_MILLIS = LEASE_MILLIS / 3

export const WORKER_TASKS_MAX = limit("WORKER_TASKS_MAX", 256, {
  max: 10_000,
  unit: "tasks",
  reason: "Tasks in work at once: they mostly wait for the upstream and hold no connection."
})

export const PROGRESS_MILLIS = limit("PROGRESS_MILLIS", 1_000, {
  unit: "milliseconds",
  reason: "How old the progress that the feed shows may be: all that was made meanwhile is stored in one write."
})

export const RETRY_BASE_MILLIS = limit("RETRY_BASE_MILLIS", 1_000, {
  unit: "milliseconds",
  reason: "First pause after a transient upstream fault; doubles, with full jitter."
})

export const RETRY_CAP_MILLIS = limit("RETRY_CAP_MILLIS", 60_000, {
  unit: "milliseconds",
  reason: "Longest pause between two tries of a task: a recovered upstream is noticed within a minute."
})

export const ATTEMPTS_MAX = limit("ATTEMPTS_MAX", 10, {
  unit: "tries",
  reason: "Tries of a task before it fails for good."
})

export const PROVISION_PATIENCE_MILLIS = limit("PROVISION_PATIENCE_MILLIS", 30 * 60_000, {
  unit: "milliseconds",
  reason: "Provisioning goes on for this long instead of counting tries: it has been paid for."
})

export const EXPIRY_GRACE_MILLIS = limit("EXPIRY_GRACE_MILLIS", 7 * 24 * 60 * 60_000, {
  min: 0,
  unit: "milliseconds",
  reason: "How long an expired instance waits for a top-up before it is deleted: 7 days, holidays included."
})

export const TERMINATE_RETRY_MILLIS = limit("TERMINATE_RETRY_MILLIS", 60 * 60_000, {
  unit: "milliseconds",
  reason: "When a deletion that the upstream refused is tried again: somebody has to look at it first."
})

export const IDEMPOTENCY_RETENTION_MILLIS = limit("IDEMPOTENCY_RETENTION_MILLIS", 30 * 24 * 60 * 60_000, {
  min: 0,
  unit: "milliseconds",
  reason: "How long idempotency keys outlive their instance: 30 days, longer than any client retries."
})

export const IDEMPOTENCY_WAIT_MILLIS = limit("IDEMPOTENCY_WAIT_MILLIS", 5_000, {
  unit: "milliseconds",
  reason: "Longest wait of a create for another one with its key: it is usually done within a few."
})

export const IN_PROGRESS_RETRY_AFTER_SECONDS = limit("IN_PROGRESS_RETRY_AFTER_SECONDS", 1, {
  unit: "seconds",
  reason: "What a create that has waited in vain for another one with its key is told to wait."
})

export const ACCOUNT_REQUESTS_PER_MINUTE = limit("ACCOUNT_REQUESTS_PER_MINUTE", 600, {
  unit: "requests per minute",
  reason: "Ten a second are enough for any program that waits sensibly; a key gets half of it."
})

export const ACCOUNT_REQUESTS_BURST = limit("ACCOUNT_REQUESTS_BURST", 120, {
  unit: "requests",
  reason: "What may come at once: a refresh of a hundred machines; a key gets half of it."
})

export const UNAUTHENTICATED_PER_MINUTE = limit("UNAUTHENTICATED_PER_MINUTE", 60, {
  unit: "answers per minute",
  reason: "401s per address: a program with a wrong key notices soon, and guessing keys is hopeless anyway."
})

export const UNAUTHENTICATED_BURST = limit("UNAUTHENTICATED_BURST", 30, {
  unit: "answers",
  reason: "401s that an address may get at once: one office behind one address mistypes more than one key."
})

export const CREATES_PER_MINUTE = limit("CREATES_PER_MINUTE", 10, {
  unit: "creates per minute",
  reason: "Machines that an account may buy: a stolen key is noticed before it has bought a fleet."
})

export const CREATES_PER_HOUR = limit("CREATES_PER_HOUR", 60, {
  unit: "creates per hour",
  reason: "The same for a patient thief; operators raise both for accounts that they know."
})

export const RATE_BUCKETS_MAX = limit("RATE_BUCKETS_MAX", 100_000, {
  unit: "callers",
  reason: "Most callers remembered per rate at once, some 10 megabytes: a flood of addresses must not fill memory."
})

export const DUTY_BATCH = limit("DUTY_BATCH", 100, {
  max: 10_000,
  unit: "instances",
  reason: "Most instances whose period is ended at once: each takes part in one shared transaction."
})

export const DUTY_PAUSE_MILLIS = limit("DUTY_PAUSE_MILLIS", 60_000, {
  unit: "milliseconds",
  reason: "How long duties pause after a defect in one of them: it would only be met again."
})

export const EMULATOR_REQUESTS = limit("EMULATOR_REQUESTS", 1_000, {
  unit: "requests",
  reason: "Requests that the emulator remembers for its log."
})

export const EMULATOR_DEPLOY_MILLIS = limit("EMULATOR_DEPLOY_MILLIS", 1_000, {
  min: 0,
  unit: "milliseconds",
  reason: "Default time from a create to its deployment in the emulator."
})

export const EMULATOR_OPERATION_MILLIS = limit("EMULATOR_OPERATION_MILLIS", 200, {
  min: 0,
  unit: "milliseconds",
  reason: "Every other simulated operation takes this long; 0 when deploys are instant."
})

export const SIMULATED_KEY_RETENTION_MILLIS = limit("SIMULATED_KEY_RETENTION_MILLIS", 24 * 60 * 60_000, {
  unit: "milliseconds",
  reason: "How long the simulated upstream knows the key of an operation: far longer than any task lives."
})

export const OPERATION_PATIENCE_MILLIS = limit("OPERATION_PATIENCE_MILLIS", 10 * 60_000, {
  unit: "milliseconds",
  reason: "Longest wait for one upstream operation of a task: beyond it the upstream has lost it."
})

export const UPSTREAM_CALL_MILLIS = limit("UPSTREAM_CALL_MILLIS", 30_000, {
  max: LEASE_MILLIS - 1,
  unit: "milliseconds",
  reason: "Longest wait of a request for the upstream: below the lease, so that nobody takes the task over."
})

export const WORKER_STORAGE_PAUSE_MILLIS = limit("WORKER_STORAGE_PAUSE_MILLIS", 1_000, {
  unit: "milliseconds",
  reason: "How long the worker waits after the database refused a write: a full disk is not cured sooner."
})

export const EMULATOR_SETTLE_MILLIS = limit("EMULATOR_SETTLE_MILLIS", 5_000, {
  unit: "milliseconds",
  reason: "Longest wait of a read for the deployment that it completes: it takes a few turns of the worker."
})

export const SNAPSHOTS_MAX = limit("SNAPSHOTS_MAX", 3, {
  min: 0,
  max: 1_000,
  unit: "snapshots",
  reason:
    "Snapshots of one instance at once, those being made included: disks are dear, and three cover a risky change."
})

export const BACKUP_RETENTION_MILLIS = limit("BACKUP_RETENTION_MILLIS", 7 * 24 * 60 * 60_000, {
  unit: "milliseconds",
  reason: "How long a nightly backup is kept: a mistake is usually noticed within a week."
})

export const BACKUP_WAIT_MILLIS = limit("BACKUP_WAIT_MILLIS", 15 * 60_000, {
  unit: "milliseconds",
  reason: "When a backup that met a busy instance, or gave way to one, is tried again."
})

export const SET_BACK_MILLIS = limit("SET_BACK_MILLIS", 10_000, {
  unit: "milliseconds",
  reason: "Longest try to set back what the done steps of a failed call changed: the caller waits for it."
})

export const PASSWORD_LENGTH = limit("PASSWORD_LENGTH", 20, {
  min: 12,
  max: 64,
  unit: "characters",
  reason: "Characters of a password made here: about 119 bits, and no longer than the panel's own limit."
})

export const SIMULATED_POWER_RETENTION_MILLIS = limit("SIMULATED_POWER_RETENTION_MILLIS", 31 * 24 * 60 * 60_000, {
  unit: "milliseconds",
  reason: "How long the simulated upstream remembers when a machine was on: the longest metrics range."
})

export const ADMIN_REQUEST_BYTES_MAX = limit("ADMIN_REQUEST_BYTES_MAX", 4 * 1024 * 1024, {
  min: 64 * 1024,
  unit: "bytes",
  reason: "Largest request of an operator at the service's socket: a catalogue of thousands of plans."
})
