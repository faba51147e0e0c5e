/** `pulumi-vps/pulumi`: the resources and functions of the plugin, for programs in TypeScript and JavaScript. */
export type * from "./classes/FunctionArgs.ts"
export type {
  BackupRestoreArgs,
  BootMode,
  CostLine,
  DeletionPolicy,
  InstanceArgs,
  OnDelete,
  Orphan,
  OrphanReport,
  PowerState,
  Results,
  ReverseDnsArgs,
  SnapshotArgs,
  SnapshotOnDelete,
  SnapshotRestoreArgs,
  StackState,
  StateSources,
  Timeouts,
  VpsServerArgs,
  WaitFor,
  WalletResult
} from "./index.ts"
export { costSummary } from "./classes/VpsServer.ts"
export { describeOrphans, findOrphans, readState } from "./orphans/Orphans.ts"
export { readStates } from "./orphans/States.ts"
export * from "./pulumi/Functions.ts"
export { Provider, type ProviderArgs } from "./pulumi/Register.ts"
export * from "./pulumi/Resources.ts"
