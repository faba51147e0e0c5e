/** The resources attached to an instance: snapshots, PTR records, restores, the component, functions. */
import { assert } from "vitest"
import type { Environment } from "../Environment.ts"
import { assertLike } from "../../support/like.ts"

const web = { serviceId: 1, hostname: "web.example.com" }

/** The program of one instance, and more lines. */
const program = (env: Environment, more: string, args: object = web): void => env.program({ web: args }, {}, more)
const snapshot = (name: string, more = "") =>
  `const snap = new vps.Snapshot("snap", { instanceId: web.id, name: "${name}"${more} })`

const names = (env: Environment): Promise<ReadonlyArray<string>> => env.snapshotNames()

/** The number of the instance's tasks of this type. */
const count = async (env: Environment, type: string): Promise<number> => {
  const [instance] = await env.instances()
  return (await env.tasks(instance?.id)).filter((task) => task.type === type).length
}

const of = async (env: Environment, type: string) => {
  const found = (await env.resources()).find((one) => one.type.endsWith(`:${type}`) && !one.delete)
  if (found === undefined) throw new Error(`the state holds no ${type}`)
  return found
}

const restore = (trigger: string, allow: boolean) =>
  `${snapshot("kept")}\nnew vps.SnapshotRestore("back", { instanceId: web.id, snapshotId: snap.snapshotId, `
  + `triggers: ["${trigger}"], allowDataLoss: ${allow} })`

/** Removes the server and all that belongs to it, which leaves it powered off and paid for. */
const destroy = async (env: Environment): Promise<string> => {
  env.stack.environment({ VPS_DELETION_POLICY: "stop" })
  const { output } = await env.run("destroy")
  env.ending = "destroyed"
  env.unmanaged = 1
  return output
}

