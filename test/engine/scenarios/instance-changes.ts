/** Changes of an Instance: all inputs at once, what is refused, what came from outside. */
import * as Effect from "effect/Effect"
import { assert } from "vitest"
import { PanelBrowser, tokenIn } from "../../support/panel.ts"
import { type Environment, PASSWORD } from "../Environment.ts"
import { assertLike } from "../../support/like.ts"

const web = { serviceId: 1, hostname: "web.example.com", rootPassword: PASSWORD }

const KEY = `ssh-ed25519 ${Buffer.from(`\0\0\0\x0bssh-ed25519\0\0\0 ${"k".repeat(32)}`).toString("base64")} web`

/** Types of the instance's tasks since its purchase, oldest first; a night may fall into the run. */
const tasks = async (env: Environment): Promise<ReadonlyArray<string>> => {
  const { id } = await env.stored()
  const asked = (await env.tasks(id)).filter(({ type }) => type !== "backup_create")
  assert.deepStrictEqual(asked.filter(({ status }) => status !== "succeeded"), [])
  return asked.map(({ type }) => type).slice(1)
}

/** Calls the service past the proxy, as a user of the panel does, and waits until it is done. */
const outside = async (env: Environment, method: string, path: string, body?: unknown): Promise<void> => {
  const { id } = await env.stored()
  await env.ask(method, `/instances/${id}${path}`, body)
  await env.control("POST", "clock", { advance_ms: 1_000 })
}

/** A browser in which a seeded person has signed in to the panel; each can do so once per service. */
const signIn = async (env: Environment, role: "customer" | "operator") => {
  const browser = new PanelBrowser(env.service.origin)
  const post = async (path: string, body: object): Promise<void> => {
    const { body: answer, status } = await Effect.runPromise(browser.call({ method: "POST", path, body }))
    assertLike({ status, answer }, { status: 200 })
    await env.control("POST", "clock", { advance_ms: 1_000 })
  }
  const [ready = ""] = env.service.printed().split("\n")
  const links = (JSON.parse(ready) as { readonly sign_in: Readonly<Record<typeof role, string>> }).sign_in
  await post("/sign-in/link", { token: tokenIn(links[role]) })
  return post
}

