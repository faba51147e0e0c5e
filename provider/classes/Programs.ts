/** The types that programs name, whichever host they use: moving from one to the other is a change of one import. */
export type { CostLine } from "../component/Cost.ts"
export type { DeletionPolicy, WaitFor } from "../Config.ts"
export type { Results, WalletResult } from "../functions/Functions.ts"
export type { Timeouts } from "../instance/Args.ts"
export type { BootMode, PowerState } from "../instance/Definition.ts"
export type { Orphan, OrphanReport, StackState } from "../orphans/Orphans.ts"
export type { StateSources } from "../orphans/States.ts"
export type { OnDelete } from "../reverse-dns/Args.ts"
export type { SnapshotOnDelete } from "../snapshot/Args.ts"
export type {
  AttachedTimeouts,
  BackupRestoreArgs,
  RestoreArgs,
  ReverseDnsArgs,
  SnapshotArgs,
  SnapshotRestoreArgs
} from "./Attached.ts"
export type { GetMetricsArgs, GetTasksArgs, GetWalletArgs, Inputs, OfInstance, OfPlan } from "./FunctionArgs.ts"
export type { InstanceArgs } from "./Instance.ts"
export type { VpsServerArgs } from "./VpsServer.ts"
