/**
 * Every setting of the service, with its default, unit and reason. A setting comes from a flag, else from its
 * environment variable, else from its default. Only this file and `ProcessTuning.ts` read the environment.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { type Environment, resolveLimits } from "./Limit.ts"
import { LIMITS, type LimitValues } from "./Limits.ts"
import { isAddress, isNetwork } from "./Networks.ts"
import { locate } from "./DatabaseLocation.ts"
import { wholeUrl } from "./PostgresUrl.ts"
import { InvalidSetting, list, oneOf, onOff, type Setting, text, url, whole } from "./Setting.ts"

/** All settings, in the order of the help text. */
export const SETTINGS = {
  host: text({
    flag: "host",
    environment: "VPS_SERVICE_HOST",
    unit: "address",
    fallback: "127.0.0.1",
    reason: "By default only this computer can connect."
  }),
  port: whole(0, 65_535, {
    flag: "port",
    environment: "VPS_SERVICE_PORT",
    unit: "TCP port",
    fallback: 8787,
    reason: "0 picks a free one, which the ready line contains."
  }),
  database: text({
    flag: "database",
    environment: "VPS_SERVICE_DATABASE",
    unit: "path, :memory: or postgres://user:password@host:port/database",
    fallback: "",
    reason: "Default: vps-service.db in the working directory, or in memory for the emulator."
  }),
  synchronous: oneOf(["full", "normal"], {
    flag: "synchronous",
    environment: "VPS_SERVICE_SYNCHRONOUS",
    fallback: "full",
    reason:
      "On SQLite. full: committed changes survive a power failure. normal: one may undo the last seconds, but never "
      + "part of a change."
  }),
  driver: oneOf(["libvirt", "simulated"], {
    flag: "driver",
    environment: "VPS_SERVICE_DRIVER",
    fallback: undefined,
    reason:
      "The driver that runs the machines; the emulator's is always simulated, otherwise it is required. Simulated "
      + "machines exist in the database only."
  }),
  guestDns: list(isAddress, {
    flag: "guest-dns",
    environment: "VPS_SERVICE_GUEST_DNS",
    unit: "comma-separated addresses",
    reason: "The name servers that new instances of the libvirt driver use.",
    expected: "addresses like 9.9.9.9,149.112.112.112"
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
    reason: "The emulator's controls require no key, so by default they accept connections from this computer only."
  }),
  requestLog: onOff({
    flag: "request-log",
    environment: "VPS_SERVICE_REQUEST_LOG",
    unit: "true or false",
    fallback: true,
    reason: "Logs one JSON line per request to standard error, at about 20 µs of CPU each."
  }),
  trustedProxies: list(isNetwork, {
    flag: "trusted-proxies",
    environment: "VPS_SERVICE_TRUSTED_PROXIES",
    unit: "comma-separated addresses and networks",
    reason: "Only these may set the client's address and the service's public name: any client can send the headers.",
    expected: "addresses or networks like 10.0.0.1,10.1.0.0/16"
  }),
  otlpEndpoint: url(["http", "https"], {
    flag: "otlp-endpoint",
    environment: "OTEL_EXPORTER_OTLP_ENDPOINT",
    reason: "The collector of traces of requests and tasks. Without one, no traces are recorded."
  }),
  smtpUrl: url(["smtp", "smtps"], {
    flag: null,
    environment: "VPS_SERVICE_SMTP_URL",
    reason: "The mail server, with user and password if it requires them. Without one, mail is only logged."
  }),
  mailFrom: text({
    flag: "mail-from",
    environment: "VPS_SERVICE_MAIL_FROM",
    unit: "mail address, optionally with a name",
    fallback: "vps-service@localhost",
    reason: "The sender of mail. Most servers accept only senders of their own domains."
  }),
  rateLimits: onOff({
    flag: "rate-limits",
    environment: "VPS_SERVICE_RATE_LIMITS",
    unit: "true or false",
    fallback: true,
    reason: "Keeps one customer from slowing down all others. Off by default in the emulator."
  }),
  strictIdempotency: onOff({
    flag: "strict-idempotency",
    environment: "VPS_SERVICE_STRICT_IDEMPOTENCY",
    unit: "true or false",
    fallback: false,
    reason: "An Idempotency-Key reused with another body returns 422 instead of the original instance."
  }),
  secret: text({
    flag: null,
    environment: "VPS_SERVICE_SECRET",
    unit: "at least 32 characters; several are comma-separated",
    fallback: "",
    reason: "Keys API-key digests and encrypts task secrets. By default generated once beside the database file."
  })
} as const

