/**
 * Every setting, limit and default of the service, with its unit and reason. A setting comes from a flag, else from its
 * environment variable, else from the default here; nothing else in the service reads the environment.
 */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import { parseArgs } from "node:util"
import { type Environment, resolveLimits } from "./Limit.ts"
import { LIMITS, type LimitValues } from "./Limits.ts"
import { isNetwork } from "./Networks.ts"
import { DRIVERS } from "../provisioning/Drivers.ts"
import { locate } from "../persistence/DatabaseLocation.ts"
import { wholeUrl } from "../persistence/postgres/Settings.ts"
import { synchronous } from "../persistence/Settings.ts"
import { InvalidSetting, list, oneOf, onOff, type Setting, text, url, whole } from "./Setting.ts"

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
    unit: "path, :memory: or postgres://user:password@host:port/database",
    fallback: "",
    reason: "vps-service.db in the working folder; in memory for the emulator unless a path is given."
  }),
  synchronous,
  driver: oneOf(Object.keys(DRIVERS) as ReadonlyArray<keyof typeof DRIVERS>, {
    flag: "driver",
    environment: "VPS_SERVICE_DRIVER",
    fallback: "simulated",
    reason: "The driver that runs the machines. Simulated ones exist in the database only."
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
  trustedProxies: list(isNetwork, {
    flag: "trusted-proxies",
    environment: "VPS_SERVICE_TRUSTED_PROXIES",
    unit: "addresses and networks, divided by commas",
    reason:
      "Only these may tell the client's address and the public name of the service; anybody can send the headers.",
    expected: "addresses or networks like 10.0.0.1,10.1.0.0/16"
  }),
  otlpEndpoint: url(["http", "https"], {
    flag: "otlp-endpoint",
    environment: "OTEL_EXPORTER_OTLP_ENDPOINT",
    reason: "Traces of requests and tasks go to this collector; none are made unless you name one."
  }),
  smtpUrl: url(["smtp", "smtps"], {
    flag: null,
    environment: "VPS_SERVICE_SMTP_URL",
    reason: "The mail server, with user and password if it wants them; without one the log says who would get mail."
  }),
  mailFrom: text({
    flag: "mail-from",
    environment: "VPS_SERVICE_MAIL_FROM",
    unit: "mail address, with a name if you like",
    fallback: "vps-service@localhost",
    reason: "Who the mail comes from; most servers take mail from their own domains only."
  }),
  rateLimits: onOff({
    flag: "rate-limits",
    environment: "VPS_SERVICE_RATE_LIMITS",
    unit: "true or false",
    fallback: true,
    reason: "Keeps one customer from slowing all others down; off in the emulator unless you ask for it."
  }),
  strictIdempotency: onOff({
    flag: "strict-idempotency",
    environment: "VPS_SERVICE_STRICT_IDEMPOTENCY",
    unit: "true or false",
    fallback: false,
    reason: "A key that comes again with another body answers 422 instead of the original instance."
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

/** The resolved settings and limits. */
export type Values = { readonly [K in keyof Settings]: ValueOf<Settings[K]> } & { readonly limits: LimitValues }

export class Config extends Context.Service<Config, Values>()("pulumi-vps/service/Config") {}

const valueOf = <A>(setting: Setting<A>, flag: string | undefined, environment: Environment): A => {
  const given = flag ?? environment[setting.environment]
  if (given === undefined) return setting.fallback
  const value = setting.parse(given)
  if (value !== undefined) return value
  const source = flag === undefined ? setting.environment : `--${setting.flag}`
  // What may not stand on a command line may not stand in a log either.
  const got = setting.flag === null ? "" : `; got "${given}"`
  throw new InvalidSetting({ message: `${source} should be ${setting.expected} (${setting.unit})${got}.` })
}

const IN_MEMORY = ":memory:"
const FILE = "vps-service.db"

/**
 * The settings from flags and environment. `--emulator` alone means true.
 * @throws InvalidSetting when a flag is unknown, or a value or limit makes no sense
 */
export const resolve = (flags: ReadonlyArray<string>, environment: Environment): Values => {
  const limits = resolveLimits(LIMITS, environment)
  const given = parseFlags(flags)
  const values = Object.fromEntries(
    Object.entries(SETTINGS).map(([name, setting]) => [
      name,
      valueOf(setting as Setting<unknown>, given[setting.flag ?? NO_FLAG], environment)
    ])
  ) as { -readonly [K in keyof Settings]: Values[K] }
  const { environment: variable, flag } = SETTINGS.rateLimits
  const asked = given[flag ?? NO_FLAG] ?? environment[variable]
  if (values.emulator && asked === undefined) values.rateLimits = false
  if (values.database === "") values.database = values.emulator ? IN_MEMORY : FILE
  if (locate(values.database).isServer) values.database = wholeUrl(values, environment)
  return { ...values, limits }
}

/** What no flag is called: the key of what cannot be given on a command line. */
const NO_FLAG = ""

/** The flags that were given, by their name without dashes. Throws `InvalidSetting` for one that is unknown. */
export const parseFlags = (flags: ReadonlyArray<string>): Record<string, string | undefined> => {
  // A flag that is on or off takes no value of its own on the command line, but `--flag=false` is welcome.
  const named = flags.map((flag) =>
    Object.values(SETTINGS).some((s) => typeof s.fallback === "boolean" && flag === `--${s.flag}`)
      ? `${flag}=true`
      : flag
  )
  const known = Object.values(SETTINGS).flatMap(({ flag }) => flag === null ? [] : [flag])
  const options = Object.fromEntries(known.map((flag) => [flag, { type: "string" as const }]))
  try {
    return parseArgs({ args: named, options, strict: true }).values as Record<string, string | undefined>
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new InvalidSetting({ message: `${reason}; "vps-service --help" tells what there is.` })
  }
}

/** Reads something from this process's environment. Fails with `InvalidSetting`. */
export const attempt = <A>(read: (environment: Environment) => A): Effect.Effect<A, InvalidSetting> =>
  Effect.suspend(() => {
    try {
      return Effect.succeed(read(process.env))
    } catch (cause) {
      return cause instanceof InvalidSetting ? Effect.fail(cause) : Effect.die(cause)
    }
  })

/** The settings of this process. */
export const fromProcess = attempt((environment) => resolve(process.argv.slice(2), environment))
