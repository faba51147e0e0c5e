/** `vps-service config`: every setting and limit with its value, source, unit and reason. */
import * as Command from "effect/cli/Command"
import * as Flag from "effect/cli/Flag"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { SETTINGS } from "../../config/Config.ts"
import { effectiveConfig } from "./EffectiveConfig.ts"
import { output } from "./AdminCommand.ts"
import { fields, plain, show } from "./Output.ts"

/** The service's own flags, so that a command line can be tried out. */
const flags = Object.fromEntries(
  Object.values(SETTINGS).flatMap(({ environment, fallback, flag, reason }) => {
    if (flag === null) return []
    const kind = typeof fallback === "boolean" ? Flag.map(Flag.Boolean(flag), String) : Flag.String(flag)
    return [[flag, kind.pipe(Flag.withDescription(`${reason} (${environment})`), Flag.optional)] as const]
  })
)

type ParsedFlags = Readonly<Record<string, Option.Option<string>>>

const asFlags = (parsed: ParsedFlags): ReadonlyArray<string> =>
  Object.entries(parsed).flatMap(([flag, value]) => Option.isSome(value) ? [`--${flag}=${value.value}`] : [])

const run = Effect.fnUntraced(function*(format: "table" | "json", parsed: ParsedFlags) {
  const all = yield* effectiveConfig(asFlags(parsed))
  if (format === "json") return yield* show(format, all)
  for (const { environment, name, reason, source, unit, value } of all) {
    const from = source === "default" ? `default; ${environment}` : source
    yield* plain(`${name}\n${fields({ "  value": value === "" ? "-" : value, "  unit": unit, "  from": from })}`)
    yield* plain(`  ${reason}\n\n`)
  }
})

export const config = Command.make(
  "config",
  { output, ...flags },
  ({ output: format, ...parsed }) => run(format, parsed as ParsedFlags)
).pipe(
  Command.withDescription("Show every setting and limit with its value, source, unit and reason")
)
