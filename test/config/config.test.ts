/** Settings and limits, and the numbers that the specification decides. */
import * as Effect from "effect/Effect"
import { assert, describe, it } from "@effect/vitest"
import { globSync, readFileSync } from "node:fs"
import { explain } from "#service/admin/cli/ConfigCommand"
import { chosenDriver, SETTINGS } from "#service/config/Config"
import { help } from "#service/config/Help"
import { LIMITS, type LimitValues, SETTABLE } from "#service/config/Limits"
import { resolve } from "#service/config/Resolve"
import { InvalidSetting } from "#service/config/Setting"
import { TASKS_LIMIT_DEFAULT, TASKS_LIMIT_MAX } from "#contract/Monitoring"
import { DEFAULT_LIMITS } from "../support/limits.ts"

/** A value for each setting that is not just any text. */
const VALUES: Readonly<Record<string, string>> = {
  "stale-machines": "report",
  port: "7",
  synchronous: "normal",
  emulator: "true",
  "emulator-remote": "true",
  "emulator-detached": "true",
  "request-log": "false",
  "rate-limits": "false",
  "strict-idempotency": "true",
  driver: "libvirt",
  rdns: "powerdns",
  "powerdns-url": "http://127.0.0.1:8081",
  "rdns-domain": "static.example.test",
  "guest-dns": "9.9.9.9,2620:fe::fe",
  "trusted-proxies": "10.0.0.1,2001:db8::/32",
  "otlp-endpoint": "http://collector.example.test:4318",
  "time-zone": "Europe/Berlin",
  "panel-url": "https://vps.example.test",
  "passkey-domain": "example.test",
  "brand-color": "#00695c",
  "support-url": "mailto:support@example.test",
  "imprint-url": "https://example.test/imprint",
  "terms-url": "https://example.test/terms",
  "privacy-url": "https://example.test/privacy"
}

/** Required by the setting `rdns`. */
const REST = {
  VPS_SERVICE_POWERDNS_URL: "http://127.0.0.1:8082",
  VPS_SERVICE_POWERDNS_KEY: "sesame",
  VPS_SERVICE_RDNS_DOMAIN: "other.example.test"
}

