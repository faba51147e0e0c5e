/**
 * The schema's versions, in order. A released migration is never edited: a change is a new one. Written for SQLite;
 * PostgreSQL runs the same list, in its own words (`postgres/Dialect.ts`).
 */
import type { DatabaseSync } from "node:sqlite"
import { initial } from "./migrations/0001_initial.ts"
import { simulatedMachines } from "./migrations/0002_simulated_machines.ts"
import { coupons } from "./migrations/0003_coupons.ts"
import { renewal } from "./migrations/0004_renewal.ts"
import { createLimits } from "./migrations/0005_create_limits.ts"
import { keyRetention } from "./migrations/0006_key_retention.ts"
import { emulator } from "./migrations/0007_emulator.ts"
import { machineOperations } from "./migrations/0008_machine_operations.ts"
import { simulatedDisks } from "./migrations/0009_simulated_disks.ts"
import { suspension } from "./migrations/0010_suspension.ts"
import { taskTrace } from "./migrations/0011_task_trace.ts"
import { slimKeys } from "./migrations/0012_slim_keys.ts"
import { nightlyBackups } from "./migrations/0013_nightly_backups.ts"

export const MIGRATIONS: ReadonlyArray<string> = [
  initial,
  simulatedMachines,
  coupons,
  renewal,
  createLimits,
  keyRetention,
  emulator,
  machineOperations,
  simulatedDisks,
  suspension,
  taskTrace,
  slimKeys,
  nightlyBackups
]

/** The version that this program's schema has. */
export const SCHEMA_VERSION = MIGRATIONS.length

const versionOf = (connection: DatabaseSync): number =>
  Number((connection.prepare("PRAGMA user_version").get() as { readonly user_version: number }).user_version)

/**
 * Brings the file to this program's version, each step in its own transaction; throws on a newer file. A test stops at
 * an earlier version, to see that its rows come through.
 */
export const migrate = (connection: DatabaseSync, version = MIGRATIONS.length): void => {
  const current = versionOf(connection)
  if (current > MIGRATIONS.length) {
    throw new Error(
      `it has schema version ${current}; this program knows up to ${MIGRATIONS.length}. Run the newer version of the `
        + "service that wrote it, or restore a backup from before: vps-service admin restore <backup>."
    )
  }
  for (const [index, sql] of MIGRATIONS.entries()) {
    if (index < current || index >= version) continue
    connection.exec(`BEGIN IMMEDIATE; ${sql}; PRAGMA user_version = ${index + 1}; COMMIT`)
  }
}
