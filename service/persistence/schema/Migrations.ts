/** The schema's versions, in order, for both databases. */
import type { Migration } from "./Dialect.ts"
import { initial } from "./0001_initial.ts"
import { simulatedMachines } from "./0002_simulated_machines.ts"
import { coupons } from "./0003_coupons.ts"
import { renewal } from "./0004_renewal.ts"
import { createLimits } from "./0005_create_limits.ts"
import { keyRetention } from "./0006_key_retention.ts"
import { emulator } from "./0007_emulator.ts"
import { machineOperations } from "./0008_machine_operations.ts"
import { simulatedDisks } from "./0009_simulated_disks.ts"
import { suspension } from "./0010_suspension.ts"
import { taskTrace } from "./0011_task_trace.ts"
import { slimKeys } from "./0012_slim_keys.ts"
import { nightlyBackups } from "./0013_nightly_backups.ts"
import { fewerTaskIndexes } from "./0014_fewer_task_indexes.ts"
import { suspensionNote } from "./0015_suspension_note.ts"
import { onePeriod } from "./0016_one_period.ts"
import { booted } from "./0017_booted.ts"
import { clock } from "./0018_clock.ts"
import { paidFrom } from "./0019_paid_from.ts"
import { taskCounts } from "./0020_task_counts.ts"
import { soldPlans } from "./0021_sold_plans.ts"
import { hosts } from "./0022_hosts.ts"
import { nextPrice } from "./0023_next_price.ts"
import { hostFailures } from "./0024_host_failures.ts"
import { audit } from "./0025_audit.ts"
import { peopleSchema } from "./0026_people.ts"
import { ipv6 } from "./0027_ipv6.ts"
import { statement } from "./0028_statement.ts"
import { metrics } from "./0029_metrics.ts"
import { appendOnly } from "./0030_append_only.ts"

export const MIGRATIONS: ReadonlyArray<Migration> = [
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
  nightlyBackups,
  fewerTaskIndexes,
  suspensionNote,
  onePeriod,
  booted,
  clock,
  paidFrom,
  taskCounts,
  soldPlans,
  hosts,
  nextPrice,
  hostFailures,
  audit,
  peopleSchema,
  ipv6,
  statement,
  metrics,
  appendOnly
]

/** The version of this program's schema. */
export const SCHEMA_VERSION = MIGRATIONS.length