export const INSTANCE_CHANGES = {
  "all inputs changed at once need one power cycle; the preview lists the steps and no replacement": async (
    env: Environment
  ) => {
    env.program({ web: { ...web, reinstallTriggers: ["a"] } })
    await env.run("up")
    const { id } = await env.stored()
    const next = {
      ...web,
      serviceId: 2,
      hostname: "www.example.com",
      os: "debian-13",
      sshPublicKey: KEY,
      couponCode: "WELCOME10",
      powerState: "running",
      bootMode: "disk",
      isoId: 2,
      deletionPolicy: "stop",
      allowDataLoss: true,
      reinstallTriggers: ["b"],
      passwordRotation: "1",
      snapshotBefore: "safe",
      waitFor: "running",
      // A limit that the host gives no charge for refuses the resize.
      ...env.showsAll ? { maxCharge: 9 } : {},
      timeouts: { update: "5m" }
    }
    env.program({ web: next })
    const steps =
      "power off, resize to plan 2, reinstall with debian-13, mount ISO 2, set the host name www.example.com, "
      + "set a new root password; this deletes everything on its disk"
    const { output } = await env.run("preview")
    assert.include(output, `web: steps for instance ${id}: take a snapshot (safe-...), ${steps}`)
    const charges = env.showsAll ? "charges" : "charges about"
    assert.match(
      output,
      new RegExp(String.raw`resizing instance \d+ from plan 1 \(VPS S\) to 2 \(VPS M\) ${charges} \d\.\d\d EUR now`)
    )
    await env.run("up")
    assert.deepStrictEqual(await tasks(env), [
      "snapshot_create",
      "stop",
      "resize",
      "reinstall",
      "iso_mount",
      "set_hostname",
      "reset_password"
    ])
    const { outputs } = await env.stored()
    assertLike(outputs, { serviceId: 2, os: "debian-13", isoId: 2, bootMode: "disk" })
    assert.deepStrictEqual([...(await env.powers()).values()], [true])
    assert.notProperty(outputs, "pendingSshKey")
    assert.match((await env.snapshotNames()).join(), /^safe-[^,]+$/)
    await env.run("refresh")
  },

  "refresh shows changes made outside, and the next up reverts them": async (env: Environment) => {
    const program = { ...web, os: "debian-12", powerState: "running", bootMode: "disk", isoId: 1, allowDataLoss: true }
    env.program({ web: program })
    await env.run("up")
    const mine = env.key
    env.key = String((await env.control("POST", "keys", { scopes: ["vps:write"] }))["api_key"])
    await outside(env, "POST", "/resize", { service_id: 2 })
    env.key = mine
    await outside(env, "PATCH", "/hostname", { hostname: "drift.example.com" })
    await outside(env, "POST", "/reinstall", { os: "alma-9" })
    await outside(env, "DELETE", "/iso")
    await outside(env, "POST", "/rescue")
    await outside(env, "POST", "/stop")
    const refreshed = (await env.run("refresh")).output.replaceAll(/\s+/g, " ")
    assert.match(refreshed, /was changed since the last update: serviceId from 1 to 2 \(resize with API key \d+ on 20/)
    assert.match(refreshed, /powerState from running to off \(stop with this API key on 20\S+Z\)/)
    const { inputs } = await env.stored()
    assertLike(inputs, {
      serviceId: 2,
      hostname: "drift.example.com",
      os: "alma-9",
      bootMode: "rescue",
      powerState: "off"
    })
    assert.notProperty(inputs, "isoId")
    await env.run("up")
    const { outputs } = await env.stored()
    // The engine encrypts it.
    assertLike(outputs, { ...program, rootPassword: (stored: unknown) => Boolean(stored), status: "running" })
  },

  "a plan and an ISO by name are those with the ids: another spelling changes nothing, and either resizes": async (
    env: Environment
  ) => {
    const { serviceId: _, ...rest } = web
    const [byName, byId] = [{ ...rest, plan: "vps-s", iso: "rescue" }, { ...rest, serviceId: 1, isoId: 1 }]
    env.program({ web: { ...byName, plan: "vps-x" } })
    assert.include(
      (await env.fails("preview")).replaceAll(/\s+/g, " "),
      "there is no plan \"vps-x\". Did you mean vps-l, vps-m or vps-s?"
    )
    env.program({ web: byName }, {}, "export const plan = web.plan\nexport const isoId = web.isoId")
    const { output } = await env.run("preview")
    assert.include(output, "web: buying VPS S charges 4.99 EUR now")
    await env.run("up")
    const made = await env.stored()
    assertLike(made.outputs, { plan: "vps-s", serviceId: 1, iso: "rescue", isoId: 1 })
    env.program({ web: byId })
    await env.idle()
    await env.run("refresh")
    env.program({ web: byName })
    await env.idle()
    const before = env.proxy.mutations().length
    env.program({ web: { ...byName, plan: "vps-m" } })
    await env.run("up")
    env.program({ web: { ...byName, plan: undefined, serviceId: 3 } })
    await env.run("up")
    assertLike((await env.stored()).outputs, { plan: "vps-l", serviceId: 3, iso: "rescue", isoId: 1 })
    assert.deepStrictEqual(
      env.proxy.mutations().slice(before).filter((call) => /resize|iso|instances$/.test(call)),
      Array.from({ length: 2 }, () => `POST /instances/${made.id}/resize`)
    )
  },

  "refresh names the panel, where a person changed an instance, and an operator": async (env: Environment) => {
    env.program({ web })
    await env.run("up")
    const { id } = await env.stored()
    const customer = await signIn(env, "customer")
    const operator = await signIn(env, "operator")
    await customer(`/accounts/1/v1/instances/${id}/resize`, { service_id: 2 })
    await operator("/operator/commands/instances.suspend", { id: Number(id), reason: "abuse" })
    const refreshed = (await env.run("refresh")).output.replaceAll(/\s+/g, " ")
    assert.match(refreshed, /serviceId from 1 to 2 \(resize in the panel on 20\S+Z\)/)
    assert.match(refreshed, /status from running to suspended \(suspend by an operator on 20\S+Z\)/)
    await operator("/operator/commands/instances.unsuspend", { id: Number(id) })
    const again = (await env.run("refresh")).output.replaceAll(/\s+/g, " ")
    assert.match(again, /status from suspended to running \(unsuspend by an operator on 20\S+Z\)/)
    env.program({ web: { ...web, serviceId: 2 } })
  }
}
