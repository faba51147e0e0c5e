/**
 * The provider's settings: each is a configuration key `vps:<name>` and an environment variable, which overrides it.
 * Refresh and destroy get the configuration stored in the state, so the environment is the one way to pass them newer
 * values (a rotated key, a deletion policy).
 */
import { didYouMean } from "@pulumi-vps/sdk/Suggestions"
import { UserError } from "./api/Errors.ts"
import { parseDuration } from "./definition/Definition.ts"
import { ENVIRONMENT, PULUMI, type SettingName, type Words } from "./HostWords.ts"

export const DELETION_POLICIES = ["fail", "stop", "forget"] as const
/** The effect of destroying an instance; the API cannot end a contract. */
export type DeletionPolicy = typeof DELETION_POLICIES[number]

export const WAIT_FOR = ["none", "ip", "running"] as const
/** The end of the wait in a create: at once, when the instance has an address, or when it runs. */
export type WaitFor = typeof WAIT_FOR[number]

export interface Settings {
  /** Undefined when none is set: only the first call of the API needs one. */
  readonly apiKey: string | undefined
  /** With the path prefix, for example `https://api.example.com/api/v1`. */
  readonly baseUrl: string | undefined
  /** From the environment: overrides every resource. */
  readonly deletionPolicyNow: DeletionPolicy | undefined
  /** From the configuration: the default of resources without a policy of their own. */
  readonly deletionPolicy: DeletionPolicy | undefined
  /** In units of the wallet's currency, summed over all purchases of one update. */
  readonly maxChargePerUpdate: number | undefined
  /** Part of every purchase key: distinguishes stacks that share project, stack and resource names. */
  readonly idempotencyScope: string
  readonly waitFor: WaitFor
  /** By the names of resources whose program sets no generation. */
  readonly generations: ReadonlyMap<string, number>
  /** Timeout of one HTTP request, in milliseconds; undefined: the SDK's default. */
  readonly requestTimeout: number | undefined
  /** True in a system of continuous integration, where a warning stops nothing. */
  readonly isUnattended: boolean
  /** For messages: the words of the host's users. */
  readonly words: Words
  /** For messages: the place of the key and of the base URL in force, "VPS_API_KEY" unless a program's own provider. */
  readonly apiKeySource: string
  readonly baseUrlSource: string
}

/** Other resources need the address. */
const DEFAULT_WAIT_FOR: WaitFor = "ip"

export const SETTINGS = Object.keys(ENVIRONMENT) as ReadonlyArray<SettingName>

/** The reason why a key of the configuration is refused; undefined for a setting. */
export const unknownSetting = (name: string): string | undefined =>
  SETTINGS.some((setting) => setting === name)
    ? undefined
    : `vps:${name} is not a setting. ${didYouMean(name, SETTINGS)} The settings are ${SETTINGS.join(", ")}.`

export type Environment = Readonly<Record<string, string | undefined>>

export const processEnvironment = (): Environment => process.env

/** True in a program that Pulumi's language host for Node.js has started: only that sets the variable. */
export const isStartedByNodeHost = (): boolean => process.env["PULUMI_NODEJS_MONITOR"] !== undefined

/**
 * Most systems of continuous integration set the first one, the others one of the rest. The engine does not say if its
 * user can see a warning: a provider has neither the terminal nor the command's flags.
 */
const UNATTENDED = ["CI", "TF_BUILD", "JENKINS_URL", "TEAMCITY_VERSION", "CODEBUILD_BUILD_ID", "PULUMI_CI_SYSTEM"]

interface SettingsOptions {
  readonly words?: Words
  readonly environment?: Environment
  /** For messages: the place where the user sets a value; its environment variable without this. */
  readonly source?: (name: SettingName) => string
}

/**
 * Reads all settings. `configured` returns a value of the stack's configuration.
 * @throws UserError naming the setting when a value is invalid.
 */
export const readSettings = (
  configured: (name: SettingName) => string | undefined,
  { environment = processEnvironment(), words = PULUMI, source = (name) => words.environment[name] }: SettingsOptions =
    {}
): Settings => {
  const fromEnvironment = (name: SettingName): string | undefined => environment[words.environment[name]] || undefined
  const value = (name: SettingName): string | undefined => fromEnvironment(name) ?? (configured(name) || undefined)
  const { amount, duration, numbersByName, oneOf } = parsers(words)
  return {
    apiKey: value("apiKey"),
    baseUrl: value("baseUrl"),
    deletionPolicyNow: oneOf("deletionPolicy", DELETION_POLICIES, fromEnvironment("deletionPolicy")),
    deletionPolicy: oneOf("deletionPolicy", DELETION_POLICIES, configured("deletionPolicy") || undefined),
    maxChargePerUpdate: amount("maxChargePerUpdate", value("maxChargePerUpdate")),
    idempotencyScope: value("idempotencyScope") ?? "",
    generations: numbersByName("generations", value("generations")),
    waitFor: oneOf("waitFor", WAIT_FOR, value("waitFor")) ?? DEFAULT_WAIT_FOR,
    requestTimeout: duration("requestTimeout", value("requestTimeout")),
    isUnattended: UNATTENDED.some((name) => !["", "0", "false"].includes(environment[name] ?? "")),
    words,
    apiKeySource: source("apiKey"),
    baseUrlSource: source("baseUrl")
  }
}

/** The parsers of the values, which name the setting in the words of the host's users. */
const parsers = (words: Words) => {
  const invalid = (name: SettingName, value: string, expected: string): UserError =>
    new UserError(
      `The setting ${words.setting(name)} (or ${words.environment[name]}) is ${JSON.stringify(value)}; it must be `
        + `${expected}.`
    )
  return {
    oneOf: <const Choices extends ReadonlyArray<string>>(
      name: SettingName,
      choices: Choices,
      value: string | undefined
    ): Choices[number] | undefined => {
      if (value === undefined || choices.includes(value)) return value
      throw invalid(name, value, `one of ${choices.join(", ")}`)
    },
    amount: (name: SettingName, value: string | undefined): number | undefined => {
      if (value === undefined) return undefined
      const parsed = Number(value)
      if (Number.isFinite(parsed) && parsed >= 0) return parsed
      throw invalid(name, value, "an amount of 0 or more, in units of the wallet's currency")
    },
    numbersByName: (name: SettingName, value: string | undefined): ReadonlyMap<string, number> => {
      if (value === undefined) return new Map()
      const entries = Object.entries(asRecord(value) ?? {})
      if (asRecord(value) !== undefined && entries.every(([, one]) => Number.isInteger(one) && Number(one) >= 1)) {
        return new Map(entries.map(([key, one]) => [key, Number(one)]))
      }
      throw invalid(name, value, "an object of whole numbers from 1, by resource, such as {\"web-3\": 2}")
    },
    duration: (name: SettingName, value: string | undefined): number | undefined => {
      if (value === undefined) return undefined
      const parsed = parseDuration(value)
      if (parsed !== undefined && parsed > 0) return parsed
      throw invalid(name, value, "a duration such as \"30s\" or \"2m\"")
    }
  }
}

const asRecord = (text: string): object | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return value !== null && typeof value === "object" && !Array.isArray(value) ? value : undefined
  } catch {
    return undefined
  }
}
