/** The calls of the plugin, row by row; `recorded.json` has its responses. */
import { INSTANCE } from "#provider/instance/Definition"
import { UNKNOWN } from "#provider/definition/Properties"
import type { CallRecord, Json, Talk } from "./Talk.ts"

const SIGNATURE = "4dabf18193072939515e22adb298388d"
export const secret = (value: unknown): Json => ({ [SIGNATURE]: "1b47061264138c4ac30d75fd1eb44270", value })

const urn = (type: string, name = "web"): string => `urn:pulumi:prod::shop::vps:index:${type}::${name}`
const WEB = urn("Instance")

/** A value of each input that the check accepts. */
const SAMPLES: Readonly<Record<keyof typeof INSTANCE.inputs, unknown>> = {
  serviceId: 1,
  hostname: "web.example.com",
  os: "debian-12",
  sshPublicKey: "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGlrJoBX6wu97NBZzY1USoVEfQf430RGyZ/A57sXU9Y web",
  rootPassword: "hunter2-and-more",
  couponCode: "WELCOME10",
  powerState: "running",
  bootMode: "disk",
  isoId: 1,
  plan: "vps-s",
  iso: "rescue",
  adoptInstanceId: 1,
  generation: 1,
  deletionPolicy: "stop",
  allowDataLoss: true,
  reinstallTriggers: ["one", { deep: "two" }],
  passwordRotation: "first",
  snapshotBefore: "before",
  waitFor: "running",
  maxCharge: 10,
  timeouts: { create: "5m" }
}

const fields = ({ answer }: CallRecord, name: string): Json => (answer?.[name] ?? {}) as Json

/** A server that is bought, with its checked inputs and its outputs. */
const bought = async (talk: Talk, news: Json = { serviceId: 1, hostname: "web.example.com" }) => {
  const inputs = fields(await talk.call("check", { urn: WEB, news }), "Inputs")
  const made = await talk.call("create", { urn: WEB, properties: inputs })
  return { inputs, outputs: fields(made, "Properties") }
}

export interface Row {
  readonly environment?: Record<string, string>
  readonly play: (talk: Talk) => Promise<void>
}

const row = (play: Row["play"]): Row => ({
  play: async (talk) => {
    await talk.begin()
    await play(talk)
  }
})

const of = (method: string, ...requests: ReadonlyArray<Json>): Row => ({
  play: async (talk) => {
    for (const request of requests) await talk.call(method, request)
  }
})

const DEFAULT = "urn:pulumi:prod::shop::pulumi:providers:vps::default_0_1_0"

const CONFIGURATION: Readonly<Record<string, Row>> = {
  "the plugin returns its version": of("getPluginInfo", {}),
  "Handshake, Attach, Configure: what the plugin can take": {
    play: async (talk) => {
      await talk.call("handshake")
      await talk.call("attach")
      await talk.call("configure", { urn: DEFAULT, args: { apiKey: secret("vps_live_secret") } })
      await talk.call("cancel")
    }
  },
  "CheckConfig: without any key": { ...of("checkConfig", { news: {} }), environment: {} },
  "CheckConfig: the environment's key is not taken over; any other becomes a secret": of(
    "checkConfig",
    { news: { version: "0.1.0" } },
    { news: { apiKey: "vps_live_plain" } },
    { news: { apiKey: secret("vps_live_secret"), maxChargePerUpdate: 10 } },
    { news: { apiKey: UNKNOWN } }
  ),
  "CheckConfig: what is wrong is named, and no value of a key is": of(
    "checkConfig",
    { news: { token: "vps_live_elsewhere" } },
    { news: { maxChargePerUpdate: "much" } },
    { news: { deletionPolicy: "never", apiKey: secret("vps_live_secret") } },
    { news: { requestTimeout: "soon" } }
  ),
  "DiffConfig: nothing is ever replaced": of(
    "diffConfig",
    { urn: DEFAULT, oldInputs: { apiKey: secret("a") }, news: { apiKey: secret("a") } },
    { urn: DEFAULT, oldInputs: { apiKey: secret("a") }, news: { apiKey: secret("b"), baseUrl: "https://b.example" } },
    { urn: DEFAULT, oldInputs: { apiKey: secret("a") }, news: { apiKey: UNKNOWN } },
    { urn: DEFAULT, oldInputs: { "vps:apiKey": secret("a") }, news: { apiKey: secret("a") } },
    { urn: DEFAULT, oldInputs: { "vps:baseUrl": "https://a.example" }, news: { baseUrl: "https://b.example" } }
  ),
  "CheckConfig, DiffConfig: the account is recorded, and a key of another one is refused": {
    play: async (talk) => {
      const news = { baseUrl: "https://a.example/api/v1", apiKey: secret("vps_live_secret") }
      const own = fields(await talk.call("checkConfig", { urn: DEFAULT, news }), "Inputs")
      const shop = "urn:pulumi:prod::shop::pulumi:providers:vps::shop"
      const moved = { ...own, apiKey: secret("b"), __service: "https://a.example/api/v1#other" }
      await talk.call("diffConfig", { urn: shop, oldInputs: moved, news: own })
      await talk.call("diffConfig", { urn: shop, oldInputs: { ...moved, __account: 7 }, news: own })
      await talk.call("diffConfig", { urn: DEFAULT, oldInputs: { __account: 7 }, news: { ...own, apiKey: null } })
      await talk.call("diffConfig", { urn: DEFAULT, oldInputs: { __account: 7 }, news })
    }
  },
  "Configure: a malformed setting": of("configure", { args: { maxChargePerUpdate: "much" } }),
  "a resource before the configuration": of("check", { urn: WEB, news: { serviceId: 1 } })
}

