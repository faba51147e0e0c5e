/** The JSON Schema of the service's config file, for editors. The build writes it to `service/dist`. */
import { FILE_SETTINGS } from "#service/config/ConfigFile"
import { limitSetting } from "#service/config/Limit"
import { SETTABLE } from "#service/config/Limits"
import type { Setting } from "#service/config/Setting"

const REFERENCE = {
  type: "object",
  properties: {
    file: { type: "string", minLength: 1, description: "Path of a file, relative to this file's folder." }
  },
  required: ["file"],
  additionalProperties: false
}

const isSet = (fallback: unknown): boolean =>
  fallback !== undefined && fallback !== "" && !(Array.isArray(fallback) && fallback.length === 0)

/** A text may be in a file of its own, and a secret must be. */
const valueOf = ({ flag, schema }: Setting<unknown>): object =>
  schema.type !== "string" ? schema : flag === null ? REFERENCE : { anyOf: [schema, REFERENCE] }

const described = (setting: Setting<unknown>, value: object): object => ({
  description: `${setting.reason} (${setting.unit})`,
  ...(isSet(setting.fallback) ? { default: setting.fallback } : {}),
  ...value
})

const settings = Object.fromEntries(
  [...FILE_SETTINGS].map(([key, setting]) => [key, described(setting, valueOf(setting))])
)

const limits = Object.fromEntries(
  [...SETTABLE].map(([name, limit]) => {
    const setting = limitSetting(name, limit)
    return [name, described(setting, setting.schema)]
  })
)

export const configSchema = {
  $schema: "http://json-schema.org/draft-07/schema#",
  title: "Config file of vps-service",
  type: "object",
  properties: {
    $schema: { type: "string" },
    ...settings,
    limits: { type: "object", properties: limits, additionalProperties: false }
  },
  additionalProperties: false
}
