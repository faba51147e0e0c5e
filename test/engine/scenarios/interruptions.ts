/** Interruptions: killed engines, wrong keys, slow and deleted instances. */
import type { Environment } from "../Environment.ts"
import { assert } from "vitest"
import { isPurchase, killedUp, purchases } from "../Purchases.ts"
import { PASSWORD } from "../Environment.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD }

/** ms; a little more than a month, so that the renewal is due. */
const MONTH = 32 * 24 * 60 * 60_000
/** ms; the time in which a top-up still renews an expired instance, and a day. */
const GRACE = 8 * 24 * 60 * 60_000

export const INTERRUPTIONS = {
  "killed right after the POST: the next up continues with the same instance, charged once": async (
    env: Environment
  ) => {
    env.program({ web })
    await killedUp(env)
    const [bought] = await env.instances()
    const result = await env.run("up")
    assert.strictEqual((await env.stored()).id, String(bought?.id))
    // Without the keys in the orders, the key is sent again, and returns what it has bought.
    if (!env.showsAll) return
    assert.match(result.output, /by an earlier run; continuing with it, nothing is charged|: already bought \(instance/)
    assert.strictEqual(purchases(env), 1)
  },

  "only the engine is killed: its provider stops, and the next up continues": async (
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
    assert.deepStrictEqual(env.proxy.seen.slice(before), [])
    await env.stack.cancel()
    await env.run("up")
    assert.strictEqual(env.showsAll ? purchases(env) : await env.charges(), 1)
  },

  "with another account's key, refresh fails, names the owner, and keeps the state": async (env: Environment) => {
    env.program({ web })
    await env.run("up")
    const { id, outputs } = await env.stored()
    const other = await env.control("POST", "accounts", { email: "other@example.test", wallet: 100 })
    env.stack.environment({ VPS_API_KEY: String(other["api_key"]) })
    assert.include(
      await env.fails("refresh"),
      `instance ${id} belongs to account ${String(outputs["userId"])}, but ${
        env.showsAll
          ? `the API key belongs to account ${String(other["account_id"])}`
          : "this host does not show the account of the API key"
      }`
    )
    assert.strictEqual((await env.stored()).id, id)
    env.stack.environment({ VPS_API_KEY: "vps_live_wrong" })
    assert.include(await env.fails("refresh"), "the API key was rejected (401)")
    env.stack.environment({ VPS_API_KEY: env.service.apiKey })
  },

  "provisioning takes longer than the timeout: the ID is saved, and the next up waits again": async (
    env: Environment
  ) => {
    await env.control("PUT", "deploy", { mode: "after_ms", value: 4_000 })
    env.program({ web: { ...web, timeouts: { create: "1s" } } })
    assert.include(await env.fails("up"), "It is paid for and will not be charged again")
    assert.lengthOf((await env.stored()).initErrors, 1)
    await env.run("up")
    assert.deepStrictEqual([...(await env.powers()).values()], [true])
  },

  "a deleted instance leaves the state once the account is checked, and is not bought again": async (
    env: Environment
  ) => {
    // Pays for one period of the smallest plan.
    const poor = await env.control("POST", "accounts", { email: "poor@example.test", wallet: 4.99 })
    env.use(String(poor["api_key"]))
    env.program({ web })
    await env.run("up")
    await env.control("POST", "clock", { advance_ms: MONTH })
    await env.control("POST", "clock", { advance_ms: GRACE })
    assert.deepStrictEqual(await env.instances(), [])
    await env.run("refresh")
    assert.deepStrictEqual(await env.resources(), [])
    const again = env.words.assign("generation", 2)
    const gone = `already bought an instance, which no longer exists. Nothing was charged. Set ${again}`
    assert.include(await env.fails("preview"), gone)
    assert.include(await env.fails("up"), gone)
    env.deleted = 1
    env.ending = "refused"
  }
}
