/** `pulumi-vps/effect`: the client of the VPS service as an Effect service, with every error in the type. */
// The records, options and errors are those of the Promise client. `Vps` below replaces the one exported there.
export * from "./index.ts"
export type { CallFailure, WaitFailure } from "./client/errors/Failures.ts"
export { Vps, type VpsOptions } from "./client/VpsService.ts"
