import { assert, describe, it } from "vitest"
import { explain } from "#provider/api/Errors"
import { connect } from "#provider/api/Api"
import { readSettings } from "#provider/Config"
import { ENVIRONMENT, type SettingName } from "#provider/HostWords"
import { Environment } from "./Environment.ts"
import { assertLike } from "../support/like.ts"

const none = () => undefined
const configured = (values: Partial<Record<SettingName, string>>) => (name: SettingName) => values[name]

describe("settings", () => {
  it("have defaults", () => {
    assertLike(readSettings(none, { environment: {} }), {
      apiKey: undefined,
      baseUrl: undefined,
      deletionPolicyNow: undefined,
      deletionPolicy: undefined,
      maxChargePerUpdate: undefined,
      idempotencyScope: "",
      generations: new Map(),
      waitFor: "ip",
      requestTimeout: undefined
    })
  })
  it("the environment wins over the configuration, and an empty variable is none", () => {
    const config = configured({ apiKey: "from config", waitFor: "none", requestTimeout: "90s" })
    assertLike(readSettings(config, { environment: { VPS_API_KEY: "from environment", VPS_WAIT_FOR: "" } }), {
      apiKey: "from environment",
      waitFor: "none",
      requestTimeout: 90_000
    })
  })
  it("the deletion policy keeps apart who said it: only the environment wins over resources", () => {
    assertLike(
      readSettings(configured({ deletionPolicy: "stop" }), { environment: { VPS_DELETION_POLICY: "forget" } }),
      {
        deletionPolicyNow: "forget",
        deletionPolicy: "stop"
      }
    )
  })
  it.each<[SettingName, string, string]>([
    ["deletionPolicy", "delete", "one of fail, stop, forget"],
    ["waitFor", "ready", "one of none, ip, running"],
    ["maxChargePerUpdate", "ten", "an amount of 0 or more"],
    ["maxChargePerUpdate", "-1", "an amount of 0 or more"],
    ["generations", "web", "an object of whole numbers from 1, by resource"],
    ["generations", "[2]", "an object of whole numbers from 1, by resource"],
    ["generations", "{\"web\": 0}", "an object of whole numbers from 1, by resource"],
    ["requestTimeout", "30", "a duration such as"]
  ])("vps:%s = %s is refused, and says what is right", (name, value, expected) => {
    const message = `The setting vps:${name} (or ${ENVIRONMENT[name]}) is ${
      JSON.stringify(value)
    }; it must be ${expected}`
    assert.throws(() => readSettings(configured({ [name]: value }), { environment: {} }), message)
    assert.throws(() => readSettings(none, { environment: { [ENVIRONMENT[name]]: value } }), message)
  })
})

describe("a rejected key", () => {
  const rejected = async (source?: (name: SettingName) => string): Promise<string> => {
    const { emulator } = await Environment.make()
    const settings = readSettings(none, {
      environment: { VPS_API_KEY: "vps_live_wrong", VPS_BASE_URL: emulator.url },
      ...(source && { source })
    })
    return await connect(settings).whoami().then(() => "", explain)
  }

  it("is set in the environment", async () => {
    assert.match(await rejected(), /rejected \(401\): .* Set VPS_API_KEY \(it overrides `vps:apiKey`\)/)
  })
  it("of a program's own provider is set there, because the environment does not override it", async () => {
    const message = await rejected((name) => `${name} of the provider shop`)
    assert.include(message, "Set the apiKey of the provider shop, which VPS_API_KEY does not override")
  })
})
