/** The API as the provider uses it: `SdkApi.ts` implements it on the SDK, tests on a double. */
import type { Host } from "../engine/Host.ts"
import type { connect } from "./SdkApi.ts"

/** Errors are the SDK's: they have `status`, `detail`, `retryAfter`. */
export type Api = ReturnType<typeof connect>

/** The API, and the process that calls it: everything that waiting and retrying need. */
export interface ApiContext {
  readonly api: Api
  readonly host: Host
}
