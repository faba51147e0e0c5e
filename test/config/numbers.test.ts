/** The numbers of the design, written once: the tests of what they bound read them from the service. */
import { assert, describe, it } from "@effect/vitest"
import { TASKS_LIMIT_DEFAULT, TASKS_LIMIT_MAX } from "#contract/Monitoring"
import type { LimitValues } from "#service/config/Limits"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

const NUMBERS: ReadonlyArray<readonly [section: string, name: keyof LimitValues, designed: number]> = [
  ["§2", "BODY_BYTES_MAX", 64 * 1024],
  ["§3", "IDEMPOTENCY_RETENTION_MILLIS", 30 * DAY],
  ["§3", "IDEMPOTENCY_WAIT_MILLIS", 5 * SECOND],
  ["§3", "IN_PROGRESS_RETRY_AFTER_SECONDS", 1],
  ["§3", "EXPIRY_GRACE_MILLIS", 7 * DAY],
  ["§4", "KEY_CACHE_MILLIS", 2 * SECOND],
  ["§5", "LEASE_MILLIS", MINUTE],
  ["§5", "WORKER_TASKS_MAX", 256],
  ["§5", "RETRY_BASE_MILLIS", SECOND],
  ["§5", "RETRY_CAP_MILLIS", MINUTE],
  ["§5", "ATTEMPTS_MAX", 10],
  ["§5", "PROVISION_PATIENCE_MILLIS", 30 * MINUTE],
  ["§5", "MAIL_TRIES", 3],
  ["§5", "SNAPSHOTS_MAX", 3],
  ["§6", "ACCOUNT_REQUESTS_PER_MINUTE", 600],
  ["§6", "ACCOUNT_REQUESTS_BURST", 120],
  ["§6", "CREATES_PER_MINUTE", 10],
  ["§6", "CREATES_PER_HOUR", 60],
  ["§8", "EMULATOR_DEPLOY_MILLIS", 1_000],
  ["§8", "EMULATOR_OPERATION_MILLIS", 200],
  ["§8", "EMULATOR_REQUESTS", 1_000]
]

describe("a number that is decided", () => {
  it.each(NUMBERS)("in %s: %s", (_section, name, designed) => assert.strictEqual(DEFAULT_LIMITS[name], designed))
  it.each([["§6", "TASKS_LIMIT_MAX", TASKS_LIMIT_MAX, 100], ["spec", "TASKS_LIMIT_DEFAULT", TASKS_LIMIT_DEFAULT, 20]])(
    "in %s: %s",
    (_section, _name, value, designed) => assert.strictEqual(value, designed)
  )
})
