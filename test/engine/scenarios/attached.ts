/** The resources attached to an instance: snapshots, PTR records, restores, the component, functions. */
import { expect } from "vitest"
import type { Snapshot } from "#contract/Snapshots"
import type { Environment } from "../Environment.ts"

const web = { serviceId: 1, hostname: "web.example.com" }
const QUOTA = 3

/** The program of one instance, and more lines. */
const program = (env: Environment, more: string, args: object = web): void => env.program({ web: args }, {}, more)
const snapshot = (name: string, more = "") =>
  `const snap = new vps.Snapshot("snap", { instanceId: web.id, name: "${name}"${more} })`

const snapshots = async (env: Environment): Promise<ReadonlyArray<Snapshot>> => {
  const [instance] = await env.instances()
  return await env.ask("GET", `/instances/${instance?.id}/snapshots`)
}
const names = async (env: Environment): Promise<ReadonlyArray<string>> =>
  (await snapshots(env)).map(({ name }) => name).toSorted()

/** The number of the instance's tasks of this type. */
const count = async (env: Environment, type: string): Promise<number> => {
  const [instance] = await env.instances()
  const feed = await env.ask<{ items: ReadonlyArray<{ type: string }> }>(
    "GET",
    `/instances/${instance?.id}/tasks?limit=100`
  )
  return feed.items.filter((task) => task.type === type).length
}

const of = async (env: Environment, type: string) => {
  const found = (await env.resources()).find((one) => one.type.endsWith(`:${type}`) && !one.delete)
  if (found === undefined) throw new Error(`the state holds no ${type}`)
  return found
}

/** An `up` that is killed at the request that matches, before or after the service has carried it out. */
const killed = async (env: Environment, method: string, path: RegExp, moment: "before" | "after"): Promise<void> => {
  const held = env.proxy.hold((seen) => seen.method === method && path.test(seen.path))
  const running = env.start("up")
  await held.reached
  if (moment === "after") await held.carryOut()
  await running.kill()
  await env.stack.cancel()
}

const restore = (trigger: string, allow: boolean) =>
  `${snapshot("kept")}\nnew vps.SnapshotRestore("back", { instanceId: web.id, snapshotId: snap.snapshotId, `
  + `triggers: ["${trigger}"], allowDataLoss: ${allow} })`

/** Removes the server and all that belongs to it, which leaves it powered off and paid for. */
const destroy = async (env: Environment): Promise<string> => {
  env.stack.environment({ VPS_DELETION_POLICY: "stop" })
  const { output } = await env.run("destroy")
  env.ending = "destroyed"
  env.forgotten = 1
  return output
}

