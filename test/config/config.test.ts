import { assert, describe, it } from "@effect/vitest"
import { help, InvalidSetting, resolve, SETTINGS } from "#service/Config"

describe("settings", () => {
  it("default to a file in the working folder on this machine's loopback", () => {
    assert.deepStrictEqual(resolve([], {}), {
      host: "127.0.0.1",
      port: 8787,
      database: "vps-service.db",
      emulator: false,
      emulatorRemote: false,
      requestLog: true,
      secret: ""
    })
  })

  it("the emulator is in memory unless a database is named", () => {
    assert.strictEqual(resolve(["--emulator"], {}).database, ":memory:")
    assert.strictEqual(resolve(["--emulator", "--database", "x.db"], {}).database, "x.db")
  })

  it("the secret cannot stand on a command line, where others see it", () => {
    assert.throws(() => resolve(["--secret", "a-value-of-32-characters-or-more-0"], {}), InvalidSetting)
    assert.strictEqual(resolve([], { VPS_SERVICE_SECRET: "x".repeat(32) }).secret, "x".repeat(32))
  })

  it("--help names every setting with its variable, unit and default", () => {
    for (const { environment, reason, unit } of Object.values(SETTINGS)) {
      assert.include(help(), `${reason}\n`)
      assert.include(help(), `${unit}; ${environment}`)
    }
  })

  it("a flag wins over the environment", () => {
    assert.strictEqual(resolve(["--port", "1"], { VPS_SERVICE_PORT: "2" }).port, 1)
    assert.strictEqual(resolve(["--port=1"], { VPS_SERVICE_PORT: "2" }).port, 1)
    assert.isFalse(resolve(["--emulator=false"], { VPS_SERVICE_EMULATOR: "true" }).emulator)
  })

  for (const { environment, flag } of Object.values(SETTINGS)) {
    if (flag === null) continue
    it(`--${flag} and ${environment} set the same`, () => {
      const value = { port: "7", emulator: "true", "emulator-remote": "true", "request-log": "false" }[flag] ??
        "a-value-of-32-characters-or-more-0"
      assert.deepStrictEqual(resolve([`--${flag}=${value}`], {}), resolve([], { [environment]: value }))
      assert.notDeepEqual(resolve([], { [environment]: value }), resolve([], {}))
    })
  }

  it.each([
    [["--port", "http"], {}, "--port should be a whole number from 0 to 65535 (TCP port); got \"http\""],
    [["--port", "65536"], {}, "--port should be"],
    [[], { VPS_SERVICE_PORT: "-1" }, "VPS_SERVICE_PORT should be"],
    [[], { VPS_SERVICE_EMULATOR: "maybe" }, "VPS_SERVICE_EMULATOR should be true or false"],
    [["--host", ""], {}, "--host should be a text"],
    [["--colour", "red"], {}, "--colour"]
  ])("%j with %j is refused by name", (flags, environment, message) => {
    assert.throws(() => resolve(flags, environment as Record<string, string>), InvalidSetting, message)
  })
})
