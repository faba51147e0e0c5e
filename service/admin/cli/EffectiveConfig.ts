/** The effective settings and limits of this process, for `vps-service config`. */
import { SETTINGS, type Values } from "../../config/Config.ts"
import { keyOf } from "../../config/ConfigFile.ts"
import { type Environment, limitVariable, type Texts } from "../../config/Limit.ts"
import { type LimitValues, SETTABLE } from "../../config/Limits.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import { lookupIn, resolve } from "../../config/Resolve.ts"
import type { Setting } from "../../config/Setting.ts"

/** A setting or limit, as `vps-service config` shows it. */
export interface Explained {
  /** The flag without its dashes, or the limit. */
  readonly name: string
  readonly environment: string
  readonly value: NonNullable<Values[keyof typeof SETTINGS]> | number
  /** The source of the value: the flag, the variable, the line of the config file, or `default`. */
  readonly source: string
  readonly unit: string
  readonly reason: string
}

const SECRETS: ReadonlySet<string> = new Set(["secret", "powerdns-key"])

/** Redacts secrets and the passwords of the database and mail server, but shows that they are set. */
const redact = (name: string, value: Explained["value"]): Explained["value"] => {
  if (SECRETS.has(name) && value !== "") return "(set, not shown)"
  if (name === "database") return locate(String(value)).label
  return name === "smtp-url" ? String(value).replace(/^(smtps?:\/\/).*@/, "$1(set, not shown)@") : value
}

/**
 * Every setting and settable limit that these flags, this environment and this config file lead to.
 * @throws InvalidSetting as `resolve` does
 */
export const explain = (
  flags: ReadonlyArray<string>,
  environment: Environment,
  file: Texts = {}
): ReadonlyArray<Explained> => {
  const values = resolve(flags, environment, file)
  const lookup = lookupIn(flags, environment, file)
  const sourceOf = (variable: string) => lookup(variable)?.source ?? "default"
  const settings = Object.entries(SETTINGS).map(([name, setting]): Explained => {
    const { environment: variable, reason, unit } = setting
    const key = keyOf(name, setting as Setting<unknown>)
    const value = redact(key, values[name as keyof typeof SETTINGS] ?? "")
    return { name: key, environment: variable, value, source: sourceOf(variable), unit, reason }
  })
  const limits = [...SETTABLE].map(([name, { reason, unit }]): Explained => {
    const variable = limitVariable(name)
    const value = values.limits[name as keyof LimitValues]
    return { name, environment: variable, value, source: sourceOf(variable), unit, reason }
  })
  return [...settings, ...limits]
}
