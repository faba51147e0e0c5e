/** The ordinary life of a stack: preview, up, change, refresh, destroy. */
import { expect } from "vitest"
import type { Scenario } from "../scenarios.ts"
import { urnOf } from "../Stack.ts"
import { PASSWORD } from "../Stage.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD, maxCharge: 5 }
const record = { instanceId: "ref:web.id", ip: "ref:web.ipv4", ptr: "web.example.com" }

export const LIFECYCLE: Record<string, Scenario> = {
  "preview shows the charge, up buys it once, a second up changes nothing": async (stage) => {
    stage.program({ web }, { web: record })
    const preview = await stage.run("preview")
    expect(preview.output).toContain(
      "web: buying VPS S charges 4.99 EUR now (billed monthly); wallet after it: 995.01 EUR"
    )
    await stage.run("up")
    const { outputs } = await stage.stored()
    expect(outputs).toMatchObject({
      status: "running",
      chargeAmount: 4.99,
      currency: "EUR",
      hostname: "web.example.com"
    })
    expect(stage.proxy.mutations()).toEqual(["POST /instances", `POST /instances/${(await stage.stored()).id}/rdns`])
  },

  "the state names the line of the program that makes a resource, not one of ours": async (stage) => {
    stage.program({ web }, { web: record })
    await stage.run("up")
    const { resources } = await stage.stack.exportState()
    const places = resources.map(({ sourcePosition = "" }) => sourcePosition)
    for (const place of places) expect(place).toMatch(/\/index\.js#\d+,\d+$/)
    expect(new Set(places).size).toBe(2)
  },

  "a changed hostname and PTR are set in place, never by replacement": async (stage) => {
    stage.program({ web }, { web: record })
    await stage.run("up")
    stage.program({ web: { ...web, hostname: "www.example.com" } }, { web: { ...record, ptr: "www.example.com" } })
    const before = stage.proxy.mutations().length
    await stage.run("preview")
    await stage.run("up")
    const { id, outputs } = await stage.stored()
    expect(outputs["hostname"]).toBe("www.example.com")
    const [instance] = await stage.instances()
    expect(JSON.parse(instance?.provider_data ?? "{}")).toMatchObject({ hostname: "www.example.com" })
    expect(stage.proxy.mutations().slice(before).toSorted())
      .toEqual([`PATCH /instances/${id}/hostname`, `POST /instances/${id}/rdns`])
  },

  "refresh keeps secrets secret and leaves nothing to do": async (stage) => {
    stage.program({ web }, { web: record })
    await stage.run("up")
    await stage.run("refresh")
  },

  "destroy fails by default and says what goes on; VPS_DELETION_POLICY=stop powers off; up takes it back": async (
    stage
  ) => {
    stage.program({ web }, { web: record })
    await stage.run("up")
    const refusal = await stage.fails("destroy")
    expect(refusal).toContain("was not destroyed, and nothing was changed: its deletion policy is \"fail\"")
    expect(refusal).toContain("renews itself for 4.99 EUR monthly")
    expect(refusal).toContain("VPS_DELETION_POLICY=stop")
    stage.stack.environment({ VPS_DELETION_POLICY: "stop" })
    const destroyed = await stage.run("destroy")
    expect(destroyed.output).toMatch(/server \d+ is powered off and is no longer in the state/)
    expect((await stage.instances()).map(({ status }) => status)).toEqual(["stopped"])
    expect(await stage.resources()).toEqual([])
    await stage.run("up")
    expect((await stage.stored()).outputs["status"]).toBe("running")
  },

  "deletionPolicy forget of the resource leaves the server running": async (stage) => {
    stage.program({ web: { ...web, deletionPolicy: "forget" } })
    await stage.run("up")
    await stage.run("destroy")
    expect((await stage.instances()).map(({ status }) => status)).toEqual(["running"])
    stage.forgotten = 1
    stage.ending = "destroyed"
  },

  "a new generation is refused while the policy is fail; with stop it buys and lets the old one go": async (stage) => {
    stage.program({ web })
    await stage.run("up")
    const { id } = await stage.stored()
    stage.program({ web: { ...web, generation: 2 } })
    expect(await stage.fails("preview")).toContain(`a changed generation buys a new server and lets server ${id} go`)
    expect(await stage.charges()).toBe(1)
    stage.program({ web: { ...web, generation: 2, deletionPolicy: "stop" } })
    await stage.run("up")
    expect((await stage.stored()).id).not.toBe(id)
    const statuses = new Map((await stage.instances()).map((one) => [String(one.id), one.status]))
    expect(statuses.get(id)).toBe("stopped")
    stage.forgotten = 1
  },

  "`up --replace` of a server just bought leads to the same server, which is not touched": async (stage) => {
    stage.program({ web: { ...web, deletionPolicy: "stop" } })
    await stage.run("up")
    const { id } = await stage.stored()
    const replaced = await stage.run("up", { replace: [urnOf("vps:Instance", "web")] })
    expect(replaced.output).toContain("the server was not touched")
    expect((await stage.stored()).id).toBe(id)
    expect(stage.proxy.mutations()).toEqual(["POST /instances"])
  },

  "the key from the configuration: plain text is refused, a secret works and stays one": async (stage) => {
    stage.stack.environment({ VPS_API_KEY: "" })
    stage.program({ web })
    await stage.stack.configure("apiKey", "plain-text-key", "plain")
    expect(await stage.fails("preview")).toContain(
      "vps:apiKey is set as plain text, and would be stored so in the state"
    )
    await stage.stack.configure("apiKey", stage.service.apiKey, "secret")
    await stage.run("up")
    await stage.run("refresh")
  },

  "an existing server is taken over without a charge": async (stage) => {
    stage.program({ web: { ...web, deletionPolicy: "forget" } })
    await stage.run("up")
    const { id } = await stage.stored()
    await stage.run("destroy")
    stage.program({ taken: { serviceId: 1, hostname: "web.example.com", adoptInstanceId: Number(id) } })
    await stage.run("up")
    expect((await stage.stored("taken")).id).toBe(id)
  }
}
