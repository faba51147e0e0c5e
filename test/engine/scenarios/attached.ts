/** What belongs to a server: snapshots, PTR records, restores, the component, functions. */
import { expect } from "vitest"
import type { Snapshot } from "#contract/Snapshots"
import type { Scenario } from "../scenarios.ts"
import type { Stage } from "../Stage.ts"

const web = { serviceId: 1, hostname: "web.example.com" }
const QUOTA = 3

/** The program of one server and whatever else it says. */
const program = (stage: Stage, more: string, args: object = web): void => stage.program({ web: args }, {}, more)
const snapshot = (name: string, more = "") =>
  `const snap = new vps.Snapshot("snap", { instanceId: web.id, name: "${name}"${more} })`

const snapshots = async (stage: Stage): Promise<ReadonlyArray<Snapshot>> => {
  const [instance] = await stage.instances()
  return await stage.ask("GET", `/instances/${instance?.id}/snapshots`)
}
const names = async (stage: Stage): Promise<ReadonlyArray<string>> =>
  (await snapshots(stage)).map(({ name }) => name).toSorted()

/** How many tasks of this type the server has seen. */
const count = async (stage: Stage, type: string): Promise<number> => {
  const [instance] = await stage.instances()
  const feed = await stage.ask<{ items: ReadonlyArray<{ type: string }> }>(
    "GET",
    `/instances/${instance?.id}/tasks?limit=100`
  )
  return feed.items.filter((task) => task.type === type).length
}

const of = async (stage: Stage, type: string) => {
  const found = (await stage.resources()).find((one) => one.type.endsWith(`:${type}`) && !one.delete)
  if (found === undefined) throw new Error(`the state holds no ${type}`)
  return found
}

/** An `up` that is killed at the request that matches, before or after the service has carried it out. */
const killed = async (stage: Stage, method: string, path: RegExp, moment: "before" | "after"): Promise<void> => {
  const held = stage.proxy.hold((seen) => seen.method === method && path.test(seen.path))
  const running = stage.start("up")
  await held.reached
  if (moment === "after") await held.carryOut()
  await running.kill()
  await stage.stack.cancel()
}

const restore = (trigger: string, allow: boolean) =>
  `${snapshot("kept")}\nnew vps.SnapshotRestore("back", { instanceId: web.id, snapshotId: snap.snapshotId, `
  + `triggers: ["${trigger}"], allowDataLoss: ${allow} })`

/** Removes the server and all that belongs to it, which leaves it powered off and paid for. */
const destroy = async (stage: Stage): Promise<string> => {
  stage.stack.environment({ VPS_DELETION_POLICY: "stop" })
  const { output } = await stage.run("destroy")
  stage.ending = "destroyed"
  stage.forgotten = 1
  return output
}

