/** Somebody else was at work: what a refresh makes of it, and what the next up does. */
import { expect } from "vitest"
import type { Scenario } from "../scenarios.ts"
import { PASSWORD, type Stage } from "../Stage.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD, os: "debian-12" }
/** A little more than a month: what was bought then is due for renewal. */
const MONTH = 32 * 24 * 60 * 60_000
/** The time in which a top-up still renews what has expired, and a day. */
const GRACE = 8 * 24 * 60 * 60_000

const bought = async (stage: Stage, args: object = {}): Promise<string> => {
  await stage.control("PUT", "deploy", { mode: "instant" })
  stage.program({ web: { ...web, ...args } })
  await stage.run("up")
  return (await stage.stored()).id
}

/** An account whose wallet is empty after one purchase of the smallest plan. */
const poor = async (stage: Stage): Promise<number> => {
  const account = await stage.control("POST", "accounts", { email: "poor@example.test", wallet: 4.99 })
  stage.use(String(account["api_key"]))
  return Number(account["account_id"])
}

const status = async (stage: Stage): Promise<unknown> => (await stage.stored()).outputs["status"]

export const DRIFT: Record<string, Scenario> = {
  "stopped by somebody: a refresh shows it; without powerState it stays off": async (stage) => {
    const id = await bought(stage)
    await stage.ask("POST", `/instances/${id}/stop`)
    await stage.run("refresh")
    expect(await status(stage)).toBe("stopped")
    await stage.idle()
    expect(await status(stage)).toBe("stopped")
  },

  "stopped by somebody, with powerState running: the next up starts it": async (stage) => {
    const id = await bought(stage, { powerState: "running" })
    await stage.ask("POST", `/instances/${id}/stop`)
    await stage.run("refresh")
    expect(await status(stage)).toBe("stopped")
    await stage.run("up")
    expect((await stage.instances()).map((one) => one.status)).toEqual(["running"])
    expect(await status(stage)).toBe("running")
  },

  "renamed by somebody: a refresh shows it, the next up sets the program's name again": async (stage) => {
    const id = await bought(stage)
    await stage.ask("PATCH", `/instances/${id}/hostname`, { hostname: "other.example.com" })
    await stage.run("refresh")
    expect((await stage.stored()).outputs["hostname"]).toBe("other.example.com")
    await stage.run("up")
    expect((await stage.stored()).outputs["hostname"]).toBe("web.example.com")
    expect(stage.proxy.mutations().at(-1)).toBe(`PATCH /instances/${id}/hostname`)
  },

  "resized by somebody: a refresh shows the plan, and the program that follows it is at rest": async (stage) => {
    const id = await bought(stage)
    await stage.ask("POST", `/instances/${id}/resize`, { service_id: 2 })
    await stage.run("refresh")
    expect((await stage.stored()).outputs["serviceId"]).toBe(2)
    // Going back would be a downgrade without a refund, and it is shown before it is done.
    const preview = await stage.run("preview")
    expect(preview.output).toMatch(/resize to plan 1/)
    expect(preview.output).toMatch(/refund/)
    stage.program({ web: { ...web, serviceId: 2 } })
  },

  "put into rescue mode by somebody: with bootMode disk the next up brings it back": async (stage) => {
    const id = await bought(stage, { bootMode: "disk" })
    await stage.ask("POST", `/instances/${id}/rescue`)
    await stage.run("refresh")
    expect((await stage.stored()).outputs["bootMode"]).toBe("rescue")
    await stage.run("up")
    expect((await stage.instances()).map((one) => one.status)).toEqual(["running"])
  },

  "expired: a refresh keeps it and says so; a top-up renews it": async (stage) => {
    const account = await poor(stage)
    const id = await bought(stage)
    await stage.control("POST", "clock", { advance_ms: MONTH })
    const refreshed = await stage.run("refresh")
    expect(refreshed.output).toMatch(new RegExp(`server ${id} has expired`))
    expect(await status(stage)).toBe("expired")
    await stage.control("POST", "wallet", { account_id: account, amount: 20 })
    await stage.run("refresh")
    expect(await status(stage)).not.toBe("expired")
  },

  "vanished: proved by the account, taken out of the state, and never bought again silently": async (stage) => {
    await poor(stage)
    const id = await bought(stage)
    await stage.control("POST", "clock", { advance_ms: MONTH })
    await stage.control("POST", "clock", { advance_ms: GRACE })
    expect(await stage.instances()).toEqual([])
    await stage.run("refresh")
    expect(await stage.resources()).toEqual([])
    // The key has bought a server that is gone: only a new generation buys another.
    expect(await stage.fails("up")).toMatch(new RegExp(`server ${id}.*generation: 2`))
    stage.vanished = 1
    stage.ending = "refused"
  }
}
