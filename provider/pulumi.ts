/** `pulumi-vps/pulumi`: the resources and functions of the plugin, for programs in TypeScript and JavaScript. */
export type * from "./classes/Programs.ts"
export { costSummary } from "./classes/VpsServer.ts"
export { findOrphans, readState } from "./orphans/Orphans.ts"
export { describeOrphans } from "./orphans/Report.ts"
export { readStates } from "./orphans/States.ts"
export * from "./pulumi/Functions.ts"
export { Provider, type ProviderArgs } from "./pulumi/Provider.ts"
export { BackupRestore, Instance, ReverseDns, Snapshot, SnapshotRestore, VpsServer } from "./pulumi/Resources.ts"
