import { Config } from "@pulumi/pulumi/config.js"
import { RunError } from "@pulumi/pulumi/errors.js"
import * as runtimeConfig from "@pulumi/pulumi/runtime/config.js"

/** The SDK has this function, but not in its types; without it no key is refused. */
const { isConfigSecret } = runtimeConfig as { readonly isConfigSecret?: (key: string) => boolean }

/**
 * The engine stores the stack's configuration in the state, a key that is not a secret in plain text.
 * @throws RunError when `vps:apiKey` is set without being a secret.
 */
export const requireSecretKey = (): void => {
  const config = new Config("vps")
  if (config.get("apiKey") === undefined || isConfigSecret?.("vps:apiKey") !== false) return
  throw new RunError(
    "vps:apiKey is set in plain text, which would be stored in the state. "
      + "Run `pulumi config set --secret vps:apiKey`, or use VPS_API_KEY instead."
  )
}
