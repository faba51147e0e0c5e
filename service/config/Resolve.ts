/**
 * The value of each setting: from a flag, else from its environment variable, else from the config file, else its
 * default.
 */
import { parseArgs } from "node:util"
import { assertBrandColor } from "./Brand.ts"
import { SETTINGS, type Settings, type Values } from "./Config.ts"
import { locate } from "./DatabaseLocation.ts"
import { type Environment, limitVariable, type Lookup, resolveLimits, type Texts, type Written } from "./Limit.ts"
import { LIMITS, type LimitValues } from "./Limits.ts"
import { assertNameServer } from "./Networks.ts"
import { wholeUrl } from "./PostgresUrl.ts"
import { InvalidSetting, type Setting } from "./Setting.ts"

const isFlag = (source: string | undefined): boolean => source?.startsWith("--") === true

const valueOf = <A>(setting: Setting<A>, written: Written | undefined): A => {
  if (written === undefined) return setting.fallback
  const { source, text } = written
  const value = setting.parse(text)
  if (value !== undefined) return value
  // A value that is not allowed on a command line is not allowed in a log either.
  const got = setting.flag === null ? "" : `; got "${text}"`
  const message = `${source} should be ${setting.expected} (${setting.unit})${got}.`
  throw new InvalidSetting({ message, isUsage: isFlag(source) })
}

const IN_MEMORY = ":memory:"

/** The default database of a service, in the working directory. */
export const SERVICE_FILE = "vps-service.db"

/** SQLite reads such a text as a URI, so the lock, mode, socket and secret would be those of another file. */
export const URL_OF_FILE = /^file:/i
const NO_FILE_URL = "--database (VPS_SERVICE_DATABASE) should be the path of a file, not a file: URL. For a file whose "
  + "name begins with \"file:\", write ./file:..."

/** Looks in flags, then in the environment, then in the config file. */
export const lookupIn = (flags: ReadonlyArray<string>, environment: Environment, file: Texts): Lookup => {
  const parsed = parseFlags(flags)
  return (variable) => {
    const text = environment[variable]
    return parsed[variable] ?? (text === undefined ? file[variable] : { text, source: variable })
  }
}

/**
 * The settings. `--emulator` alone means true.
 * @throws InvalidSetting when a flag is unknown, or a value or limit is invalid
 */
export const resolve = (flags: ReadonlyArray<string>, environment: Environment, file: Texts = {}): Values => {
  const lookup = lookupIn(flags, environment, file)
  const written = resolveLimits(LIMITS, lookup)
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [
      name,
      valueOf(setting as Setting<unknown>, lookup(setting.environment))
    ])
  ) as { -readonly [K in keyof Settings]: Values[K] }
  if (values.emulator && lookup(SETTINGS.rateLimits.environment) === undefined) values.rateLimits = false
  if (values.emulator) Object.assign(values, { driver: "simulated", rdns: undefined })
  const limits = values.emulator ? { ...written, ...quick(lookup) } : written
  assertNameServer(values)
  assertBrandColor(values.brandColor, lookup(SETTINGS.brandColor.environment)?.source)
  if (values.database === "") values.database = values.emulator ? IN_MEMORY : SERVICE_FILE
  try {
    values.database = wholeDatabase(values, environment)
  } catch (cause) {
    if (!(cause instanceof InvalidSetting)) throw cause
    throw new InvalidSetting({
      message: cause.message,
      isUsage: isFlag(lookup(SETTINGS.database.environment)?.source)
    })
  }
  return { ...values, limits }
}

/** A test reads the result of an operation right after it, and ends the emulator without a proxy in front of it. */
const quick = (lookup: ReturnType<typeof lookupIn>): Partial<LimitValues> =>
  Object.fromEntries(
    (["COMMIT_DELAY_MILLIS", "LAME_DUCK_MILLIS"] as const).flatMap((name) =>
      lookup(limitVariable(name)) === undefined ? [[name, 0]] : []
    )
  )

/** The path of a file, or a URL with the values of libpq's variables. */
const wholeDatabase = (values: Pick<Values, "database" | "emulator">, environment: Environment): string => {
  if (locate(values.database).isServer) return wholeUrl(values, environment)
  if (URL_OF_FILE.test(values.database)) throw new InvalidSetting({ message: NO_FILE_URL })
  return values.database
}

/** The words of a flag that is not one, has no value, or is an argument. */
const problemOf = (cause: unknown): string => {
  const { code, message } = cause as NodeJS.ErrnoException
  const [, word = ""] = /'(-{0,2}[^' ]*)/.exec(message) ?? []
  if (code === "ERR_PARSE_ARGS_UNKNOWN_OPTION") return `Unrecognized flag: ${word}`
  if (code === "ERR_PARSE_ARGS_INVALID_OPTION_VALUE") return `${word} needs a value.`
  return code === "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL" ? `Unexpected positional argument: "${word}"` : message
}

/** Throws `InvalidSetting` for an unknown flag. */
const parseFlags = (flags: ReadonlyArray<string>): Texts => {
  // A boolean flag needs no value, but may have one.
  const named = flags.map((flag, index) => {
    const setting = Object.values(SETTINGS).find((s) => typeof s.fallback === "boolean" && flag === `--${s.flag}`)
    return setting === undefined || setting.parse(flags[index + 1] ?? "") !== undefined ? flag : `${flag}=true`
  })
  const withFlag = Object.values(SETTINGS).flatMap(({ environment, flag }) =>
    flag === null ? [] : { environment, flag }
  )
  const options = Object.fromEntries(withFlag.map(({ flag }) => [flag, { type: "string" as const }]))
  try {
    const { values } = parseArgs({ args: named, options, strict: true })
    return Object.fromEntries(withFlag.flatMap(({ environment, flag }) => {
      const text = values[flag]
      return text === undefined ? [] : [[environment, { text, source: `--${flag}` }]]
    }))
  } catch (cause) {
    throw new InvalidSetting({ message: `${problemOf(cause)}\nFor usage, run: vps-service --help`, isUsage: true })
  }
}
