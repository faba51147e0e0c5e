/** `pulumi-vps`: the Promise client of the VPS service. */
export type { ApiPromise } from "./client/promise/ApiPromise.ts"
export { Vps } from "./client/Vps.ts"
export * from "./common.ts"