const CHECKS: Readonly<Record<string, Row>> = {
  "Check: an unknown value in the place of each input": row(async (talk) => {
    for (const name of Object.keys(INSTANCE.inputs)) {
      await talk.call("check", { urn: urn("Instance", name), news: { serviceId: 1, [name]: UNKNOWN } })
    }
  }),
  "Check: a secret in the place of each input stays one": row(async (talk) => {
    for (const [name, value] of Object.entries(SAMPLES)) {
      await talk.call("check", {
        urn: urn("Instance", name),
        news: { ...name === "plan" ? {} : { serviceId: 1 }, [name]: secret(value) }
      })
    }
  }),
  "Check: secrets and unknown values deep inside, and every placeholder": row(async (talk) => {
    const placeholders = [
      "1c4a061d-8072-4f0a-a4cb-0ff528b18fe7",
      "3eeb2bf0-c639-47a8-9e75-3b44932eb421",
      "6a19a0b0-7e62-4c92-b797-7f8e31da9cc2",
      "dd056dcd-154b-4c76-9bd3-c8f88648b5ff"
    ]
    for (const one of placeholders) await talk.call("check", { urn: WEB, news: { serviceId: one } })
    const deep = { reinstallTriggers: [{ token: secret("deep") }, UNKNOWN], timeouts: { create: secret("5m") } }
    await talk.call("check", { urn: WEB, news: { serviceId: 1, ...deep } })
    await talk.call("check", { urn: WEB, news: { serviceId: secret(UNKNOWN) } })
  }),
  "Check: what is wrong, without the value of a secret": row(async (talk) => {
    await talk.call("check", { urn: WEB, news: {} })
    await talk.call("check", { urn: WEB, news: { serviceId: 0, plan: "small", waitFor: "ever" } })
    await talk.call("check", { urn: WEB, news: { serviceId: 1, rootPassword: "short" } })
    await talk.call("check", { urn: WEB, news: { serviceId: 1, hostname: secret(7) } })
    await talk.call("check", { urn: WEB, news: { serviceId: 99 } })
    await talk.call("check", { urn: urn("Snapshot"), news: { name: "x" } })
    await talk.call("check", { urn: urn("ReverseDns"), news: { instanceId: "1", ip: "203.0.113.1" } })
    await talk.call("check", { urn: urn("SnapshotRestore"), news: { instanceId: "1", snapshotId: 1 } })
    await talk.call("check", { urn: urn("BackupRestore"), news: { instanceId: "x", backupId: 1 } })
  }),
  "Check: a component's child has the purchase key that the dynamic provider gave it": row(async (talk) => {
    const child = "urn:pulumi:prod::shop::my:mod:Shop$vps:index:Instance::web"
    await talk.call("check", { urn: child, news: { serviceId: 1 } })
  })
}

