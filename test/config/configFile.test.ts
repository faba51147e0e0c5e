import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll } from "vitest"
import { settingsWithDatabase } from "#service/admin/cli/Offline"
import { explain } from "#service/admin/cli/ConfigCommand"
import { SETTINGS } from "#service/config/Config"
import { FILE_SETTINGS, readConfigFile } from "#service/config/ConfigFile"
import { SETTABLE } from "#service/config/Limits"
import { resolve } from "#service/config/Resolve"
import { InvalidSetting } from "#service/config/Setting"
import { configSchema } from "../../.config/build/configSchema.ts"

const folder = mkdtempSync(join(tmpdir(), "vps-config-"))
const path = join(folder, "service.yaml")
const SECRET = "a-value-of-32-characters-or-more-0"
beforeAll(() => {
  writeFileSync(join(folder, "secret"), `${SECRET}\n${SECRET}-older\n`)
  writeFileSync(join(folder, "url"), "postgres://vps:pass5@db.example.test/vps\n")
  writeFileSync(join(folder, "mail"), "mail.example.test\n")
})
afterAll(() => rmSync(folder, { recursive: true }))

const read = (text: string) => {
  writeFileSync(path, text)
  return readConfigFile(path)
}

const problemsOf = async (text: string): Promise<ReadonlyArray<string>> => {
  try {
    await read(text)
  } catch (cause) {
    assert.instanceOf(cause, InvalidSetting)
    return cause.message.replaceAll(`${path}:`, "").split("\n")
  }
  throw new Error("The file was accepted.")
}

const YAML = `
# yaml-language-server: $schema=service.schema.json
driver: simulated
port: 9000
trusted-proxies: [10.0.0.1, "2001:db8::/32"]
guest-dns: []
request-log: false
mail-from: { file: mail }
secret:
  file: secret
database: { file: url }
limits:
  SNAPSHOTS_MAX: 7
`

describe("a config file", () => {
  it("sets settings and limits, in YAML and in JSON", async () => {
    const json = {
      $schema: "service.schema.json",
      driver: "simulated",
      port: 9000,
      "trusted-proxies": ["10.0.0.1", "2001:db8::/32"],
      "request-log": false,
      "mail-from": { file: "mail" },
      secret: { file: "secret" },
      database: { file: "url" },
      limits: { SNAPSHOTS_MAX: 7 }
    }
    for (const text of [YAML, JSON.stringify(json, null, 2)]) {
      const values = resolve([], {}, await read(text))
      assert.deepInclude(values, {
        driver: "simulated",
        port: 9000,
        trustedProxies: ["10.0.0.1", "2001:db8::/32"],
        guestDns: [],
        requestLog: false,
        mailFrom: "mail.example.test",
        secret: `${SECRET},${SECRET}-older`,
        database: "postgres://vps:pass5@db.example.test/vps"
      })
      assert.strictEqual(values.limits.SNAPSHOTS_MAX, 7)
    }
  })

  it.each(["", "# nothing\n", "{}", "limits:\n"])("may be empty: %j", async (text) => {
    assert.deepStrictEqual(resolve([], {}, await read(text)), resolve([], {}))
  })

  it("is overridden by flags and by the environment", async () => {
    const file = await read("port: 1\nrate-limits: true\nlimits: { SNAPSHOTS_MAX: 7 }")
    assert.strictEqual(resolve(["--port=2"], { VPS_SERVICE_PORT: "3" }, file).port, 2)
    assert.strictEqual(resolve([], { VPS_SERVICE_PORT: "3" }, file).port, 3)
    assert.strictEqual(resolve([], { VPS_SERVICE_SNAPSHOTS_MAX: "8" }, file).limits.SNAPSHOTS_MAX, 8)
    assert.isTrue(resolve(["--emulator"], {}, file).rateLimits)
  })

  it("names the database file relative to its own folder", async () => {
    assert.strictEqual(resolve([], {}, await read("database: vps.db")).database, join(folder, "vps.db"))
    assert.strictEqual(resolve([], {}, await read("database: /srv/vps.db")).database, "/srv/vps.db")
    assert.strictEqual(resolve([], {}, await read("database: \":memory:\"")).database, ":memory:")
  })

  it("is the source that vps-service config shows, without secrets", async () => {
    const explained = explain([], { VPS_SERVICE_HOST: "::1" }, await read(`${YAML}\nhost: 10.0.0.1`))
    const of = (name: string) => explained.find((each) => each.name === name)
    assert.deepInclude(of("port"), { value: 9000, source: `${path}:4: port` })
    assert.deepInclude(of("SNAPSHOTS_MAX"), { value: 7, source: `${path}:13: SNAPSHOTS_MAX` })
    assert.deepInclude(of("host"), { value: "::1", source: "VPS_SERVICE_HOST" })
    assert.deepInclude(of("database"), { value: "postgres://vps:***@db.example.test/vps" })
    assert.notInclude(JSON.stringify(explained), SECRET)
  })

  it.each([
    ["hots: x", "1: hots is not a setting. Run \"vps-service --help\" to see all settings."],
    ["config: x", "1: config is not a setting."],
    ["\nSNAPSHOTS_MAX: 3", "2: SNAPSHOTS_MAX is a limit. Write it below \"limits:\"."],
    ["VPS_SERVICE_PORT: 1", "1: VPS_SERVICE_PORT is an environment variable. In this file the setting is \"port\"."],
    ["port: \"80\"", "1: port should be a whole number from 0 to 65535 (TCP port); got \"80\". Remove the quotes."],
    ["port: 65536", "1: port should be a whole number from 0 to 65535 (TCP port); got 65536."],
    ["port: 1.5", "1: port should be a whole number"],
    ["port: 1e400", "1: port should be a whole number"],
    ["port:", "1: port should be a whole number from 0 to 65535 (TCP port); got nothing."],
    ["port: { file: url }", "1: port should be a whole number"],
    ["host: 127", "1: host should be a non-empty text (address); got 127. Put it in quotes."],
    ["host: [a]", "1: host should be a non-empty text (address); got [\"a\"]."],
    ["emulator: yes", "1: emulator should be true or false"],
    ["driver: kvm", "1: driver should be one of the listed values (libvirt or simulated); got \"kvm\"."],
    ["trusted-proxies: 10.0.0.1", "1: trusted-proxies should be addresses or networks"],
    ["trusted-proxies: [proxy]", "1: trusted-proxies should be addresses or networks"],
    ["otlp-endpoint: collector", "1: otlp-endpoint should be a URL that begins with http:// or https://"],
    ["limits:\n  LEASE_MILLIS: 5", "2: LEASE_MILLIS is fixed. Remove this line."],
    ["limits: 3", "1: limits should be a mapping of limits, like SNAPSHOTS_MAX: 3."],
    ["limits:\n  SNAPS: 3", "2: SNAPS is not a limit. Run \"vps-service config\" to see all limits."],
    ["limits:\n  SNAPSHOTS_MAX: -1", "2: SNAPSHOTS_MAX should be a whole number from 0 to 1000 (snapshots); got -1."],
    ["limits:\n  SNAPSHOTS_MAX: \"3\"", "2: SNAPSHOTS_MAX should be a whole number"],
    [`secret: ${SECRET}`, "1: secret may contain a password, which should not be in this file."],
    ["smtp-url: smtp://user:pass5@mail", "1: smtp-url may contain a password, which should not be in this file."],
    ["database: postgres://user:pass5@db/vps", "1: database may contain a password, which should not be in this file."],
    ["secret: { file: missing }", "1: secret names "],
    [
      "smtp-url: { file: mail }",
      "1: smtp-url should be a URL that begins with smtp:// or smtps:// (URL), which mail does"
    ],
    ["port: 1\nport: 2", "2: Map keys must be unique"],
    ["- port", "1: should be a mapping of settings, like port: 8787"],
    ["port: [", "1: Flow sequence"]
  ])("%j is an error with its line", async (text, message) => {
    const problems = await problemsOf(text)
    assert.lengthOf(problems, 1)
    assert.isTrue(problems[0]!.startsWith(message), problems[0])
    assert.notInclude(problems[0], SECRET)
    assert.notInclude(problems[0], "pass5")
  })

  it("reports every problem at once", async () => {
    assert.deepStrictEqual(
      (await problemsOf("port: x\nhots: 1\nlimits:\n  SNAPS: 1")).map((problem) => problem.split(" ")[0]),
      ["1:", "2:", "4:"]
    )
  })

  it("that is missing is an error that names the flag", async () => {
    const failed = await readConfigFile(join(folder, "no-such.yaml")).catch((cause: unknown) => cause)
    assert.instanceOf(failed, InvalidSetting)
    assert.match(failed.message, /^Cannot read the config file: ENOENT.*Correct --config \(VPS_SERVICE_CONFIG\)/)
  })
})