export const ATTACHED = {
  "a snapshot is taken once; a new name takes another one; destroy deletes it": async (
    env: Environment
  ) => {
    program(env, snapshot("first"))
    await env.run("up")
    assertLike((await of(env, "Snapshot")).outputs, { name: "first", ...env.showsAll ? { status: "available" } : {} })
    await env.idle()
    program(env, snapshot("second"))
    await env.run("preview")
    await env.run("up")
    assert.deepStrictEqual(await names(env), ["second"])
    await env.run("refresh")
    await env.idle()
    await destroy(env)
    assert.deepStrictEqual(await names(env), ["second"])
  },

  "destroy with --refresh follows the deletion policies": async (
    env: Environment
  ) => {
    program(env, snapshot("first"))
    await env.run("up")
    env.stack.environment({ VPS_DELETION_POLICY: "stop" })
    await env.run("destroy", { refresh: true })
    assert.deepStrictEqual([...(await env.powers()).values()], [false])
    assert.deepStrictEqual(await names(env), ["first"])
    env.ending = "destroyed"
    env.unmanaged = 1
  },

  "a refused destroy changes nothing, and the next up restores the state": async (
    env: Environment
  ) => {
    const parts = `${restore("one", true)}
      new vps.ReverseDns("ptr", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com", onDelete: {
        resetTo: "static.example.net" } })`
    program(env, parts)
    await env.run("up")
    program(env, parts.replace("\"one\"", "\"two\""))
    await env.run("up")
    const before = { ids: (await env.snapshots()).map(({ id }) => id), ptr: (await of(env, "ReverseDns")).id }
    await env.control("POST", "clock", { advance_ms: 2 * 86_400_000 })
    const mutations = env.proxy.mutations().length
    assert.include(await env.fails("destroy"), "was not destroyed or changed")
    assert.deepStrictEqual(env.proxy.mutations().slice(mutations), [])
    await env.run("up")
    assert.deepStrictEqual(
      { ids: (await env.snapshots()).map(({ id }) => id), ptr: (await of(env, "ReverseDns")).id },
      before
    )
    assert.strictEqual(await count(env, "snapshot_restore"), 2)
    const left = await destroy(env)
    assert.match(left, /It keeps its snapshots \(id \d+;/)
    assert.notInclude(left, "static.example.net")
    assert.deepStrictEqual((await env.snapshots()).map(({ id }) => id), before.ids)
  },

  "a refused destroy deletes no snapshot without deletedWith either": async (env: Environment) => {
    program(env, "")
    await env.run("up")
    // A number in place of the output hides from the SDK that the snapshot belongs to the instance, as in YAML.
    const { id } = await env.stored()
    program(
      env,
      `new vps.Snapshot("kept", { instanceId: "${id}", name: "kept" }, { dependsOn: [web] })
      new vps.Snapshot("removed", { instanceId: "${id}", name: "removed" }, { dependsOn: [web] })`
    )
    await env.run("up")
    // A run that keeps the instance deletes a snapshot that was removed from the program.
    program(env, `new vps.Snapshot("kept", { instanceId: "${id}", name: "kept" }, { dependsOn: [web] })`)
    await env.run("up")
    assert.deepStrictEqual(await names(env), ["kept"])
    const mutations = env.proxy.mutations().length
    assert.include(await env.fails("destroy"), `("kept") of instance ${id} was not deleted`)
    assert.deepStrictEqual(env.proxy.mutations().slice(mutations), [])
    await env.idle()
    await destroy(env)
    assert.deepStrictEqual(await names(env), [])
  },

  "a new generation replaces attached resources, as previewed; the old instance keeps its snapshots": async (
    env: Environment
  ) => {
    const parts = `${snapshot("first")}
      new vps.ReverseDns("ptr", { instanceId: web.id, ip: web.ipv4, ptr: "web.example.com" })`
    const args = { ...web, deletionPolicy: "forget" }
    program(env, parts, args)
    await env.run("up")
    const old = (await env.stored()).id
    program(env, parts, { ...args, generation: 2 })
    const { output } = await env.run("preview")
    assert.lengthOf(output.match(/\+-.*(?:Instance|Snapshot|ReverseDns)/g)!, 3)
    await env.run("up")
    assert.deepStrictEqual(await env.snapshotNames(old), ["first"])
    assert.deepStrictEqual(await env.snapshotNames((await env.stored()).id), ["first"])
    env.unmanaged = 1
  },

  "an IPv6 address in another spelling is the same PTR record": async (env: Environment) => {
    program(env, "")
    await env.run("up")
    const [instance] = await env.instances()
    const { ipv6 } = JSON.parse(instance?.provider_data ?? "{}") as { readonly ipv6: string }
    const record = (ip: string) =>
      `new vps.ReverseDns("ptr", { instanceId: web.id, ip: "${ip}", ptr: "web.example.com", onDelete: {
        resetTo: "static.example.net" } })`
    program(env, record(ipv6))
    await env.run("up")
    const requests = env.proxy.mutations().length
    const zeros = 9 - ipv6.split(":").length
    const spelled = ipv6.toUpperCase().replace("::", `:${"0:".repeat(zeros)}`)
    assert.lengthOf(spelled.split(":"), 8)
    program(env, record(spelled))
    assert.notInclude((await env.run("preview")).output, "+-")
    await env.run("up")
    assert.lengthOf(env.proxy.mutations(), requests)
  },

  "a restore runs once per change of triggers, and only with allowDataLoss": async (env: Environment) => {
    program(env, restore("one", false))
    assert.include(await env.fails("preview"), `Set ${env.words.assign("allowDataLoss", true)} to allow it`)
    program(env, restore("one", true))
    await env.run("up")
    await env.idle()
    program(env, restore("one", false))
    await env.run("up")
    assert.strictEqual(await count(env, "snapshot_restore"), 1)
    program(env, restore("two", false))
    assert.include(await env.fails("preview"), "newer data on it is lost")
    program(env, restore("two", true))
    await env.run("up")
    assert.strictEqual(await count(env, "snapshot_restore"), 2)
    assert.notInclude(await destroy(env), "error")
    assert.strictEqual(await count(env, "snapshot_restore"), 2)
  },

  "a component creates an instance, its PTR record, and a snapshot; functions and costs are outputs": async (
    env: Environment
  ) => {
    const args = "{ serviceId: 1, hostname: \"web.example.com\", firstSnapshot: \"as-installed\" }"
    env.stack.program([
      "import * as vps from \"pulumi-vps/provider\"",
      `const web = new vps.VpsServer("web", ${args})`,
      "export const cost = vps.costSummary([web])",
      "export const { length: plans } = await vps.getPlans()",
      "export const seen = vps.getInstanceOutput({ instanceId: web.instance.id }).ipv4",
      "export const address = web.ipv4"
    ].join("\n"))
    assert.include((await env.run("preview")).output, "charges 4.99 EUR now")
    await env.run("up")
    const urns = (await env.resources()).map(({ urn }) => urn).filter((urn) => urn.includes("vps:index:VpsServer$"))
    assert.deepStrictEqual(urns.map((urn) => urn.split(":").at(-3)).toSorted(), ["Instance", "ReverseDns", "Snapshot"])
    assert.deepStrictEqual(await names(env), ["as-installed"])
  }
}
