/** Every setting of the service, with its default, unit and reason. `Resolve.ts` finds its value. */
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { LimitValues } from "./Limits.ts"
import { BRAND } from "./Brand.ts"
import { isAddress, isNetwork, NAME_SERVER } from "./Networks.ts"
import { PAYMENT } from "./Payment.ts"
import {
  InvalidSetting,
  list,
  oneOf,
  onOff,
  publicOrigin,
  type Setting,
  text,
  timeZone,
  url,
  whole
} from "./Setting.ts"

/** All settings, in the order of the help text. */
export const SETTINGS = {
  config: text({
    flag: "config",
    environment: "VPS_SERVICE_CONFIG",
    unit: "path of a YAML or JSON file",
    fallback: "",
    reason: "The file that contains settings and limits. Flags and environment variables override it."
  }),
  host: text({
    flag: "host",
    environment: "VPS_SERVICE_HOST",
    unit: "address",
    fallback: "127.0.0.1",
    reason: "The address to listen on. By default only this computer can connect; 0.0.0.0 and :: accept all."
  }),
  port: whole(0, 65_535, {
    flag: "port",
    environment: "VPS_SERVICE_PORT",
    unit: "TCP port",
    fallback: 8787,
    reason: "The port to listen on. 0 picks a free one, which the ready line contains."
  }),
  database: text({
    flag: "database",
    environment: "VPS_SERVICE_DATABASE",
    unit: "path, :memory: or postgres://user:password@host:port/database",
    fallback: "",
    reason: "The database: a SQLite file, or PostgreSQL for several replicas. Default: vps-service.db in the working "
      + "directory; the emulator's is in memory."
  }),
  synchronous: oneOf(["full", "normal"], {
    flag: "synchronous",
    environment: "VPS_SERVICE_SYNCHRONOUS",
    fallback: "full",
    reason:
      "When SQLite writes to the disk. full: committed changes survive a power failure. normal: one may undo the last "
      + "seconds, but never part of a change."
  }),
  driver: oneOf(["libvirt", "simulated"], {
    flag: "driver",
    environment: "VPS_SERVICE_DRIVER",
    fallback: undefined,
    reason: "The driver that runs the instances. It is required, except for the emulator, whose instances are always "
      + "simulated: they exist in the database only."
  }),
  guestDns: list(isAddress, {
    flag: "guest-dns",
    environment: "VPS_SERVICE_GUEST_DNS",
    unit: "comma-separated addresses",
    reason: "The name servers that new instances of the libvirt driver use.",
    expected: "addresses like 9.9.9.9,149.112.112.112"
  }),
  staleMachines: oneOf(["stop", "report"], {
    flag: "stale-machines",
    environment: "VPS_SERVICE_STALE_MACHINES",
    fallback: "stop",
    reason:
      "When a host that was declared off responds. stop: powers off the guests there whose instances run elsewhere "
      + "now, because one that runs twice destroys its disk. report: only logs and audits them."
  }),
  ...NAME_SERVER,
  emulator: onOff({
    flag: "emulator",
    environment: "VPS_SERVICE_EMULATOR",
    unit: "true or false",
    fallback: false,
    reason: "Runs an emulator for tests: seeds an empty database and opens the controls under /_emulator."
  }),
  emulatorRemote: onOff({
    flag: "emulator-remote",
    environment: "VPS_SERVICE_EMULATOR_REMOTE",
    unit: "true or false",
    fallback: false,
    reason:
      "Opens the emulator's controls to other computers. They require no key, so by default only this one can connect."
  }),
  emulatorDetached: onOff({
    flag: "emulator-detached",
    environment: "VPS_SERVICE_EMULATOR_DETACHED",
    unit: "true or false",
    fallback: false,
    reason:
      "Keeps the emulator running when the process that started it has ended. By default it ends, too, so that tests "
      + "that were stopped leave none behind."
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
    reason:
      "The proxies in front of the service. Only these may set the client's address and the service's public name, "
      + "because any client can send the headers.",
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
  timeZone: timeZone({
    flag: "time-zone",
    environment: "VPS_SERVICE_TIME_ZONE",
    fallback: "UTC",
    reason: "The time zone of dates in mail: customers read a deadline as a time of the place where you both live."
  }),
  panelUrl: publicOrigin({
    flag: "panel-url",
    environment: "VPS_SERVICE_PANEL_URL",
    reason: "The public address of this service, like https://vps.example.com, for links to the panel at /panel."
  }),
  passkeyDomain: text({
    flag: "passkey-domain",
    environment: "VPS_SERVICE_PASSKEY_DOMAIN",
    unit: "domain",
    fallback: "",
    reason: "Passkeys belong to it for ever. By default the host of the panel's address; a parent domain may be used."
  }),
  ...BRAND,
  ...PAYMENT,
  rateLimits: onOff({
    flag: "rate-limits",
    environment: "VPS_SERVICE_RATE_LIMITS",
    unit: "true or false",
    fallback: true,
    reason: "Limits the requests of each account, key, and address, so that no customer slows down all others. Off by "
      + "default in the emulator."
  }),
  strictIdempotency: onOff({
    flag: "strict-idempotency",
    environment: "VPS_SERVICE_STRICT_IDEMPOTENCY",
    unit: "true or false",
    fallback: false,
    reason: "Returns 422 for an Idempotency-Key that is reused with another body, instead of the original instance."
  }),
  secret: text({
    flag: null,
    environment: "VPS_SERVICE_SECRET",
    unit: "at least 32 characters; several are comma-separated",
    fallback: "",
    reason:
      "The service's secret, which signs the digests of API keys and encrypts passwords of waiting tasks. By default "
      + "it is generated once beside the database file."
  })
} as const

export type Settings = typeof SETTINGS
type ValueOf<S> = S extends Setting<infer A> ? A : never

/** The resolved settings and limits. */
export type Values = { readonly [K in keyof Settings]: ValueOf<Settings[K]> } & { readonly limits: LimitValues }

export type DriverName = NonNullable<Values["driver"]>

export class Config extends Context.Service<Config, Values>()("@pulumi-vps/service/Config") {}

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
