/** `@pulumi-vps/sdk/effect`: the client of the VPS service as an Effect service, with every error in the type. */
export type { CallFailure, WaitFailure } from "./client/errors/ApiErrors.ts"
export { Vps, type VpsOptions } from "./client/VpsService.ts"
export * from "./common.ts"