describe("the schema of the config file", () => {
  const { properties } = configSchema

  it("has every setting and limit, and no other", () => {
    const { $schema: _, limits, ...settings } = properties as typeof properties & Readonly<Record<string, unknown>>
    assert.sameMembers(Object.keys(settings), [...FILE_SETTINGS.keys()])
    assert.lengthOf(Object.keys(settings), Object.keys(SETTINGS).length - 1)
    assert.sameMembers(Object.keys(limits.properties), [...SETTABLE.keys()])
  })

  it("requires a file for each secret", () => {
    assert.deepInclude(properties, { $schema: { type: "string" } })
    for (const [key, { flag }] of FILE_SETTINGS) {
      const schema = (properties as unknown as Readonly<Record<string, { readonly required?: unknown }>>)[key]
      assert.strictEqual(schema?.required !== undefined, flag === null, key)
    }
  })
})

describe("the database that operators' commands use", () => {
  const found = (flags: ReadonlyArray<string>, ...paths: ReadonlyArray<string>) =>
    Effect.map(settingsWithDatabase(flags, (path) => paths.includes(path)), ({ database }) => database)

  it.effect("is that in the working folder, else that of the installed service", () =>
    Effect.gen(function*() {
      assert.strictEqual(yield* found([], "vps-service.db", "/var/lib/vps/vps-service.db"), "vps-service.db")
      assert.strictEqual(yield* found([], "/var/lib/vps/vps-service.db"), "/var/lib/vps/vps-service.db")
    }))

  it.effect("is that of the installed config file, which comes first", () =>
    Effect.gen(function*() {
      const paths = ["/etc/vps/service.yaml", "/var/lib/vps/vps-service.db"]
      const failure = yield* Effect.flip(found([], ...paths))
      assert.include(failure.message, "/etc/vps/service.yaml", "this computer has none to read")
    }))

  it.effect("is the named one without a search", () =>
    Effect.gen(function*() {
      writeFileSync(path, "database: named.db")
      assert.strictEqual(yield* found(["--database=x.db"], "vps-service.db"), "x.db")
      assert.strictEqual(yield* found([`--config=${path}`], "vps-service.db"), join(folder, "named.db"))
      assert.strictEqual(yield* found(["--emulator"], "vps-service.db"), ":memory:")
    }))

  it.effect("that is nowhere is reported with every place", () =>
    Effect.gen(function*() {
      const { message } = yield* Effect.flip(found([]))
      assert.match(message, /none of vps-service\.db, \/etc\/vps\/service\.yaml, \/var\/lib\/vps\/vps-service\.db/)
    }))
})
