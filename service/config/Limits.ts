/**
 * Every limit, timeout, retry count and retention of the service, from the tables in `limits`. Operators set those of
 * `SETTABLE`; the others are fixed, and only tests set them, by the environment variable VPS_SERVICE_ and their name.
 */
import * as Context from "effect/Context"
import type { Limit } from "./Limit.ts"
import { EMULATOR_LIMITS } from "./limits/Emulator.ts"
import { HTTP_LIMITS } from "./limits/Http.ts"
import { MACHINE_LIMITS } from "./limits/Machines.ts"
import { PANEL_LIMITS } from "./limits/Panel.ts"
import { PERSISTENCE_LIMITS } from "./limits/Persistence.ts"
import { RATE_LIMITS } from "./limits/Rates.ts"
import { TASK_LIMITS } from "./limits/Tasks.ts"
import { USE_CASE_LIMITS } from "./limits/UseCases.ts"

/** All tables as one. */
export const LIMITS = {
  ...HTTP_LIMITS,
  ...PERSISTENCE_LIMITS,
  ...TASK_LIMITS,
  ...MACHINE_LIMITS,
  ...USE_CASE_LIMITS,
  ...RATE_LIMITS,
  ...PANEL_LIMITS,
  ...EMULATOR_LIMITS
}

type LimitName = keyof typeof LIMITS

const ADJUSTABLE: ReadonlyArray<LimitName> = [
  // The size of the computer, and what is in front of the service.
  "CONNECTIONS_MAX",
  "CONNECTIONS_PER_ADDRESS_MAX",
  "UNREAD_BYTES_MAX",
  "REQUEST_MILLIS",
  "KEEP_ALIVE_MILLIS",
  "LAME_DUCK_MILLIS",
  "SHUTDOWN_MILLIS",
  "WORKER_TASKS_MAX",
  // The database server, and the size of the database.
  "DATABASE_CONNECTIONS",
  "DATABASE_STATEMENT_MILLIS",
  "START_CHECK_BYTES",
  // The hosts: how fast and how reliable they are.
  "ATTEMPTS_MAX",
  "PROVISION_PATIENCE_MILLIS",
  "OPERATION_PATIENCE_MILLIS",
  "AUDIT_REPAIRS_MAX",
  "AUDIT_RESTARTS_MAX",
  "RDNS_TTL_SECONDS",
  "LIBVIRT_BOOT_MILLIS",
  "LIBVIRT_COPY_MILLIS",
  "LIBVIRT_FILTER_MILLIS",
  "LIBVIRT_FREEZE_MILLIS",
  "LIBVIRT_SHUTDOWN_MILLIS",
  "LIBVIRT_POOL_RESERVE_MIB",
  // Promises to customers, and retention by contract or law.
  "SNAPSHOTS_MAX",
  "BACKUP_RETENTION_MILLIS",
  "EXPIRY_GRACE_MILLIS",
  "REPRICE_NOTICE_MILLIS",
  "FAILED_RETENTION_MILLIS",
  "FEED_RETENTION_MILLIS",
  "IDEMPOTENCY_RETENTION_MILLIS",
  "ADDRESS_QUARANTINE_MILLIS",
  // The rates of customers, and their sessions.
  "ACCOUNT_REQUESTS_PER_MINUTE",
  "ACCOUNT_REQUESTS_BURST",
  "UNAUTHENTICATED_PER_MINUTE",
  "CREATES_PER_MINUTE",
  "CREATES_PER_HOUR",
  "SESSION_IDLE_MILLIS"
]

/** The limits that operators may set, by name. */
export const SETTABLE: ReadonlyMap<string, Limit> = new Map(ADJUSTABLE.map((name) => [name, LIMITS[name]]))

/** The value of each limit. */
export type LimitValues = Readonly<Record<LimitName, number>>

/** The limits in effect. Layers yield them once, while they are built; hot paths read a captured value. */
export class Limits extends Context.Service<Limits, LimitValues>()("@pulumi-vps/service/Limits") {}
