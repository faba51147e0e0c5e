import * as pulumi from "@pulumi/pulumi"
import { assert, describe, it } from "vitest"
import { METRICS_RANGES, TASKS_LIMIT_MAX } from "#contract/Monitoring"
import * as program from "#provider/dynamic/Functions"
import { FunctionHost } from "#provider/dynamic/DynamicHost"
import { callFunction, camelCase, type FunctionName, FUNCTIONS } from "#provider/functions/Functions"
import { DAY, Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike, isText, listWith } from "../../support/like.ts"

const NAMES = Object.keys(FUNCTIONS) as Array<FunctionName>

/** With a snapshot, and the backup of a night. */
const withInstance = async (): Promise<Environment> => {
  const env = await Environment.withInstance({ service_id: 2, hostname: "web.example.com" })
  await env.addSnapshot("a")
  await env.advance(DAY)
  return env
}

/** Half of the disk of plan 2. */
const SIZE = 40 * 1_024 ** 3
const SAMPLE = { at: isText, memoryTotalBytes: 4 * 1_024 ** 3 }
const [PROVISION, SNAPSHOT, BACKUP] = ["provision", "snapshot_create", "backup_create"].map((type, index) => ({
  id: index + 1,
  instanceId: 1,
  type,
  status: "succeeded",
  error: null
}))

/** The arguments of a call of each function, and a part of its result. */
const TABLE: Record<FunctionName, readonly [args: object, answer: unknown]> = {
  getPlans: [{}, listWith({ id: 1, billingCycle: "monthly", price: 4.99 })],
  getOsOptions: [{ serviceId: 1 }, { locationLabel: "Frankfurt" }],
  getPlan: [{ slug: "vps-m" }, { id: 2, slug: "vps-m", billingCycle: "monthly" }],
  getImage: [{ plan: "vps-s", slug: "debian-13" }, {
    slug: "debian-13",
    label: "Debian",
    version: "13",
    osId: 2,
    icon: null
  }],
  getInstance: [{ instanceId: "1" }, { userId: 1, ipv4: "198.18.0.1" }],
  getInstances: [{}, [{ order: { serviceId: 2 } }]],
  getStatus: [{ instanceId: 1 }, { bootMode: "disk", snapshots: { used: 1, quota: 3 } }],
  getMetrics: [{ instanceId: 1, range: "7d" }, {
    range: "7d",
    stepSeconds: 3_600,
    samples: Array.from({ length: 24 }, () => SAMPLE)
  }],
  getTasks: [{ instanceId: 1, limit: 5 }, { items: [BACKUP, SNAPSHOT, PROVISION], total: 3, limit: 5, offset: 0 }],
  getAvailablePlans: [
    { instanceId: 1 },
    listWith({ id: 3, direction: "upgrade", chargeAmount: 9.68 })
  ],
  getSnapshots: [{ instanceId: 1 }, [{ instanceId: 1, name: "a", sizeBytes: SIZE }]],
  getBackups: [{ instanceId: 1 }, [{ kind: "scheduled", sizeBytes: SIZE }]],
  getIsos: [{ instanceId: 1 }, listWith({ fileName: "rescue.iso" })],
  getWhoami: [{}, { accountId: 1 }],
  getWallet: [{}, { balance: 90.01, currency: "EUR" }]
}

