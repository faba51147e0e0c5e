import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { Environment, TASK_TIME } from "../Environment.ts"
import { type Stored, up } from "../Runs.ts"
import { assertExactlyLike } from "../../support/like.ts"

const program = { serviceId: 1, hostname: "web.example.com", os: "debian-12", bootMode: "disk", isoId: 1 }

const bought = async (): Promise<{ env: Environment; stored: Stored }> => {
  const env = await Environment.make()
  const stored = await up(env.session(), { ...program, powerState: "running" })
  await env.advance(TASK_TIME)
  return { env, stored }
}
const refresh = (env: Environment, { id, outputs }: Stored) => instanceLifecycle.read(env.session(), id, outputs)
const drift = (env: Environment): ReadonlyArray<string> =>
  env.lines.filter((line) => line.includes("was changed since"))
    .map((line) => line.replaceAll(/2026-03-01T12:01:0\d\.\d{3}Z/g, "<time>"))

describe("a refresh", () => {
  it("names the API key that changed an instance, the operation and its time, once", async () => {
    const { env, stored } = await bought()
    const { api_key } = await env.emulator.keys.mint({ scopes: ["vps:write"] })
    const other = env.emulator.client({ apiKey: api_key })
    await env.outside(() => other.power.stop(1))
    await env.outside(() => other.instances.resize(1, { service_id: 2 }))
    await env.outside((mine) => mine.instances.hostname(1, { hostname: "www.example.com" }))
    const seen = await refresh(env, stored)
    assert.deepStrictEqual(drift(env), [
      "info web: instance 1 was changed since the last update: "
      + "serviceId from 1 to 2 (resize with API key 2 on <time>); "
      + "hostname (set_hostname with this API key on <time>); "
      + "status from running to stopped (stop with API key 2 on <time>); "
      + "powerState from running to off (stop with API key 2 on <time>)"
    ])
    env.lines.length = 0
    await refresh(env, { ...stored, outputs: seen!.outputs })
    assert.deepStrictEqual(drift(env), [])
  })
  it("names the reinstallation that turned an instance on", async () => {
    const env = await Environment.make()
    const stored = await up(env.session(), { ...program, powerState: "off" })
    await env.advance(TASK_TIME)
    await env.outside((mine) => mine.instances.reinstall(1, { os: "debian-12" }))
    await refresh(env, stored)
    assertExactlyLike(drift(env), [/powerState from off to running \(reinstall with this API key on /])
  })
  it("names the panel, an operator, and an update of another stack", async () => {
    const { env, stored } = await bought()
    await env.emulator.admin("instances.suspend", { id: 1, reason: "abuse" })
    await env.advance(TASK_TIME)
    await refresh(env, stored)
    assertExactlyLike(drift(env), [/status from running to suspended \(suspend by an operator on /])
    env.lines.length = 0
    const { tasks } = env.api
    const session = env.session()
    const by = (fields: object) =>
      Object.assign(session.api, {
        tasks: async (id: number) => {
          const page = await tasks(id)
          return { ...page, items: (page.items ?? []).map((task) => ({ ...task, ...fields })) }
        }
      })
    for (
      const [fields, who] of [
        [{ actor: "panel", api_key_id: null }, "in the panel"],
        [{ actor: "system", api_key_id: null }, "by the service"],
        [{ actor: "api_key", api_key_id: 9, request_id: "pulumi-1" }, "by Pulumi with API key 9"]
      ] as const
    ) {
      by(fields)
      await instanceLifecycle.read(session, stored.id, stored.outputs)
      assert.include(drift(env).at(-1), `(suspend ${who} on`)
    }
  })
  it("shows a change that has no task, also when the feed cannot be read", async () => {
    const { env, stored } = await bought()
    env.override(1, { auto_renew: false })
    env.faults.fail("tasks", new Error("unavailable"))
    await refresh(env, stored)
    assert.deepStrictEqual(drift(env), [
      "info web: instance 1 was changed since the last update: autoRenew from true to false "
      + "(the activity feed does not show by whom)"
    ])
  })
  it("of an instance without changes requests no feed", async () => {
    const { env, stored } = await bought()
    env.calls.length = 0
    await refresh(env, stored)
    assert.strictEqual(env.count("tasks"), 0)
    assert.deepStrictEqual(drift(env), [])
  })
})