describe("settings", () => {
  it("default to a file in the working folder on this machine's loopback", () => {
    const { limits: _, ...settings } = resolve([], {})
    assert.deepStrictEqual(settings, {
      config: "",
      host: "127.0.0.1",
      port: 8787,
      database: "vps-service.db",
      synchronous: "full",
      driver: undefined,
      guestDns: [],
      staleMachines: "stop",
      rdns: undefined,
      powerdnsUrl: "",
      powerdnsKey: "",
      rdnsDomain: "",
      emulator: false,
      emulatorRemote: false,
      emulatorDetached: false,
      requestLog: true,
      trustedProxies: [],
      otlpEndpoint: "",
      smtpUrl: "",
      mailFrom: "vps-service@localhost",
      timeZone: "UTC",
      panelUrl: "",
      passkeyDomain: "",
      brandName: "",
      brandLogo: "",
      brandColor: "",
      supportUrl: "",
      imprintUrl: "",
      termsUrl: "",
      privacyUrl: "",
      payment: "",
      rateLimits: true,
      strictIdempotency: false,
      secret: ""
    })
  })

  it("the driver has to be chosen, except for the emulator's", () => {
    const refused = Effect.runSync(Effect.flip(chosenDriver(resolve([], {}))))
    assert.match(refused.message, /--driver or VPS_SERVICE_DRIVER to libvirt or simulated/)
    assert.strictEqual(Effect.runSync(chosenDriver(resolve(["--driver", "simulated"], {}))), "simulated")
    assert.strictEqual(resolve(["--emulator"], {}).driver, "simulated")
  })

  it("a name server needs its address, key and domain, and the emulator has none", () => {
    const flags = ["--rdns", "powerdns", "--powerdns-url", "http://127.0.0.1:8081"]
    const key = { VPS_SERVICE_POWERDNS_KEY: "sesame" }
    assert.throws(() => resolve(flags, key), InvalidSetting, /also needs VPS_SERVICE_RDNS_DOMAIN\.$/)
    assert.throws(() => resolve([...flags, "--powerdns-key", "sesame"], {}), InvalidSetting)
    const complete = [...flags, "--rdns-domain", "static.example.test"]
    assert.strictEqual(resolve(complete, key).rdns, "powerdns")
    assert.isUndefined(resolve([...complete, "--emulator"], key).rdns)
    assert.throws(() => resolve(["--rdns-domain", "-"], {}), InvalidSetting, /should be the name of a domain/)
  })

  it("the emulator is in memory unless a database is named", () => {
    assert.strictEqual(resolve(["--emulator"], {}).database, ":memory:")
    assert.strictEqual(resolve(["--emulator", "--database", "x.db"], {}).database, "x.db")
  })

  it("the mail server's password cannot be on a command line, and no message about its address repeats it", () => {
    assert.throws(() => resolve(["--smtp-url", "smtp://user:word@mail.example.test"], {}), InvalidSetting)
    const refused = () => resolve([], { VPS_SERVICE_SMTP_URL: "smtp//user:word@mail.example.test" })
    assert.throws(refused, InvalidSetting, /^VPS_SERVICE_SMTP_URL should be a URL (?!.*word)/)
  })

  it("the secret cannot be on a command line, where other users can read it", () => {
    assert.throws(() => resolve(["--secret", "a-value-of-32-characters-or-more-0"], {}), InvalidSetting)
    assert.strictEqual(resolve([], { VPS_SERVICE_SECRET: "x".repeat(32) }).secret, "x".repeat(32))
  })

  it("--help names every setting with its variable, unit and default", () => {
    for (const { environment, reason, unit } of Object.values(SETTINGS)) {
      assert.include(help(), `${reason}\n`)
      assert.include(help(), `${unit}; ${environment}`)
    }
  })

  it("the emulator has no rate limits by default", () => {
    assert.isFalse(resolve(["--emulator"], {}).rateLimits)
    assert.isTrue(resolve(["--emulator", "--rate-limits"], {}).rateLimits)
    assert.isTrue(resolve(["--emulator", "--rate-limits", "true"], {}).rateLimits)
    assert.isFalse(resolve(["--rate-limits", "false", "--port", "7"], {}).rateLimits)
    assert.isTrue(resolve(["--rate-limits", "--port", "7"], {}).rateLimits)
    assert.throws(() => resolve(["--rate-limits", "maybe"], {}), InvalidSetting, /maybe/)
    assert.isTrue(resolve(["--emulator"], { VPS_SERVICE_RATE_LIMITS: "true" }).rateLimits)
  })

  it("a flag wins over the environment", () => {
    assert.strictEqual(resolve(["--port", "1"], { VPS_SERVICE_PORT: "2" }).port, 1)
    assert.strictEqual(resolve(["--port=1"], { VPS_SERVICE_PORT: "2" }).port, 1)
    assert.isFalse(resolve(["--emulator=false"], { VPS_SERVICE_EMULATOR: "true" }).emulator)
  })

  for (const { environment, fallback, flag } of Object.values(SETTINGS)) {
    if (flag === null) continue
    it(`--${flag} and ${environment} set the same`, () => {
      const value = VALUES[flag] ?? "a-value-of-32-characters-or-more-0"
      assert.deepStrictEqual(resolve([`--${flag}=${value}`], REST), resolve([], { ...REST, [environment]: value }))
      const other = { ...REST, [environment]: undefined }
      if (value !== fallback) assert.notDeepEqual(resolve([], { ...REST, [environment]: value }), resolve([], other))
    })
  }

  it.each([
    [["--port", "http"], {}, "--port should be a whole number from 0 to 65535 (TCP port); got \"http\""],
    [["--port", "65536"], {}, "--port should be"],
    [[], { VPS_SERVICE_PORT: "-1" }, "VPS_SERVICE_PORT should be"],
    [[], { VPS_SERVICE_EMULATOR: "maybe" }, "VPS_SERVICE_EMULATOR should be true or false"],
    [["--trusted-proxies", "10.0.0.1,proxy"], {}, "--trusted-proxies should be addresses or networks"],
    [["--panel-url", "http://vps.lan:8080"], {}, "--panel-url should be an https:// address without a path"],
    [["--panel-url", "https://vps.example.com/hosting"], {}, "and the panel is always at /panel (URL)"],
    [["--time-zone", "Europa/Berlin"], {}, "--time-zone should be the name of a time zone, like Europe/Berlin"],
    [["--otlp-endpoint", "collector:4318"], {}, "--otlp-endpoint should be a URL that begins with http"],
    [
      [],
      { VPS_SERVICE_SMTP_URL: "mail.example.test" },
      "VPS_SERVICE_SMTP_URL should be a URL that begins with smtp"
    ],
    [["--host", ""], {}, "--host should be a non-empty text"],
    [["--database", "file:x.db?mode=memory"], {}, "--database (VPS_SERVICE_DATABASE) should be the path of a file"],
    [["--emulator"], { VPS_SERVICE_DATABASE: "FILE:///tmp/x.db" }, "not a file: URL"],
    [["--colour", "red"], {}, "--colour"]
  ])("%j with %j is refused by name", (flags, environment, message) => {
    assert.throws(() => resolve(flags, environment as Record<string, string>), InvalidSetting, message)
  })

  it("are explained with where they come from; secrets are not shown", () => {
    const secret = "a-value-of-32-characters-or-more-0"
    const explained = explain(["--port", "1"], { VPS_SERVICE_HOST: "::1", VPS_SERVICE_SECRET: secret })
    const of = (name: string) => explained.find((each) => each.name === name)
    assert.deepInclude(of("port"), { value: 1, source: "--port", unit: "TCP port" })
    assert.deepInclude(of("host"), { value: "::1", source: "VPS_SERVICE_HOST" })
    assert.deepInclude(of("database"), { value: "vps-service.db", source: "default" })
    assert.notInclude(JSON.stringify(explained), secret)
    assert.notInclude(JSON.stringify(explain([], REST)), REST.VPS_SERVICE_POWERDNS_KEY)
    const smtp = { VPS_SERVICE_SMTP_URL: "smtp://user:word@mail.example.test" }
    const shown = explain([], smtp).find((each) => each.name === "smtp-url")!.value
    assert.strictEqual(shown, "smtp://(set, not shown)@mail.example.test")
    assert.strictEqual(of("secret")!.source, "VPS_SERVICE_SECRET")
  })
})

