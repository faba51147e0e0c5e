/** `pulumi-vps/provider`: the resources and functions for Pulumi programs in TypeScript and JavaScript. */
export type { CostLine } from "./component/Cost.ts"
export type { DeletionPolicy, WaitFor } from "./Config.ts"
export type { AttachedTimeouts } from "./dynamic/Attached.ts"
export * from "./dynamic/Functions.ts"
export { Instance, type InstanceArgs } from "./dynamic/Instance.ts"
export {
  BackupRestore,
  type BackupRestoreArgs,
  type RestoreArgs,
  SnapshotRestore,
  type SnapshotRestoreArgs
} from "./dynamic/Restores.ts"
export { ReverseDns, type ReverseDnsArgs } from "./dynamic/ReverseDns.ts"
export { Snapshot, type SnapshotArgs } from "./dynamic/Snapshot.ts"
export { costSummary, VpsServer, type VpsServerArgs } from "./dynamic/VpsServer.ts"
export type { Results, WalletResult } from "./functions/Functions.ts"
export type { Timeouts } from "./instance/Args.ts"
export type { BootMode, PowerState } from "./instance/Definition.ts"
export { findOrphans, type Orphan, type OrphanReport, readState, type StackState } from "./orphans/Orphans.ts"
export { describeOrphans } from "./orphans/Report.ts"
export { readStates, type StateSources } from "./orphans/States.ts"
export type { OnDelete } from "./reverse-dns/Args.ts"
export type { SnapshotOnDelete } from "./snapshot/Args.ts"
