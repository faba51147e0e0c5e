/** Purchases of several instances in one update: the limit of their charges, and what a preview says about them. */
import { expect } from "vitest"
import type { Environment } from "../Environment.ts"

const THREE = { a: { serviceId: 1 }, b: { serviceId: 1 }, c: { serviceId: 1 } }

/** Three more, one after the other: the plan of each is known when the one before is bought. */
const CHAIN = [
  "const d = new vps.Instance(\"d\", { serviceId: 1 }, { dependsOn: [a, b, c] })",
  "const e = new vps.Instance(\"e\", { serviceId: d.id.apply(() => 1) })",
  "new vps.Instance(\"f\", { serviceId: e.id.apply(() => 1) }, { dependsOn: [d] })"
].join("\n")

export const PURCHASES = {
  "maxChargePerUpdate limits simultaneous and dependent purchases; the next update has its own limit": async (
    env: Environment
  ) => {
    env.stack.environment({ VPS_MAX_CHARGE_PER_UPDATE: "12" })
    env.program(THREE)
    const refused = "the 3 purchases planned so far cost 14.97 EUR, which exceeds vps:maxChargePerUpdate"
    expect(await env.fails("preview")).toContain(refused)
    expect(await env.fails("up")).toContain(refused)
    expect(await env.charges()).toBeLessThanOrEqual(2)
    await env.counts()
    await env.run("up")
    expect(await env.charges()).toBe(3)
    env.program(THREE, {}, CHAIN)
    const said = await env.fails("up", { parallel: 1 })
    expect(said).toContain(refused)
    expect(said).toContain("this update has already bought d, e for 9.98 EUR")
    expect(await env.charges()).toBe(5)
    await env.counts()
    // The next update has a limit of its own; what an earlier one has bought costs nothing.
    const { output } = await env.run("up")
    expect(output).toContain("f: buying VPS S charges 4.99 EUR now (billed monthly); remaining balance: 970.06 EUR")
  }
}
