import { Config } from "@pulumi/pulumi/config.js"
import { RunError } from "@pulumi/pulumi/errors.js"
import { getProject } from "@pulumi/pulumi/metadata.js"
import * as runtimeConfig from "@pulumi/pulumi/runtime/config.js"
import { unknownSetting } from "../Config.ts"

/** The SDK has these functions, but not in its types; without them nothing is refused. */
const { allConfig, isConfigSecret } = runtimeConfig as {
  readonly allConfig?: () => Readonly<Record<string, string>>
  readonly isConfigSecret?: (key: string) => boolean
}

const PREFIX = "vps:"

/**
 * The engine stores the stack's configuration in the state, a key that is not a secret in plain text; and it passes a
 * dynamic provider no list of the keys, so a mistyped one would be ignored.
 * @throws RunError when `vps:apiKey` is set without being a secret, and for a key that is not a setting.
 */
export const requireValidConfig = (): void => {
  const keys = Object.keys(allConfig?.() ?? {}).filter((key) => key.startsWith(PREFIX))
  // The keys of a project of our name are the program's own.
  const unknown = getProject() === "vps" ? [] : keys.flatMap((key) => unknownSetting(key.slice(PREFIX.length)) ?? [])
  if (unknown[0] !== undefined) throw new RunError(unknown[0])
  if (new Config("vps").get("apiKey") === undefined || isConfigSecret?.("vps:apiKey") !== false) return
  throw new RunError(
    "vps:apiKey is set in plain text, which would be stored in the state. "
      + "Run `pulumi config set --secret vps:apiKey`, or use VPS_API_KEY instead."
  )
}