type Settings = typeof SETTINGS
type ValueOf<S> = S extends Setting<infer A> ? A : never

/** The resolved settings and limits. */
export type Values = { readonly [K in keyof Settings]: ValueOf<Settings[K]> } & { readonly limits: LimitValues }

export type DriverName = NonNullable<Values["driver"]>

export class Config extends Context.Service<Config, Values>()("pulumi-vps/service/Config") {}

const valueOf = <A>(setting: Setting<A>, flag: string | undefined, environment: Environment): A => {
  const text = flag ?? environment[setting.environment]
  if (text === undefined) return setting.fallback
  const value = setting.parse(text)
  if (value !== undefined) return value
  const source = flag === undefined ? setting.environment : `--${setting.flag}`
  // A value that is not allowed on a command line is not allowed in a log either.
  const got = setting.flag === null ? "" : `; got "${text}"`
  throw new InvalidSetting({ message: `${source} should be ${setting.expected} (${setting.unit})${got}.` })
}

const IN_MEMORY = ":memory:"
const FILE = "vps-service.db"

/** SQLite reads such a text as a URI, so the lock, mode, socket and secret would be those of another file. */
const URL_OF_FILE = /^file:/i
const NO_FILE_URL = "--database (VPS_SERVICE_DATABASE) should be the path of a file, not a file: URL. For a file whose "
  + "name begins with \"file:\", write ./file:..."

/**
 * The settings from flags and environment. `--emulator` alone means true.
 * @throws InvalidSetting when a flag is unknown, or a value or limit is invalid
 */
export const resolve = (flags: ReadonlyArray<string>, environment: Environment): Values => {
  const limits = resolveLimits(LIMITS, environment)
  const parsed = parseFlags(flags)
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [
      name,
      valueOf(setting as Setting<unknown>, parsed[setting.flag ?? NO_FLAG], environment)
    ])
  ) as { -readonly [K in keyof Settings]: Values[K] }
  const { environment: variable, flag } = SETTINGS.rateLimits
  const rateLimits = parsed[flag ?? NO_FLAG] ?? environment[variable]
  if (values.emulator && rateLimits === undefined) values.rateLimits = false
  if (values.emulator) values.driver = "simulated"
  if (values.database === "") values.database = values.emulator ? IN_MEMORY : FILE
  if (locate(values.database).isServer) values.database = wholeUrl(values, environment)
  else if (URL_OF_FILE.test(values.database)) throw new InvalidSetting({ message: NO_FILE_URL })
  return { ...values, limits }
}

/** No flag has this name: the key of settings that cannot be set on a command line. */
const NO_FLAG = ""

/** The values of flags, by their name without dashes. Throws `InvalidSetting` for an unknown one. */
export const parseFlags = (flags: ReadonlyArray<string>): Record<string, string | undefined> => {
  // A boolean flag needs no value, but may have one.
  const named = flags.map((flag, index) => {
    const setting = Object.values(SETTINGS).find((s) => typeof s.fallback === "boolean" && flag === `--${s.flag}`)
    return setting === undefined || setting.parse(flags[index + 1] ?? "") !== undefined ? flag : `${flag}=true`
  })
  const flagNames = Object.values(SETTINGS).flatMap(({ flag }) => flag === null ? [] : [flag])
  const options = Object.fromEntries(flagNames.map((flag) => [flag, { type: "string" as const }]))
  try {
    return parseArgs({ args: named, options, strict: true }).values as Record<string, string | undefined>
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new InvalidSetting({ message: `${reason}; run "vps-service --help" to see all flags.` })
  }
}

/** Reads this process's environment. Fails with `InvalidSetting`. */
export const attempt = <A>(read: (environment: Environment) => A): Effect.Effect<A, InvalidSetting> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read(process.env))
    } catch (cause) {
      return cause instanceof InvalidSetting ? Effect.fail(cause) : Effect.die(cause)
    }
  })

/** The driver that the operator chose; fails with `InvalidSetting` if none was chosen. */
export const chosenDriver = ({ driver }: Pick<Values, "driver">) => {
  if (driver !== undefined) return Effect.succeed(driver)
  const { environment, flag, unit } = SETTINGS.driver
  return Effect.fail(
    new InvalidSetting({
      message: `No driver was chosen. Set --${flag} or ${environment} to ${unit}. Simulated instances exist in the `
        + "database only, so nothing can be reached on them."
    })
  )
}

/** The settings of this process. */
export const fromProcess = attempt((environment) => resolve(process.argv.slice(2), environment))
