/** The ordinary life of a stack: preview, up, change, refresh, destroy. */
import type { Environment } from "../Environment.ts"
import { assert } from "vitest"
import { urnOf } from "../Stack.ts"
import { PASSWORD } from "../Environment.ts"
import { assertLike } from "../../support/like.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD, maxCharge: 5 }
const record = { instanceId: "ref:web.id", ip: "ref:web.ipv4", ptr: "web.example.com" }

export const LIFECYCLE = {
  "preview shows the charge, up buys it once, a second up changes nothing": async (env: Environment) => {
    env.program({ web }, { web: record })
    const preview = await env.run("preview")
    assert.include(
      preview.output,
      "web: buying VPS S charges 4.99 EUR now (billed monthly); remaining balance: 995.01 EUR"
    )
    await env.run("up")
    const { outputs } = await env.stored()
    assert.strictEqual((await env.powers()).get((await env.stored()).id), true)
    assertLike(outputs, {
      chargeAmount: 4.99,
      currency: "EUR",
      hostname: "web.example.com"
    })
    assert.deepStrictEqual(env.proxy.mutations(), [
      "POST /instances",
      `POST /instances/${(await env.stored()).id}/rdns`
    ])
  },

  "the state has the source position of the program, not of the provider": async (env: Environment) => {
    env.program({ web }, { web: record })
    await env.run("up")
    const { resources } = await env.stack.exportState()
    const places = resources.map(({ sourcePosition = "" }) => sourcePosition)
    for (const place of places) assert.match(place, /\/index\.js#\d+,\d+$/)
    assert.strictEqual(new Set(places).size, 2)
  },

  "a changed hostname and PTR record are updated in place": async (env: Environment) => {
    env.program({ web }, { web: record })
    await env.run("up")
    env.program({ web: { ...web, hostname: "www.example.com" } }, { web: { ...record, ptr: "www.example.com" } })
    const before = env.proxy.mutations().length
    await env.run("preview")
    await env.run("up")
    const { id, outputs } = await env.stored()
    assert.strictEqual(outputs["hostname"], "www.example.com")
    assert.strictEqual(await env.hostname(), "www.example.com")
    assert.deepStrictEqual(env.proxy.mutations().slice(before).toSorted(), [
      `PATCH /instances/${id}/hostname`,
      `POST /instances/${id}/rdns`
    ])
  },

  "refresh keeps secrets encrypted and finds no changes": async (env: Environment) => {
    env.program({ web }, { web: record })
    await env.run("up")
    await env.run("refresh")
  },

  "destroy fails by default; VPS_DELETION_POLICY=stop powers off; up continues with the instance": async (
    env: Environment
  ) => {
    env.program({ web }, { web: record })
    await env.run("up")
    const refusal = await env.fails("destroy")
    assert.match(refusal, /(was not destroyed or changed|cannot be destroyed): its deletion policy is "fail"/)
    assert.include(refusal, "renews for 4.99 EUR monthly")
    assert.include(refusal, "VPS_DELETION_POLICY=stop")
    env.stack.environment({ VPS_DELETION_POLICY: "stop" })
    const destroyed = await env.run("destroy")
    assert.match(destroyed.output, /instance \d+ is powered off and is no longer in the state/)
    assert.deepStrictEqual([...(await env.powers()).values()], [false])
    assert.deepStrictEqual(await env.resources(), [])
    await env.run("up")
    assert.deepStrictEqual([...(await env.powers()).values()], [true])
  },

  "a new generation is rejected by the policy fail; with stop it buys, and powers off the old instance": async (
    env: Environment
  ) => {
    env.program({ web })
    await env.run("up")
    const { id } = await env.stored()
    env.program({ web: { ...web, generation: 2 } })
    assert.include(await env.fails("preview"), `a changed generation buys a new instance and deletes instance ${id}`)
    assert.strictEqual(await env.charges(), 1)
    env.program({ web: { ...web, generation: 2, deletionPolicy: "stop" } })
    await env.run("up")
    assert.notStrictEqual((await env.stored()).id, id)
    assert.strictEqual((await env.powers()).get(id), false)
    env.unmanaged = 1
  },

  "`up --replace` of a new instance returns the same instance unchanged": async (env: Environment) => {
    env.program({ web: { ...web, deletionPolicy: "stop" } })
    await env.run("up")
    const { id } = await env.stored()
    const replaced = await env.run("up", { replace: [urnOf("vps:Instance", "web")] })
    assert.include(replaced.output, "the instance is unchanged")
    assert.strictEqual((await env.stored()).id, id)
    // Without the keys in the orders, the key is sent again; without a documented status, it is started in any case.
    const again = env.showsAll ? [] : ["POST /instances", `POST /instances/${id}/start`]
    assert.deepStrictEqual(env.proxy.mutations(), ["POST /instances", ...again])
  },

  "a mistyped key of the configuration is refused with the nearest name": async (env: Environment) => {
    env.program({ web })
    await env.stack.configure("maxChargePerUpdates", "1", "plain")
    assert.include(
      await env.fails("preview"),
      "vps:maxChargePerUpdates is not a setting. Did you mean maxChargePerUpdate?"
    )
    env.ending = "refused"
  },

  "an API key in the configuration is rejected as plain text and stays encrypted as a secret": async (
    env: Environment
  ) => {
    env.stack.environment({ VPS_API_KEY: "" })
    env.program({ web })
    await env.stack.configure("apiKey", "plain-text-key", "plain")
    assert.include(await env.fails("preview"), "vps:apiKey is set in plain text, which would be stored in the state")
    await env.stack.configure("apiKey", env.service.apiKey, "secret")
    await env.run("up")
    await env.run("refresh")
  }
}
