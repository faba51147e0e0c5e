/** The provider's configuration: validated, compared, and combined with the environment. */
import { explain } from "../api/Errors.ts"
import { NO_KEY } from "../api/SdkApi.ts"
import {
  ENVIRONMENT,
  type Environment,
  readSettings,
  type SettingName,
  SETTINGS,
  type Settings,
  unknownSetting
} from "../Config.ts"
import { isUnknown, nameOf, type Properties, same } from "../definition/Properties.ts"
import { BadRequest } from "./GrpcError.ts"

/** The inputs that the engine itself adds to a provider. */
const ENGINES_OWN: ReadonlySet<string> = new Set(["version", "pluginDownloadURL", "pluginChecksums"])

const isOurs = (name: string): boolean => !ENGINES_OWN.has(name) && !name.startsWith("__")

/** SDKs write other values than strings as JSON; a number or an object may also arrive as such. */
const textOf = (value: unknown): string | undefined => {
  if (value === undefined || value === null || isUnknown(value)) return undefined
  return typeof value === "string" ? value : JSON.stringify(value)
}

/** The settings that select the account; those of a program's own provider must not be overridden. */
const IDENTITY = ["apiKey", "baseUrl"] as const
const DEFAULT_PROVIDER = /::pulumi:providers:vps::default(?:_|$)/

/** The settings of the account that a program's own provider has. */
const ownIdentity = (urn: string, inputs: Properties): ReadonlyArray<SettingName> =>
  urn === "" || DEFAULT_PROVIDER.test(urn)
    ? []
    : IDENTITY.filter((name) => inputs[name] !== undefined && inputs[name] !== null)

/**
 * The environment that applies to the provider of this URN. It overrides the stack's configuration, which refresh and
 * destroy take from the state, but not the account of a provider that the program creates: two of them with two keys
 * would both use the environment's key.
 */
const environmentOf = (urn: string, inputs: Properties, environment: Environment): Environment => ({
  ...environment,
  ...Object.fromEntries(ownIdentity(urn, inputs).map((name) => [ENVIRONMENT[name], undefined]))
})

/**
 * The settings in force. The environment is only read, so that its values are never stored.
 * @throws BadRequest when one is invalid.
 */
export const settingsFrom = (urn: string, inputs: Properties, environment: Environment): Settings => {
  const own = ownIdentity(urn, inputs)
  try {
    return readSettings(
      (name) => textOf(inputs[name]),
      environmentOf(urn, inputs, environment),
      (name) => own.includes(name) ? `${name} of the provider ${nameOf(urn)}` : ENVIRONMENT[name]
    )
  } catch (error) {
    throw new BadRequest(explain(error), { cause: error })
  }
}

/** The problems of a configuration; unknown values are not checked. */
export const validateConfig = (
  urn: string,
  inputs: Properties,
  environment: Environment
): ReadonlyArray<string> => {
  const unknown = Object.keys(inputs).filter(isOurs).flatMap((name) => unknownSetting(name) ?? [])
  if (unknown.length > 0) return unknown
  try {
    const { apiKey } = settingsFrom(urn, inputs, environment)
    return apiKey === undefined && !isUnknown(inputs["apiKey"]) ? [NO_KEY] : []
  } catch (error) {
    return [explain(error)]
  }
}

/** Names of the settings that differ. A stack that moves to the plugin has the dynamic names, `vps:<name>`. */
export const changedSettings = (olds: Properties, news: Properties): ReadonlyArray<string> =>
  SETTINGS.filter((name) => !isUnknown(news[name]) && !same(olds[name] ?? olds[`vps:${name}`], news[name]))