const DIFFS: Readonly<Record<string, Row>> = {
  "Diff: what is added, changed, removed, replaced; what stays": row(async (talk) => {
    const news = { serviceId: 1, hostname: "web.example.com", timeouts: { create: "5m", update: "6m" } }
    const { inputs, outputs } = await bought(talk, { ...news, deletionPolicy: "stop" })
    const base = { id: "1", urn: WEB, olds: outputs, oldInputs: inputs }
    const diff = (changes: Json): Promise<CallRecord> => talk.call("diff", { ...base, news: { ...inputs, ...changes } })
    await diff({})
    await diff({ hostname: "www.example.com", allowDataLoss: true })
    await diff({ timeouts: { create: "7m", delete: "1m" } })
    await diff({ hostname: UNKNOWN, serviceId: UNKNOWN, generation: UNKNOWN })
    await diff({ generation: 2 })
  }),
  "Diff: of a state that the dynamic provider left": row(async (talk) => {
    const { inputs, outputs } = await bought(talk)
    const text = { __provider: "exports.handler = () => {}" }
    await talk.call("diff", {
      id: "1",
      urn: WEB,
      olds: { ...outputs, ...text },
      oldInputs: { ...inputs, ...text },
      news: inputs
    })
  })
}

const ACTS: Readonly<Record<string, Row>> = {
  "Create and Update: previews, then the acts; secrets go out as secrets": row(async (talk) => {
    const news = { serviceId: 1, hostname: secret("web.example.com"), rootPassword: secret("hunter2-and-more") }
    const inputs = fields(await talk.call("check", { urn: WEB, news }), "Inputs")
    await talk.call("create", { urn: WEB, properties: inputs, preview: true })
    const olds = fields(await talk.call("create", { urn: WEB, properties: inputs }), "Properties")
    const next = {
      ...inputs,
      sshPublicKey: secret("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINGlrJoBX6wu97NBZzY1USoVEfQf430RGyZ/A57sXU9Y web"),
      passwordRotation: "first"
    }
    await talk.call("update", { id: "1", urn: WEB, olds, news: next, preview: true })
    await talk.call("update", { id: "1", urn: WEB, olds, news: { ...next, serviceId: 2 }, preview: true })
    await talk.call("update", { id: "1", urn: WEB, olds, news: next })
  }),
  "Create: a preview with unknown inputs": row(async (talk) => {
    const properties = { serviceId: UNKNOWN, hostname: UNKNOWN, __purchaseKey: "pulumi-x" }
    await talk.call("create", { urn: WEB, properties, preview: true })
    await talk.call("create", {
      urn: urn("Snapshot"),
      properties: { instanceId: UNKNOWN, name: "first" },
      preview: true
    })
  }),
  "Create: times out with the ID; Update continues": row(async (talk) => {
    const inputs = fields(await talk.call("check", { urn: WEB, news: { serviceId: 1 } }), "Inputs")
    const made = await talk.call("create", { urn: WEB, properties: inputs, timeout: 5 })
    const olds = ((made.error?.["partial"] ?? {}) as { Properties?: Json }).Properties ?? {}
    await talk.call("update", { id: "1", urn: WEB, olds, news: inputs, preview: true })
    await talk.call("update", { id: "1", urn: WEB, olds, news: inputs })
  }),
  "Create: what the service refuses": row(async (talk) => {
    const inputs = fields(await talk.call("check", { urn: WEB, news: { serviceId: 1 } }), "Inputs")
    await talk.env.emulator.wallet.set(0)
    await talk.call("create", { urn: WEB, properties: inputs })
  }),
  "Delete: refused by its policy, then let go": row(async (talk) => {
    const { outputs } = await bought(talk)
    await talk.begin()
    await talk.call("delete", { id: "1", urn: WEB, properties: outputs })
    await talk.call("delete", { id: "1", urn: WEB, properties: { ...outputs, deletionPolicy: "forget" } })
  })
}

export const TABLE: Readonly<Record<string, Row>> = { ...CONFIGURATION, ...CHECKS, ...DIFFS, ...ACTS }
export { bought, fields, row, urn, WEB }
