/** `pulumi-vps/effect`: the client of the VPS service as an Effect service, with every failure in the type. */
// The records, options and errors are the Promise client's; `Vps` below takes the place of the one in there.
export * from "./index.ts"
export type { CallFailure } from "./client/chain/Handler.ts"
export { Vps, type VpsOptions } from "./client/VpsService.ts"
export type { WaitFailure } from "./client/wait/Wait.ts"
