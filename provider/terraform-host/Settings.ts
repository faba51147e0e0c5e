/**
 * The provider block: a value in it wins over the environment, except for the deletion policy, which a destroy may
 * need.
 */
import { type Environment, readSettings, type Settings } from "../Config.ts"
import { isUnknown } from "../definition/Properties.ts"
import type { SettingName, Words } from "../HostWords.ts"
import { type Attribute, fromEngine, type State } from "./Schema.ts"
import { SETTING_NAMES } from "./TerraformWords.ts"

const TEXTS: Readonly<Record<SettingName, string>> = {
  apiKey: "The API key.",
  baseUrl: "The service, for example \"https://api.example.com/api/v1\".",
  idempotencyScope: "Separates the purchases of configurations and workspaces that use the same names, such as "
    + "\"shop-${terraform.workspace}\". Required to buy instances.",
  maxChargePerUpdate:
    "The most that one apply may charge, in units of the wallet's currency, summed over all purchases "
    + "and resizes of this provider block. A higher sum fails the plan, and the apply.",
  deletionPolicy: "The default of `deletion_policy`: fail, stop or forget. `VPS_DELETION_POLICY` wins over it and over "
    + "that of resources.",
  waitFor: "The default of `wait_for`: none, ip or running.",
  requestTimeout: "Timeout of one request, such as \"30s\".",
  generations: "Generations by the `name` of instances that a loop makes."
}

export const SETTINGS: ReadonlyArray<Attribute & { readonly setting: SettingName }> =
  (Object.keys(SETTING_NAMES) as Array<SettingName>).map((setting) => ({
    setting,
    name: SETTING_NAMES[setting],
    type: setting === "generations" ? ["map", "number"] : setting === "maxChargePerUpdate" ? "number" : "string",
    description: TEXTS[setting],
    optional: true,
    sensitive: setting === "apiKey"
  }))

/** The attributes whose values are not known before the apply. */
export const unknownSettings = (config: State): ReadonlyArray<string> =>
  SETTINGS.flatMap(({ name }) => isUnknown(config[name]) ? [name] : [])

/** @throws UserError naming the setting when a value is invalid. Unknown values count as not set. */
export const settingsFrom = (config: State, environment: Environment, words: Words): Settings => {
  const values = new Map(SETTINGS.map(({ name, setting, type }) => [setting, fromEngine(type, config[name])]))
  const textOf = (setting: SettingName): string | undefined => {
    const value = values.get(setting)
    if (value === undefined || isUnknown(value)) return undefined
    return typeof value === "object" ? JSON.stringify(value) : String(value)
  }
  const overridden = (Object.keys(SETTING_NAMES) as Array<SettingName>).filter((setting) =>
    setting !== "deletionPolicy" && textOf(setting) !== undefined
  )
  const remaining = Object.fromEntries(overridden.map((setting) => [words.environment[setting], undefined]))
  return readSettings(textOf, {
    words,
    environment: { ...environment, ...remaining },
    source: (setting) => textOf(setting) === undefined ? words.environment[setting] : words.setting(setting)
  })
}
