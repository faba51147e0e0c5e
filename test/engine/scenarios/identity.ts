/** A state that is used with another service or another account. */
import { assert } from "vitest"
import type { Instance } from "#contract/Instance"
import { startAnyHost } from "../../anyHost/startAnyHost.ts"
import type { StyleName } from "../../anyHost/Styles.ts"
import { startService } from "../../support/serviceProcess.ts"
import type { Environment } from "../Environment.ts"

const web = { serviceId: 1, hostname: "web.example.com" }
const RECORD = { web: { instanceId: "ref:web.id", ip: "ref:web.ipv4", ptr: "web.example.com" } }

export const IDENTITY = {
  "another service with the same account and instance numbers: every command fails, and nothing is changed": async (
    env: Environment
  ) => {
    const other = env.showsAll ? await startService("--emulator") : await startAnyHost(env.service.style as StyleName)
    try {
      const here = { VPS_BASE_URL: env.proxy.baseUrl, VPS_DELETION_POLICY: "" }
      const there = { VPS_BASE_URL: other.url, VPS_DELETION_POLICY: "stop" }
      const headers = { authorization: `Bearer ${other.apiKey}`, "content-type": "application/json" }
      const instances = async (): Promise<ReadonlyArray<Instance>> =>
        await (await fetch(`${other.url}/instances`, { headers })).json() as ReadonlyArray<Instance>
      env.program({ web }, RECORD)
      await env.run("up")
      env.stack.environment(there)
      // Without an instance of that number, and with one.
      for (const body of [undefined, JSON.stringify({ service_id: 1, hostname: "other.example.com" })]) {
        if (body !== undefined) await fetch(`${other.url}/instances`, { method: "POST", headers, body })
        const before = await instances()
        const reason = body === undefined ? "is at the service http" : "is not the one in the state"
        for (const verb of ["refresh", "preview", "up"] as const) assert.include(await env.fails(verb), reason)
        env.program({ web: { ...web, serviceId: 2, hostname: "www.example.com", powerState: "off" } }, RECORD)
        for (const verb of ["preview", "up", "destroy"] as const) assert.include(await env.fails(verb), reason)
        assert.include((await env.resources()).map(({ id }) => id), "1")
        assert.deepStrictEqual(
          (await instances()).map(({ order, status }) => [order.service_id, env.showsAll ? status : ""]),
          before.map(({ order }) => [order.service_id, env.showsAll ? "running" : ""])
        )
        env.program({ web }, RECORD)
      }
      env.stack.environment(here)
      await env.run("up")
    } finally {
      await other.end()
    }
  },

  "a key of another account fails the preview of a stack that would not change; a new key of its own is accepted":
    async (
      env: Environment
    ) => {
      env.program({ web })
      await env.run("up")
      env.use(String((await env.control("POST", "keys", { scopes: ["vps:write"] }))["api_key"]))
      await env.idle()
      const mine = env.key
      const { account_id, api_key } = await env.control("POST", "accounts", { email: "b@example.test", wallet: 100 })
      env.use(String(api_key))
      assert.include(
        await env.fails("preview"),
        env.showsAll
          ? `but the API key belongs to account ${account_id} (b@example.test)`
          : "but this host does not show the account of the API key, which has no such instance"
      )
      env.use(mine)
    }
}