const NAMES = Object.keys(LIMITS) as ReadonlyArray<keyof LimitValues>

/** The environment that sets each limit. */
const environmentOf = (values: Partial<LimitValues>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`VPS_SERVICE_${name}`, String(value)]))

describe("limits", () => {
  it("are all in the table, each under a name of its own", () => {
    const tables = globSync("service/config/limits/*.ts").map((path) => readFileSync(path, "utf8"))
    const declared = tables.flatMap((table) =>
      [...table.matchAll(/^ {2}([A-Z_]+): (?:limit|millis)\(/gm)].map(([, name]) => name!)
    )
    assert.deepStrictEqual(declared.toSorted(), NAMES.toSorted())
  })

  it("and settings that operators see are at most 71", () => {
    // The last one is the time zone: customers would read dates in mail as those of another place.
    assert.isAtMost(explain([], {}).length, 71)
    assert.includeMembers(explain([], {}).map(({ name }) => name), [...SETTABLE.keys()])
  })

  it("allow a stopping service less than 10 s", () => {
    assert.isAtMost(resolve([], {}).limits.SHUTDOWN_MILLIS, 10_000 - 1_000, "closing takes a moment, too")
  })

  it.each(NAMES)("%s is set by its variable within its bounds, and has a unit and a reason", (name) => {
    const { limits } = resolve([], {})
    const { reason, unit } = LIMITS[name]
    assert.isAbove(unit.length, 0)
    assert.match(reason, /^\S.* .*\.$/)
    const allowed = [limits[name] + 1, limits[name] - 1].filter((value) => {
      try {
        return resolve([], environmentOf({ [name]: value })).limits[name] === value
      } catch {
        return false
      }
    })
    assert.isNotEmpty(allowed)
    const explained = explain([], environmentOf({ [name]: allowed[0]! })).find((each) => each.name === name)
    if (SETTABLE.has(name)) {
      assert.deepInclude(explained, { value: allowed[0]!, source: `VPS_SERVICE_${name}`, unit })
    } else assert.isUndefined(explained)
    assert.throws(() => resolve([], environmentOf({ [name]: -1 })), InvalidSetting, `VPS_SERVICE_${name} should be`)
  })

  it("that are invalid are refused all at once", () => {
    const refused = () => resolve([], { VPS_SERVICE_LEASE_MILLIS: "soon", VPS_SERVICE_WORKER_TASKS_MAX: "0" })
    assert.throws(
      refused,
      InvalidSetting,
      /VPS_SERVICE_LEASE_MILLIS should be [^]*\nVPS_SERVICE_WORKER_TASKS_MAX should/
    )
  })

  it("that are bounded by an invalid one are judged by its default", () => {
    const both = (call: string) => () =>
      resolve([], { VPS_SERVICE_LEASE_MILLIS: "soon", VPS_SERVICE_UPSTREAM_CALL_MILLIS: call })
    assert.throws(both("5"), InvalidSetting, /^VPS_SERVICE_LEASE_MILLIS should be [^\n]*$/)
    assert.throws(both("60000"), InvalidSetting, "UPSTREAM_CALL_MILLIS should be a whole number from 1 to 59999")
  })

  it("a call to the upstream stays below the lease that is in effect", () => {
    const call = (lease: number, call: number) =>
      resolve([], environmentOf({ LEASE_MILLIS: lease, UPSTREAM_CALL_MILLIS: call })).limits.UPSTREAM_CALL_MILLIS
    assert.strictEqual(call(2_000, 1_999), 1_999)
    assert.throws(() => call(2_000, 2_000), InvalidSetting, "from 1 to 1999 (milliseconds)")
  })
})

const SECOND = 1_000
const MINUTE = 60 * SECOND
const DAY = 24 * 60 * MINUTE

const NUMBERS: ReadonlyArray<readonly [section: string, name: keyof LimitValues, designed: number]> = [
  ["§2", "BODY_BYTES_MAX", 64 * 1024],
  ["§3", "IDEMPOTENCY_RETENTION_MILLIS", 30 * DAY],
  ["§3", "IDEMPOTENCY_WAIT_MILLIS", 5 * SECOND],
  ["§3", "IN_PROGRESS_RETRY_AFTER_SECONDS", 1],
  ["§3", "EXPIRY_GRACE_MILLIS", 7 * DAY],
  ["§4", "KEY_CACHE_MILLIS", 2 * SECOND],
  ["§5", "LEASE_MILLIS", MINUTE],
  ["§5", "WORKER_TASKS_MAX", 256],
  ["§5", "RETRY_BASE_MILLIS", SECOND],
  ["§5", "RETRY_CAP_MILLIS", MINUTE],
  ["§5", "ATTEMPTS_MAX", 10],
  ["§5", "PROVISION_PATIENCE_MILLIS", 30 * MINUTE],
  ["§5", "MAIL_TRIES", 3],
  ["§5", "SNAPSHOTS_MAX", 3],
  ["§6", "ACCOUNT_REQUESTS_PER_MINUTE", 600],
  ["§6", "ACCOUNT_REQUESTS_BURST", 120],
  ["§6", "CREATES_PER_MINUTE", 10],
  ["§6", "CREATES_PER_HOUR", 60],
  ["§8", "EMULATOR_DEPLOY_MILLIS", 1_000],
  ["§8", "EMULATOR_OPERATION_MILLIS", 200],
  ["§8", "EMULATOR_REQUESTS", 1_000]
]

describe("a number of the design", () => {
  it.each(NUMBERS)(
    "of section %s is the default: %s",
    (_section, name, designed) => assert.strictEqual(DEFAULT_LIMITS[name], designed)
  )
  it.each([["§6", "TASKS_LIMIT_MAX", TASKS_LIMIT_MAX, 100], ["spec", "TASKS_LIMIT_DEFAULT", TASKS_LIMIT_DEFAULT, 20]])(
    "of section %s is the bound: %s",
    (_section, _name, value, designed) => assert.strictEqual(value, designed)
  )
})