export const ATTACHED: Record<string, Scenario> = {
  "a snapshot is taken once and waited for; renamed it is taken anew; destroyed it is deleted": async (stage) => {
    program(stage, snapshot("first"))
    await stage.run("up")
    expect((await of(stage, "Snapshot")).outputs).toMatchObject({ name: "first", status: "available" })
    await stage.idle()
    program(stage, snapshot("second"))
    await stage.run("preview")
    await stage.run("up")
    expect(await names(stage)).toEqual(["second"])
    await stage.run("refresh")
    await stage.idle()
    await destroy(stage)
    expect(await names(stage)).toEqual([])
  },

  "a destroy that refreshes first does what the policies say, and deletes what is to be deleted": async (stage) => {
    program(stage, snapshot("first"))
    await stage.run("up")
    stage.stack.environment({ VPS_DELETION_POLICY: "stop" })
    await stage.run("destroy", { refresh: true })
    expect((await stage.instances()).map(({ status }) => status)).toEqual(["stopped"])
    expect(await names(stage)).toEqual([])
    stage.ending = "destroyed"
    stage.forgotten = 1
  },

  "with a full quota the old snapshot goes first; one that is kept stays, and is told of": async (stage) => {
    program(stage, snapshot("first"))
    await stage.run("up")
    const { id } = await stage.stored()
    while ((await snapshots(stage)).length < QUOTA) {
      await stage.ask("POST", `/instances/${id}/snapshots`, { name: "mine" })
      await expect.poll(async () => (await snapshots(stage)).every(({ status }) => status === "available")).toBe(true)
    }
    program(stage, snapshot("second"))
    expect((await stage.run("up")).output).toContain("is deleted before the new one is taken")
    expect(await names(stage)).toEqual(["mine", "mine", "second"])
    program(stage, snapshot("second", ", onDelete: \"keep\""))
    await stage.run("up")
    program(stage, "")
    expect((await stage.run("up")).output).toContain("goes on taking a place of the quota")
    expect(await names(stage)).toEqual(["mine", "mine", "second"])
    program(stage, snapshot("third"))
    expect(await stage.fails("up")).toMatch(/It has 3: .*"mine".*vps snapshot delete/)
    program(stage, "")
    await stage.run("up")
  },

  "killed before and after a snapshot was asked for: it is taken once": async (stage) => {
    for (const [moment, name] of [["before", "a"], ["after", "b"]] as const) {
      program(stage, snapshot(name))
      await killed(stage, "POST", /\/snapshots$/, moment)
      await stage.run("up")
      expect(await names(stage)).toEqual([name])
    }
    expect(await count(stage, "snapshot_create")).toBe(2)
    program(stage, "")
    await killed(stage, "DELETE", /\/snapshots\//, "after")
    await stage.run("up")
    expect(await names(stage)).toEqual([])
  },

  "a snapshot deleted elsewhere leaves the state, and the next up takes it anew": async (stage) => {
    program(stage, snapshot("first"))
    await stage.run("up")
    const { id } = await of(stage, "Snapshot")
    await stage.ask("DELETE", `/instances/${id.replace("/", "/snapshots/")}`)
    await expect.poll(() => names(stage)).toEqual([])
    await stage.run("refresh")
    expect((await stage.resources()).map(({ type }) => type)).toEqual([(await stage.stored()).type])
    await stage.run("up")
    expect(await names(stage)).toEqual(["first"])
  },

  "a restore runs once per change of triggers, and only with allowDataLoss": async (stage) => {
    program(stage, restore("one", false))
    expect(await stage.fails("preview")).toContain("Set allowDataLoss: true to let it happen")
    program(stage, restore("one", true))
    await stage.run("up")
    await stage.idle()
    program(stage, restore("one", false))
    await stage.run("up")
    expect(await count(stage, "snapshot_restore")).toBe(1)
    program(stage, restore("two", false))
    expect(await stage.fails("preview")).toContain("what was written to it since is lost")
    program(stage, restore("two", true))
    await stage.run("up")
    expect(await count(stage, "snapshot_restore")).toBe(2)
    expect(await destroy(stage)).not.toContain("error")
    expect(await count(stage, "snapshot_restore")).toBe(2)
  },

  "killed before and after a restore was asked for: it is restored once": async (stage) => {
    program(stage, snapshot("kept"))
    await stage.run("up")
    let restored = 0
    for (const [moment, trigger] of [["before", "one"], ["after", "two"]] as const) {
      program(stage, restore(trigger, true))
      await killed(stage, "POST", /\/restore$/, moment)
      await stage.run("up")
      expect(await count(stage, "snapshot_restore")).toBe(++restored)
    }
  },

  "a nightly backup is found by a function and restored once": async (stage) => {
    program(stage, "")
    await stage.run("up")
    await stage.control("POST", "clock", { advance_ms: 2 * 86_400_000 })
    program(
      stage,
      "const backupId = vps.getBackupsOutput({ instanceId: web.id }).apply((all) => all[0].id)\n"
        + "new vps.BackupRestore(\"back\", { instanceId: web.id, backupId, allowDataLoss: true })"
    )
    await stage.run("up")
    expect(await count(stage, "backup_restore")).toBe(1)
    expect((await of(stage, "BackupRestore")).outputs["restoredAt"]).toBeTypeOf("string")
  },

  "a PTR record is reset where that was asked for, else it stays and is told of": async (stage) => {
    const record = { instanceId: "ref:web.id", ip: "ref:web.ipv4", ptr: "web.example.com" }
    stage.program({ web }, { web: { ...record, onDelete: { resetTo: "static.example.net" } } })
    await stage.run("up")
    stage.program({ web })
    expect((await stage.run("up")).output).toContain("resolves to static.example.net now")
    stage.program({ web }, { web: record })
    await stage.run("up")
    stage.program({ web })
    expect((await stage.run("up")).output).toContain("the service can't remove a PTR record, so")
  },

  "a component makes the server, its PTR record and a first snapshot; functions and costs are outputs": async (
    stage
  ) => {
    const args = "{ serviceId: 1, hostname: \"web.example.com\", firstSnapshot: \"as-installed\" }"
    stage.stack.program([
      "import * as vps from \"pulumi-vps/provider\"",
      `const web = new vps.VpsServer("web", ${args})`,
      "export const cost = vps.costSummary([web])",
      "export const { length: plans } = await vps.getPlans()",
      "export const seen = vps.getInstanceOutput({ instanceId: web.instance.id }).ipv4",
      "export const address = web.ipv4"
    ].join("\n"))
    expect((await stage.run("preview")).output).toContain("charges 4.99 EUR now")
    await stage.run("up")
    const urns = (await stage.resources()).map(({ urn }) => urn).filter((urn) => urn.includes("vps:index:VpsServer$"))
    expect(urns.map((urn) => urn.split(":").at(-3)).toSorted()).toEqual(["Instance", "ReverseDns", "Snapshot"])
    expect(await names(stage)).toEqual(["as-installed"])
  }
}
