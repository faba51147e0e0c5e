/** `vps-service config`: every setting and limit with its value, source, unit and reason. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { chosenDriver, SETTINGS, type Values } from "../../config/Config.ts"
import { keyOf } from "../../config/ConfigFile.ts"
import { type Environment, limitVariable, type Texts } from "../../config/Limit.ts"
import { type LimitValues, SETTABLE } from "../../config/Limits.ts"
import { locate } from "../../config/DatabaseLocation.ts"
import { lookupIn, resolve } from "../../config/Resolve.ts"
import type { Setting } from "../../config/Setting.ts"
import { attempt, settingsOf } from "../../config/FromProcess.ts"
import { check as checkSecret } from "../../config/Secret.ts"
import { make as checkBranding } from "../../branding/Branding.ts"
import { readPayment } from "../../config/Payment.ts"
import { output } from "./AdminCommand.ts"
import { fields, plain, show } from "./Output.ts"
import { optional, toggle } from "./Flags.ts"

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

/** The service's own flags, so that a command line can be tried out. */
const flags = Object.fromEntries(
  Object.values(SETTINGS).flatMap(({ environment, fallback, flag, reason }) => {
    if (flag === null) return []
    const kind = typeof fallback === "boolean" ? Flag.map(Flag.Boolean(flag), String) : Flag.String(flag)
    return [[flag, optional(kind, `${reason} (${environment})`)] as const]
  })
)

const check = toggle("check", "Only check that the service would start with these settings; exit code 1 if not")

type ParsedFlags = Readonly<Record<string, Option.Option<string>>>

const asFlags = (parsed: ParsedFlags): ReadonlyArray<string> =>
  Object.entries(parsed).flatMap(([flag, value]) => Option.isSome(value) ? [`--${flag}=${value.value}`] : [])

/** Checks everything that needs no database. */
const checkAll = Effect.fnUntraced(function*(flags: ReadonlyArray<string>) {
  const settings = yield* settingsOf(flags)
  yield* chosenDriver(settings)
  yield* checkSecret(settings)
  yield* checkBranding(settings)
  yield* readPayment(settings)
  const all = yield* attempt(explain, flags)
  const changed = all.filter(({ source }) => source !== "default")
  yield* plain(`The settings are valid; ${changed.length} differ from their defaults.\n`)
})

const list = Effect.fnUntraced(function*(format: "table" | "json", flags: ReadonlyArray<string>) {
  const all = yield* attempt(explain, flags)
  if (format === "json") return yield* show(format, all)
  for (const { environment, name, reason, source, unit, value } of all) {
    const from = source === "default" ? `default; ${environment}` : source
    yield* plain(`${name}\n${fields({ "  value": value === "" ? "-" : value, "  unit": unit, "  from": from })}`)
    yield* plain(`  ${reason}\n\n`)
  }
})

export const config = Command.make(
  "config",
  { check, output, ...flags },
  ({ check: checkOnly, output: format, ...parsed }) =>
    checkOnly ? checkAll(asFlags(parsed as ParsedFlags)) : list(format, asFlags(parsed as ParsedFlags))
).pipe(
  Command.withDescription("Show every setting and limit with its value, source, unit and reason, or check them"),
  Command.withShortDescription("Show or check every setting and limit"),
  Command.withExamples([
    { command: "vps-service config --config /etc/vps/service.yaml --check" },
    { command: "vps-service config --config /etc/vps/service.yaml -o json" }
  ])
)