describe("functions", () => {
  it.each(NAMES)("%s answers in camelCase, and changes nothing", async (name) => {
    const env = await withInstance()
    const [args, answer] = TABLE[name]
    assertLike(await callFunction(env.api, name, { ...args }), answer)
    assert.notMatch(JSON.stringify(await callFunction(env.api, name, { ...args })), /"[a-z]+_[a-z_]+":/)
    assert.strictEqual(env.count("create"), 0)
  })
  it("getInstance finds an instance by its host name, unless two have it", async () => {
    const env = await withInstance()
    await env.buy({ service_id: 1, hostname: "db.example.com" })
    assertLike(await callFunction(env.api, "getInstance", { hostname: "WEB.example.com" }), { id: 1 })
    assertLike(await callFunction(env.api, "getInstance", { hostname: "db.example.com" }), { id: 2 })
    await env.buy({ service_id: 1, hostname: "web.example.com" })
    assert.include(
      (await rejection(callFunction(env.api, "getInstance", { hostname: "web.example.com" }))).message,
      "getInstance: instances 1, 3 have the host name web.example.com. Use the id of one of them"
    )
  })
  it.each(NAMES)("%s refuses an argument that it does not know", async (name) => {
    const call = callFunction((await withInstance()).api, name, { ...TABLE[name][0], color: "red" })
    assert.include((await rejection(call)).message, `${name}: color is not an argument of this function`)
  })
  it.each<[FunctionName, object, string]>([
    ["getInstance", {}, "pass either instanceId or hostname"],
    ["getInstance", { instanceId: 1, hostname: "web.example.com" }, "pass either instanceId or hostname"],
    ["getInstance", { hostname: "db.example.com" }, "no instance has the host name db.example.com"],
    [
      "getInstance",
      { hostname: "wep.example.com" },
      "no instance has the host name wep.example.com. Did you mean web."
    ],
    ["getPlan", { slug: "vps-x" }, "there is no plan \"vps-x\". Did you mean vps-l, vps-m or vps-s?"],
    ["getPlan", {}, "slug is missing: the slug of a plan"],
    [
      "getImage",
      { plan: "vps-s", slug: "debian" },
      "there is no image \"debian\". Did you mean debian-12 or debian-13?"
    ],
    ["getImage", { plan: "vps-x", slug: "debian-13" }, "there is no plan \"vps-x\""],
    ["getImage", { slug: "debian-13" }, "pass either plan or serviceId"],
    ["getOsOptions", { plan: "vps-s", serviceId: 1 }, "pass either plan or serviceId"],
    ["getStatus", {}, "instanceId is missing"],
    ["getInstance", { instanceId: "web" }, "instanceId must be the id of an instance"],
    ["getOsOptions", { serviceId: 0 }, "serviceId must be an integer of 1 or more"],
    ["getMetrics", { instanceId: 1, range: "2h" }, "range must be one of 1h, 6h, 24h, 7d, 30d"]
  ])("%s(%j) says what is wrong", async (name, args, reason) => {
    assert.include(
      (await rejection(callFunction((await withInstance()).api, name, { ...args }))).message,
      `${name}: ${reason}`
    )
  })
  it("the images of a plan are the same by its slug and by its id", async () => {
    const { api } = await withInstance()
    const [byPlan, byId] = [{ plan: "vps-m-hel" }, { serviceId: 4 }]
    const helsinki = await callFunction(api, "getOsOptions", byPlan)
    assert.deepStrictEqual(helsinki, await callFunction(api, "getOsOptions", byId))
    assertLike(helsinki, { locationLabel: "Helsinki" })
    assert.include(
      (await rejection(callFunction(api, "getImage", { ...byPlan, slug: "windows-2022" }))).message,
      "there is no image"
    )
  })
  it("the limits that they name are the contract's", () => {
    assert.deepStrictEqual(FUNCTIONS.getMetrics.inputs["range"]?.type.schema, { type: "string", enum: METRICS_RANGES })
    assert.include(FUNCTIONS.getTasks.inputs["limit"]?.description, `up to ${TASKS_LIMIT_MAX}`)
  })
  it("the wallet is read with a dry run of the named plan, or of the cheapest", async () => {
    const env = await withInstance()
    await callFunction(env.api, "getWallet", { serviceId: 3 })
    await callFunction(env.api, "getWallet", {})
    assert.deepStrictEqual(env.calls.filter((call) => call.startsWith("dryRun")), ["dryRun 3", "dryRun 1"])
  })
})

describe("the program's side of the functions", () => {
  it("has each function as a promise and as an output", () => {
    assert.deepStrictEqual(Object.keys(program).toSorted(), NAMES.flatMap((name) => [name, `${name}Output`]).toSorted())
  })
  it("connects once per settings, and its errors name the function", async () => {
    const env = await withInstance()
    let connections = 0
    const host = new FunctionHost(() => {
      connections++
      return env.api
    })
    const config = (key: string) => (name: string) => name === "apiKey" ? key : undefined
    await host.call("getPlans", {}, config("a"))
    await host.call("getWhoami", {}, config("a"))
    await host.call("getPlans", {}, config("b"))
    assert.strictEqual(connections, 2)
    env.faults.fail("whoami", apiError(403, "no scope"))
    assert.include(
      (await rejection(host.call("getWhoami", {}, config("a")))).message,
      "getWhoami: the API key lacks permission (403): no scope"
    )
  })
  it("with an unknown input the output is unknown, and no request is sent", async () => {
    const unknown = pulumi.unknown as unknown as string
    const output = program.getInstanceOutput({ instanceId: pulumi.output(unknown) }) as unknown as {
      isKnown: Promise<boolean>
    }
    assert.isFalse(await output.isKnown)
  })
})

describe("camelCase", () => {
  it.each([
    [{ service_id: 1, order: { is_active: true } }, { serviceId: 1, order: { isActive: true } }],
    [[{ last4: "a_b" }, null], [{ last4: "a_b" }, null]]
  ])("%j becomes %j: names change, values don't", (before, after) => assert.deepStrictEqual(camelCase(before), after))
})
