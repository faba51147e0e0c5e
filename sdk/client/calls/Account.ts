import type { ServiceInfo, Whoami } from "../Records.ts"
import type { CallOptions } from "../options/Options.ts"
import { read } from "./Endpoint.ts"

/** The service, and the account of the API key. */
export const account = {
  /**
   * Returns the service's name and version.
   *
   * @example
   * const { name, version } = await vps.account.root()
   * console.log(name, version)
   */
  root: read<(options?: CallOptions) => ServiceInfo>("GET /"),

  /**
   * Returns the account and the scopes of the API key.
   *
   * @example
   * const { email, key } = await vps.account.whoami()
   * console.log(email, key.effective_scopes.join(", "))
   */
  whoami: read<(options?: CallOptions) => Whoami>("GET /whoami")
}
