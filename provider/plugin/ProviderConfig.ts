/** The provider's configuration: judged, compared, and read together with the environment. */
import { ENVIRONMENT, readSettings, type SettingName, type Settings } from "../Config.ts"
import { explain } from "../api/Errors.ts"
import { isUnknown, type Properties, same } from "../definition/Properties.ts"
import { NO_KEY } from "../api/SdkApi.ts"
import { BadRequest } from "./GrpcError.ts"

type Environment = Readonly<Record<string, string | undefined>>

const NAMES = Object.keys(ENVIRONMENT)
/** What the engine itself puts among a provider's inputs. */
const ENGINES_OWN: ReadonlySet<string> = new Set(["version", "pluginDownloadURL", "pluginChecksums"])

const isSetting = (name: string): boolean => NAMES.includes(name)
const isOurs = (name: string): boolean => !ENGINES_OWN.has(name) && !name.startsWith("__")

/** SDKs write what is no text as JSON; a number may also arrive as itself. */
const textOf = (value: unknown): string | undefined =>
  value === undefined || value === null || isUnknown(value) ? undefined : String(value)

/** The account that a provider is for: what a program says of one of its own providers must not be overridden. */
const IDENTITY = ["apiKey", "baseUrl"] as const
const DEFAULT_PROVIDER = /::pulumi:providers:vps::default(?:_|$)/

/**
 * The environment as it counts for the provider of this URN. It wins over the stack's configuration, which refresh and
 * destroy take from the state; but not over the account of a provider that the program makes itself: two of them with
 * two keys would both use the one of the environment.
 */
export const environmentOf = (urn: string, given: Properties, environment: Environment): Environment => {
  if (urn === "" || DEFAULT_PROVIDER.test(urn)) return environment
  const own = IDENTITY.filter((name) => given[name] !== undefined && given[name] !== null)
  return { ...environment, ...Object.fromEntries(own.map((name) => [ENVIRONMENT[name], undefined])) }
}

/**
 * The settings in force. The environment is read here and handed to nobody, so what it says is never stored.
 * @throws BadRequest when one is not of the form it must have.
 */
export const settingsFrom = (given: Properties, environment: Environment): Settings => {
  try {
    return readSettings((name: SettingName) => textOf(given[name]), environment)
  } catch (error) {
    throw new BadRequest(explain(error), { cause: error })
  }
}

/** What is wrong with a configuration; nothing for what is not known yet. */
export const validateConfig = (given: Properties, environment: Environment): ReadonlyArray<string> => {
  const unknown = Object.keys(given).filter((name) => isOurs(name) && !isSetting(name))
  if (unknown.length > 0) return unknown.map((name) => `vps:${name} is no setting; there are ${NAMES.join(", ")}`)
  try {
    const { apiKey } = settingsFrom(given, environment)
    return apiKey === undefined && !isUnknown(given["apiKey"]) ? [NO_KEY] : []
  } catch (error) {
    return [explain(error)]
  }
}

/**
 * Names of the settings that differ. The old ones may be the dynamic provider's, which are called `vps:<name>`: a stack
 * that moves over has them.
 */
export const changedSettings = (olds: Properties, news: Properties): ReadonlyArray<string> =>
  NAMES.filter((name) => !isUnknown(news[name]) && !same(olds[name] ?? olds[`vps:${name}`], news[name]))
