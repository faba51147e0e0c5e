/** `pulumi-vps/provider`: the resources and functions for Pulumi programs in TypeScript and JavaScript. */
export type { CostLine } from "./component/Cost.ts"
export type { DeletionPolicy, WaitFor } from "./Config.ts"
export type { Results, WalletResult } from "./functions/Functions.ts"
export type { Timeouts } from "./instance/Args.ts"
export type { BootMode, PowerState } from "./instance/Definition.ts"
export type { Orphan, OrphanReport, StackState } from "./orphans/Orphans.ts"
export type { StateSources } from "./orphans/States.ts"
export type { OnDelete } from "./reverse-dns/Definition.ts"
export type { SnapshotOnDelete } from "./snapshot/Definition.ts"
export type {
  AttachedTimeouts,
  BackupRestoreArgs,
  RestoreArgs,
  ReverseDnsArgs,
  SnapshotArgs,
  SnapshotRestoreArgs
} from "./classes/Attached.ts"
export type { GetMetricsArgs, GetTasksArgs, GetWalletArgs, Inputs, OfInstance, OfPlan } from "./classes/FunctionArgs.ts"
export type { InstanceArgs } from "./classes/Instance.ts"
export type { VpsServerArgs } from "./classes/VpsServer.ts"
export { costSummary } from "./classes/VpsServer.ts"
export * from "./dynamic/Functions.ts"
export { Instance } from "./dynamic/Instance.ts"
export { BackupRestore, SnapshotRestore } from "./dynamic/Restores.ts"
export { ReverseDns } from "./dynamic/ReverseDns.ts"
export { Snapshot } from "./dynamic/Snapshot.ts"
export { VpsServer } from "./dynamic/VpsServer.ts"
export { findOrphans, readState } from "./orphans/Orphans.ts"
export { describeOrphans } from "./orphans/Report.ts"
export { readStates } from "./orphans/States.ts"
