/** Changes from outside: the refresh that finds them, and the next up. */
import { expect } from "vitest"
import { type Environment, PASSWORD } from "../Environment.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD, os: "debian-12" }
/** A little more than a month: what was bought then is due for renewal. */
const MONTH = 32 * 24 * 60 * 60_000
/** The time in which a top-up still renews what has expired, and a day. */
const GRACE = 8 * 24 * 60 * 60_000

const bought = async (env: Environment, args: object = {}): Promise<string> => {
  await env.control("PUT", "deploy", { mode: "instant" })
  env.program({ web: { ...web, ...args } })
  await env.run("up")
  return (await env.stored()).id
}

/** An account whose wallet is empty after one purchase of the smallest plan. */
const poor = async (env: Environment): Promise<number> => {
  const account = await env.control("POST", "accounts", { email: "poor@example.test", wallet: 4.99 })
  env.use(String(account["api_key"]))
  return Number(account["account_id"])
}

const status = async (env: Environment): Promise<unknown> => (await env.stored()).outputs["status"]

export const DRIFT = {
  "stopped by somebody: a refresh shows it; without powerState it stays off": async (env: Environment) => {
    const id = await bought(env)
    await env.ask("POST", `/instances/${id}/stop`)
    await env.run("refresh")
    expect(await status(env)).toBe("stopped")
    await env.idle()
    expect(await status(env)).toBe("stopped")
  },

  "stopped by somebody, with powerState running: the next up starts it": async (env: Environment) => {
    const id = await bought(env, { powerState: "running" })
    await env.ask("POST", `/instances/${id}/stop`)
    await env.run("refresh")
    expect(await status(env)).toBe("stopped")
    await env.run("up")
    expect((await env.instances()).map((one) => one.status)).toEqual(["running"])
    expect(await status(env)).toBe("running")
  },

  "renamed by somebody: a refresh shows it, the next up sets the program's name again": async (env: Environment) => {
    const id = await bought(env)
    await env.ask("PATCH", `/instances/${id}/hostname`, { hostname: "other.example.com" })
    await env.run("refresh")
    expect((await env.stored()).outputs["hostname"]).toBe("other.example.com")
    await env.run("up")
    expect((await env.stored()).outputs["hostname"]).toBe("web.example.com")
    expect(env.proxy.mutations().at(-1)).toBe(`PATCH /instances/${id}/hostname`)
  },

  "resized by somebody: a refresh shows the plan, and the program that follows it is at rest": async (
    env: Environment
  ) => {
    const id = await bought(env)
    await env.ask("POST", `/instances/${id}/resize`, { service_id: 2 })
    await env.run("refresh")
    expect((await env.stored()).outputs["serviceId"]).toBe(2)
    // Going back would be a downgrade without a refund, and it is shown before it is done.
    const preview = await env.run("preview")
    expect(preview.output).toMatch(/resize to plan 1/)
    expect(preview.output).toMatch(/refund/)
    env.program({ web: { ...web, serviceId: 2 } })
  },

  "put into rescue mode by somebody: with bootMode disk the next up brings it back": async (env: Environment) => {
    const id = await bought(env, { bootMode: "disk" })
    await env.ask("POST", `/instances/${id}/rescue`)
    await env.run("refresh")
    expect((await env.stored()).outputs["bootMode"]).toBe("rescue")
    await env.run("up")
    expect((await env.instances()).map((one) => one.status)).toEqual(["running"])
  },

  "expired: a refresh keeps it and says so; a top-up renews it": async (env: Environment) => {
    const account = await poor(env)
    const id = await bought(env)
    await env.control("POST", "clock", { advance_ms: MONTH })
    const refreshed = await env.run("refresh")
    expect(refreshed.output).toMatch(new RegExp(`instance ${id} has expired`))
    expect(await status(env)).toBe("expired")
    await env.control("POST", "wallet", { account_id: account, amount: 20 })
    await env.run("refresh")
    expect(await status(env)).not.toBe("expired")
  },

  "vanished: proved by the account, taken out of the state, and never bought again silently": async (
    env: Environment
  ) => {
    await poor(env)
    const id = await bought(env)
    await env.control("POST", "clock", { advance_ms: MONTH })
    await env.control("POST", "clock", { advance_ms: GRACE })
    expect(await env.instances()).toEqual([])
    await env.run("refresh")
    expect(await env.resources()).toEqual([])
    // The key has bought a server that is gone: only a new generation buys another.
    expect(await env.fails("up")).toMatch(new RegExp(`instance ${id}.*generation: 2`))
    env.vanished = 1
    env.ending = "refused"
  }
}
