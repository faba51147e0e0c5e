/** Interruptions: killed engines, corrected programs, wrong keys, slow instances, empty wallets. */
import type { Environment } from "../Environment.ts"
import { expect } from "vitest"
import { isPurchase, killedUp, purchases } from "../Purchases.ts"
import { PASSWORD } from "../Environment.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD }

export const INTERRUPTIONS = {
  "killed right after the POST was sent: the next up yields the same server, one charge": async (env: Environment) => {
    env.program({ web })
    await killedUp(env)
    const [bought] = await env.instances()
    const result = await env.run("up")
    expect(result.output).toContain("by an earlier run; continuing with it, nothing is charged")
    expect((await env.stored()).id).toBe(String(bought?.id))
    expect(purchases(env)).toBe(1)
  },

  "killed, and the hostname corrected: the same server, with the corrected name": async (env: Environment) => {
    env.program({ web })
    await killedUp(env)
    env.program({ web: { ...web, hostname: "www.example.com" } })
    await env.run("up")
    expect((await env.stored()).outputs["hostname"]).toBe("www.example.com")
  },

  "killed, and another plan: the same server, resized for the charge that the preview shows": async (
    env: Environment
  ) => {
    env.program({ web })
    await killedUp(env)
    env.program({ web: { ...web, serviceId: 2 } })
    const preview = await env.run("preview")
    expect(preview.output).toMatch(/resizing instance \d+ from plan 1 \(VPS S\) to 2 \(VPS M\) charges 5\.00 EUR now/)
    await env.run("up")
    expect((await env.stored()).outputs).toMatchObject({ serviceId: 2, status: "running", chargeAmount: 4.99 })
    expect(purchases(env)).toBe(1)
  },

  "the engine alone killed: its orphaned provider does nothing more, and the next up goes on": async (
    env: Environment
  ) => {
    env.program({ web }, { web: { instanceId: "ref:web.id", ip: "ref:web.ipv4", ptr: "web.example.com" } })
    const held = env.proxy.hold(isPurchase)
    const running = env.start("up")
    await held.reached
    const orphans = running.descendants()
    await running.killEngine()
    await held.carryOut()
    const before = env.proxy.seen.length
    held.answer()
    await orphans.providersGone().finally(() => orphans.kill())
    expect(env.proxy.seen.slice(before)).toEqual([])
    await env.stack.cancel()
    await env.run("up")
    expect(purchases(env)).toBe(1)
  },

  "another account's key: refresh fails, says whose server it is, and the state keeps it": async (env: Environment) => {
    env.program({ web })
    await env.run("up")
    const { id, outputs } = await env.stored()
    const other = await env.control("POST", "accounts", { email: "other@example.test", wallet: 100 })
    env.stack.environment({ VPS_API_KEY: String(other["api_key"]) })
    expect(await env.fails("refresh"))
      .toContain(
        `instance ${id} belongs to account ${String(outputs["userId"])}, but the API key belongs to account ${
          String(other["account_id"])
        }`
      )
    expect((await env.stored()).id).toBe(id)
    env.stack.environment({ VPS_API_KEY: "vps_live_wrong" })
    expect(await env.fails("refresh")).toContain("the API key was rejected (401)")
    env.stack.environment({ VPS_API_KEY: env.service.apiKey })
  },

  "a machine slower than the timeout: its id is saved, and the next up waits on": async (env: Environment) => {
    await env.control("PUT", "deploy", { mode: "after_ms", value: 4_000 })
    env.program({ web: { ...web, timeouts: { create: "1s" } } })
    expect(await env.fails("up")).toContain("It is paid for and will not be charged again")
    expect((await env.stored()).initErrors).toHaveLength(1)
    await env.run("up")
    expect((await env.stored()).outputs["status"]).toBe("running")
  },

  "a wallet for one of two servers: the preview fails, nothing is bought": async (env: Environment) => {
    const poor = await env.control("POST", "accounts", { email: "poor@example.test", wallet: 6 })
    env.use(String(poor["api_key"]))
    env.program({ web, db: { serviceId: 1 } })
    expect(await env.fails("preview")).toContain(
      "the 2 purchases planned so far cost 9.98 EUR, which exceeds the wallet balance (6.00 EUR)"
    )
    env.program({ web: { ...web, maxCharge: 4 } })
    expect(await env.fails("preview")).toContain("the charge of 4.99 EUR exceeds maxCharge 4.00 EUR")
    env.ending = "refused"
  },

  "no key at all: the preview says how to set one": async (env: Environment) => {
    env.stack.environment({ VPS_API_KEY: "" })
    env.program({ web })
    expect(await env.fails("preview")).toContain("no API key is set. Set VPS_API_KEY")
    env.ending = "refused"
  }
}