export const ATTACHED = {
  "a snapshot is taken once and waited for; renamed it is taken anew; destroyed it is deleted": async (
    env: Environment
  ) => {
    program(env, snapshot("first"))
    await env.run("up")
    expect((await of(env, "Snapshot")).outputs).toMatchObject({ name: "first", status: "available" })
    await env.idle()
    program(env, snapshot("second"))
    await env.run("preview")
    await env.run("up")
    expect(await names(env)).toEqual(["second"])
    await env.run("refresh")
    await env.idle()
    await destroy(env)
    expect(await names(env)).toEqual([])
  },

  "a destroy that refreshes first does what the policies say, and deletes what is to be deleted": async (
    env: Environment
  ) => {
    program(env, snapshot("first"))
    await env.run("up")
    env.stack.environment({ VPS_DELETION_POLICY: "stop" })
    await env.run("destroy", { refresh: true })
    expect((await env.instances()).map(({ status }) => status)).toEqual(["stopped"])
    expect(await names(env)).toEqual([])
    env.ending = "destroyed"
    env.forgotten = 1
  },

  "with a full quota the old snapshot goes first; one that is kept stays, and is told of": async (env: Environment) => {
    program(env, snapshot("first"))
    await env.run("up")
    const { id } = await env.stored()
    while ((await snapshots(env)).length < QUOTA) {
      await env.ask("POST", `/instances/${id}/snapshots`, { name: "mine" })
      await expect.poll(async () => (await snapshots(env)).every(({ status }) => status === "available")).toBe(true)
    }
    program(env, snapshot("second"))
    expect((await env.run("up")).output).toContain("is deleted before the new one is taken")
    expect(await names(env)).toEqual(["mine", "mine", "second"])
    program(env, snapshot("second", ", onDelete: \"keep\""))
    await env.run("up")
    program(env, "")
    expect((await env.run("up")).output).toContain("still counts towards the quota")
    expect(await names(env)).toEqual(["mine", "mine", "second"])
    program(env, snapshot("third"))
    expect(await env.fails("up")).toMatch(/The instance has 3: .*"mine".*vps snapshot delete/)
    program(env, "")
    await env.run("up")
  },

  "killed before and after a snapshot was asked for: it is taken once": async (env: Environment) => {
    for (const [moment, name] of [["before", "a"], ["after", "b"]] as const) {
      program(env, snapshot(name))
      await killed(env, "POST", /\/snapshots$/, moment)
      await env.run("up")
      expect(await names(env)).toEqual([name])
    }
    expect(await count(env, "snapshot_create")).toBe(2)
    program(env, "")
    await killed(env, "DELETE", /\/snapshots\//, "after")
    await env.run("up")
    expect(await names(env)).toEqual([])
  },

  "a snapshot deleted elsewhere leaves the state, and the next up takes it anew": async (env: Environment) => {
    program(env, snapshot("first"))
    await env.run("up")
    const { id } = await of(env, "Snapshot")
    await env.ask("DELETE", `/instances/${id.replace("/", "/snapshots/")}`)
    await expect.poll(() => names(env)).toEqual([])
    await env.run("refresh")
    expect((await env.resources()).map(({ type }) => type)).toEqual([(await env.stored()).type])
    await env.run("up")
    expect(await names(env)).toEqual(["first"])
  },

  "a restore runs once per change of triggers, and only with allowDataLoss": async (env: Environment) => {
    program(env, restore("one", false))
    expect(await env.fails("preview")).toContain("Set allowDataLoss: true to allow it")
    program(env, restore("one", true))
    await env.run("up")
    await env.idle()
    program(env, restore("one", false))
    await env.run("up")
    expect(await count(env, "snapshot_restore")).toBe(1)
    program(env, restore("two", false))
    expect(await env.fails("preview")).toContain("newer data on it is lost")
    program(env, restore("two", true))
    await env.run("up")
    expect(await count(env, "snapshot_restore")).toBe(2)
    expect(await destroy(env)).not.toContain("error")
    expect(await count(env, "snapshot_restore")).toBe(2)
  },

  "killed before and after a restore was asked for: it is restored once": async (env: Environment) => {
    program(env, snapshot("kept"))
    await env.run("up")
    let restored = 0
    for (const [moment, trigger] of [["before", "one"], ["after", "two"]] as const) {
      program(env, restore(trigger, true))
      await killed(env, "POST", /\/restore$/, moment)
      await env.run("up")
      expect(await count(env, "snapshot_restore")).toBe(++restored)
    }
  },

  "a nightly backup is found by a function and restored once": async (env: Environment) => {
    program(env, "")
    await env.run("up")
    await env.control("POST", "clock", { advance_ms: 2 * 86_400_000 })
    program(
      env,
      "const backupId = vps.getBackupsOutput({ instanceId: web.id }).apply((all) => all[0].id)\n"
        + "new vps.BackupRestore(\"back\", { instanceId: web.id, backupId, allowDataLoss: true })"
    )
    await env.run("up")
    expect(await count(env, "backup_restore")).toBe(1)
    expect((await of(env, "BackupRestore")).outputs["restoredAt"]).toBeTypeOf("string")
  },

  "a PTR record is reset where that was asked for, else it stays and is told of": async (env: Environment) => {
    const record = { instanceId: "ref:web.id", ip: "ref:web.ipv4", ptr: "web.example.com" }
    env.program({ web }, { web: { ...record, onDelete: { resetTo: "static.example.net" } } })
    await env.run("up")
    env.program({ web })
    expect((await env.run("up")).output).toContain("now resolves to static.example.net")
    env.program({ web }, { web: record })
    await env.run("up")
    env.program({ web })
    expect((await env.run("up")).output).toContain("the API cannot remove PTR records, so")
  },

  "a component makes the server, its PTR record and a first snapshot; functions and costs are outputs": async (
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
    expect((await env.run("preview")).output).toContain("charges 4.99 EUR now")
    await env.run("up")
    const urns = (await env.resources()).map(({ urn }) => urn).filter((urn) => urn.includes("vps:index:VpsServer$"))
    expect(urns.map((urn) => urn.split(":").at(-3)).toSorted()).toEqual(["Instance", "ReverseDns", "Snapshot"])
    expect(await names(env)).toEqual(["as-installed"])
  }
}
