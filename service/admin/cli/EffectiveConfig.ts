/** The effective settings and limits of this process, for `vps-service config`. */
import type * as Effect from "effect/Effect"
import { attempt, parseFlags, resolve, SETTINGS, type Values } from "../../config/Config.ts"
import { limitVariable } from "../../config/Limit.ts"
import { LIMITS, type LimitValues } from "../../config/Limits.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import type { InvalidSetting } from "../../config/Setting.ts"

type Environment = Parameters<typeof resolve>[1]

/** A setting or limit, as `vps-service config` shows it. */
export interface Explained {
  /** The flag without its dashes, or the limit. */
  readonly name: string
  readonly environment: string
  readonly value: NonNullable<Values[keyof typeof SETTINGS]> | number
  /** The source of the value: the flag, the variable, or `default`. */
  readonly source: string
  readonly unit: string
  readonly reason: string
}

/** Redacts the secret and the passwords of the database and mail server, but shows that they are set. */
const redact = (name: string, value: Explained["value"]): Explained["value"] => {
  if (name === "secret" && value !== "") return "(set, not shown)"
  if (name === "database") return locate(String(value)).label
  return name === "smtp-url" ? String(value).replace(/^(smtps?:\/\/).*@/, "$1(set, not shown)@") : value
}

/**
 * Every setting and every limit that these flags and this environment lead to.
 * @throws InvalidSetting as `resolve` does
 */
export const explain = (flags: ReadonlyArray<string>, environment: Environment): ReadonlyArray<Explained> => {
  const values = resolve(flags, environment)
  const parsed = parseFlags(flags)
  const settings = Object.entries(SETTINGS).map(([name, { environment: variable, flag, reason, unit }]): Explained => {
    const byFlag = flag !== null && parsed[flag] !== undefined
    const source = byFlag ? `--${flag}` : environment[variable] !== undefined ? variable : "default"
    // A setting without a flag is named as its flag would be.
    const label = flag ?? name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)
    const value = redact(label, values[name as keyof typeof SETTINGS] ?? "")
    return { name: label, environment: variable, value, source, unit, reason }
  })
  const limits = Object.entries(LIMITS).map(([name, { reason, unit }]): Explained => {
    const variable = limitVariable(name)
    const source = environment[variable] === undefined ? "default" : variable
    return { name, environment: variable, value: values.limits[name as keyof LimitValues], source, unit, reason }
  })
  return [...settings, ...limits]
}

/** The same for this process's environment. Fails with `InvalidSetting`. */
export const effectiveConfig = (
  flags: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Explained>, InvalidSetting> => attempt((environment) => explain(flags, environment))
