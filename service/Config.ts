/**
 * Every setting, limit and default of the service, with its unit and reason. A setting comes from a flag, else from its
 * environment variable, else from the default here; nothing else in the service reads the environment.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { parseArgs } from "node:util"

/** A setting makes no sense; `message` names it and says what to write instead. */
export class InvalidSetting extends Schema.TaggedError<InvalidSetting>()("InvalidSetting", {
  message: Schema.String
}) {}

interface Setting<A> {
  /** The flag without dashes; null for what must not stand on a command line, which every user of the machine sees. */
  readonly flag: string | null
  readonly environment: string
  readonly unit: string
  readonly fallback: A
  readonly reason: string
  /** Undefined when the text makes no sense. */
  readonly parse: (text: string) => A | undefined
  readonly expected: string
}

const text = (spec: Omit<Setting<string>, "parse" | "expected">): Setting<string> => ({
  ...spec,
  expected: "a text that is not empty",
  parse: (value) => value === "" ? undefined : value
})

const whole = (min: number, max: number, spec: Omit<Setting<number>, "parse" | "expected">): Setting<number> => ({
  ...spec,
  expected: `a whole number from ${min} to ${max}`,
  parse: (value) => {
    const number = Number(value)
    return /^\d+$/.test(value) && number >= min && number <= max ? number : undefined
  }
})

const WORDS: Readonly<Record<string, boolean>> = { true: true, "1": true, false: false, "0": false }

const onOff = (spec: Omit<Setting<boolean>, "parse" | "expected">): Setting<boolean> => ({
  ...spec,
  expected: "true or false",
  parse: (value) => WORDS[value.toLowerCase()]
})

/** The table of settings, in the order in which they are explained. */
export const SETTINGS = {
  host: text({
    flag: "host",
    environment: "VPS_SERVICE_HOST",
    unit: "address",
    fallback: "127.0.0.1",
    reason: "Only this machine can connect until you say otherwise."
  }),
  port: whole(0, 65_535, {
    flag: "port",
    environment: "VPS_SERVICE_PORT",
    unit: "TCP port",
    fallback: 8787,
    reason: "0 picks a free one; the ready line names it."
  }),
  database: text({
    flag: "database",
    environment: "VPS_SERVICE_DATABASE",
    unit: "path or :memory:",
    fallback: "",
    reason: "vps-service.db in the working folder; in memory for the emulator unless a path is given."
  }),
  emulator: onOff({
    flag: "emulator",
    environment: "VPS_SERVICE_EMULATOR",
    unit: "true or false",
    fallback: false,
    reason: "Seeds an empty database and opens the controls under /_emulator."
  }),
  emulatorRemote: onOff({
    flag: "emulator-remote",
    environment: "VPS_SERVICE_EMULATOR_REMOTE",
    unit: "true or false",
    fallback: false,
    reason: "The emulator's controls ask for no key, so they answer this machine only until you say otherwise."
  }),
  requestLog: onOff({
    flag: "request-log",
    environment: "VPS_SERVICE_REQUEST_LOG",
    unit: "true or false",
    fallback: true,
    reason: "One JSON line per request on standard error; costs about 20 µs of CPU each."
  }),
  secret: text({
    flag: null,
    environment: "VPS_SERVICE_SECRET",
    unit: "at least 32 characters, several divided by commas",
    fallback: "",
    reason: "Keys API-key digests and encrypts task secrets; made once beside a database file when absent."
  })
} as const

type Settings = typeof SETTINGS
type ValueOf<S> = S extends Setting<infer A> ? A : never

/** How the settings were resolved. */
export type Values = { readonly [K in keyof Settings]: ValueOf<Settings[K]> }

export class Config extends Context.Service<Config, Values>()("pulumi-vps/service/Config") {}

type Environment = Readonly<Record<string, string | undefined>>

const valueOf = <A>(setting: Setting<A>, flag: string | undefined, environment: Environment): A => {
  const given = flag ?? environment[setting.environment]
  if (given === undefined) return setting.fallback
  const value = setting.parse(given)
  if (value !== undefined) return value
  const source = flag === undefined ? setting.environment : `--${setting.flag}`
  throw new InvalidSetting({ message: `${source} should be ${setting.expected} (${setting.unit}); got "${given}".` })
}

const IN_MEMORY = ":memory:"
const FILE = "vps-service.db"

/**
 * The settings from flags and environment. `--emulator` alone means true.
 * @throws InvalidSetting when a flag is unknown or a value makes no sense
 */
export const resolve = (flags: ReadonlyArray<string>, environment: Environment): Values => {
  const given = parseFlags(flags)
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [
      name,
      valueOf(setting as Setting<unknown>, setting.flag === null ? undefined : given[setting.flag], environment)
    ])
  ) as { -readonly [K in keyof Values]: Values[K] }
  if (values.database === "") values.database = values.emulator ? IN_MEMORY : FILE
  return values
}

const parseFlags = (flags: ReadonlyArray<string>): Record<string, string | undefined> => {
  // A flag that is on or off takes no value of its own on the command line, but `--flag=false` is welcome.
  const named = flags.map((flag) =>
    Object.values(SETTINGS).some((s) => isOnOff(s) && flag === `--${s.flag}`) ? `${flag}=true` : flag
  )
  const known = Object.values(SETTINGS).flatMap(({ flag }) => flag === null ? [] : [flag])
  const options = Object.fromEntries(known.map((flag) => [flag, { type: "string" as const }]))
  try {
    return parseArgs({ args: named, options, strict: true }).values as Record<string, string | undefined>
  } catch (cause) {
    throw new InvalidSetting({ message: cause instanceof Error ? cause.message : String(cause) })
  }
}

const isOnOff = (setting: { readonly fallback: unknown }): boolean => typeof setting.fallback === "boolean"

/** The settings of this process. */
export const fromProcess: Effect.Effect<Values, InvalidSetting> = Effect.suspend(() => {
  try {
    return Effect.succeed(resolve(process.argv.slice(2), process.env))
  } catch (cause) {
    return cause instanceof InvalidSetting ? Effect.fail(cause) : Effect.die(cause)
  }
})

const HELP_COLUMN = 19

const explain = ({ environment, fallback, flag, reason, unit }: Setting<unknown>): string =>
  `  ${(flag === null ? "(no flag)" : `--${flag}`).padEnd(HELP_COLUMN)}${reason}\n`
  + `${" ".repeat(HELP_COLUMN + 2)}${unit}; ${environment}`
  + `${fallback === "" ? "" : `, default ${String(fallback)}`}\n`

/** What `--help` prints: every setting with its reason, unit, environment variable and default. */
export const help = (): string =>
  "vps-service: a VPS hosting service with an HTTP API\n\n"
  + "When it is ready, the first line on standard output is a JSON object with its url.\n\n"
  + Object.values(SETTINGS).map((setting) => explain(setting as Setting<unknown>)).join("")
