/** `pulumi-vps/provider`: the resources for Pulumi programs in TypeScript and JavaScript. */
export type { DeletionPolicy, WaitFor } from "./Config.ts"
export { Instance, type InstanceArgs } from "./dynamic/Instance.ts"
export { ReverseDns, type ReverseDnsArgs } from "./dynamic/ReverseDns.ts"
export type { Timeouts } from "./instance/Args.ts"
export type { OnDelete } from "./reverse-dns/Args.ts"
