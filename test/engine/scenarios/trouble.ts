/** What goes wrong: killed engines, corrected programs, wrong keys, slow machines, empty wallets. */
import { expect } from "vitest"
import { isPurchase, killedUp, purchases } from "../Purchases.ts"
import type { Scenario } from "../scenarios.ts"
import { PASSWORD } from "../Stage.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD }

export const TROUBLE: Record<string, Scenario> = {
  "killed right after the POST was sent: the next up yields the same server, one charge": async (stage) => {
    stage.program({ web })
    await killedUp(stage)
    const [bought] = await stage.instances()
    const result = await stage.run("up")
    expect(result.output).toContain("by an earlier run; going on with it, nothing is charged")
    expect((await stage.stored()).id).toBe(String(bought?.id))
    expect(purchases(stage)).toBe(1)
  },

  "killed, and the hostname corrected: the same server, with the corrected name": async (stage) => {
    stage.program({ web })
    await killedUp(stage)
    stage.program({ web: { ...web, hostname: "www.example.com" } })
    await stage.run("up")
    expect((await stage.stored()).outputs["hostname"]).toBe("www.example.com")
  },

  "killed, and another plan: the same server, resized for the charge that the preview shows": async (stage) => {
    stage.program({ web })
    await killedUp(stage)
    stage.program({ web: { ...web, serviceId: 2 } })
    const preview = await stage.run("preview")
    expect(preview.output).toMatch(/resizing server \d+ from plan 1 \(VPS S\) to 2 \(VPS M\) charges 5\.00 EUR now/)
    await stage.run("up")
    expect((await stage.stored()).outputs).toMatchObject({ serviceId: 2, status: "running", chargeAmount: 4.99 })
    expect(purchases(stage)).toBe(1)
  },

  "the engine alone killed: its orphaned provider does nothing more, and the next up goes on": async (stage) => {
    stage.program({ web }, { web: { instanceId: "ref:web.id", ip: "ref:web.ipv4", ptr: "web.example.com" } })
    const held = stage.proxy.hold(isPurchase)
    const running = stage.start("up")
    await held.reached
    const orphans = running.descendants()
    await running.killEngine()
    await held.carryOut()
    const before = stage.proxy.seen.length
    held.answer()
    await orphans.providersGone().finally(() => orphans.kill())
    expect(stage.proxy.seen.slice(before)).toEqual([])
    await stage.stack.cancel()
    await stage.run("up")
    expect(purchases(stage)).toBe(1)
  },

  "another account's key: refresh fails, says whose server it is, and the state keeps it": async (stage) => {
    stage.program({ web })
    await stage.run("up")
    const { id, outputs } = await stage.stored()
    const other = await stage.control("POST", "accounts", { email: "other@example.test", wallet: 100 })
    stage.stack.environment({ VPS_API_KEY: String(other["api_key"]) })
    expect(await stage.fails("refresh"))
      .toContain(
        `server ${id} belongs to account ${String(outputs["userId"])}; this key is of account ${
          String(other["account_id"])
        }`
      )
    expect((await stage.stored()).id).toBe(id)
    stage.stack.environment({ VPS_API_KEY: "vps_live_wrong" })
    expect(await stage.fails("refresh")).toContain("the API key was refused (401)")
    stage.stack.environment({ VPS_API_KEY: stage.service.apiKey })
  },

  "a machine slower than the timeout: its id is saved, and the next up waits on": async (stage) => {
    await stage.control("PUT", "deploy", { mode: "after_ms", value: 4_000 })
    stage.program({ web: { ...web, timeouts: { create: "1s" } } })
    expect(await stage.fails("up")).toContain("It is paid for and will not be charged again")
    expect((await stage.stored()).initErrors).toHaveLength(1)
    await stage.run("up")
    expect((await stage.stored()).outputs["status"]).toBe("running")
  },

  "a wallet for one of two servers: the preview fails, nothing is bought": async (stage) => {
    const poor = await stage.control("POST", "accounts", { email: "poor@example.test", wallet: 6 })
    stage.use(String(poor["api_key"]))
    stage.program({ web, db: { serviceId: 1 } })
    expect(await stage.fails("preview")).toContain(
      "the 2 purchases planned so far cost 9.98 EUR, which is more than the wallet holds (6.00 EUR)"
    )
    stage.program({ web: { ...web, maxCharge: 4 } })
    expect(await stage.fails("preview")).toContain("the charge of 4.99 EUR is over maxCharge 4.00 EUR")
    stage.ending = "refused"
  },

  "no key at all: the preview says how to set one": async (stage) => {
    stage.stack.environment({ VPS_API_KEY: "" })
    stage.program({ web })
    expect(await stage.fails("preview")).toContain("no API key is set. Set VPS_API_KEY")
    stage.ending = "refused"
  }
}
