import { describe, expect, it } from "vitest"
import { UNKNOWN } from "#provider/definition/Properties"
import { backupRestoreLifecycle, snapshotRestoreLifecycle } from "#provider/restore/Restore"
import { apiError, TASK_TIME } from "../Machine.ts"
import { engineFor } from "../Runs.ts"
import { DEPLOY_TIME, noAnswer, World } from "../World.ts"

const URN = "urn:pulumi:prod::shop::vps:index:SnapshotRestore::back"
const DAY = 86_400_000

const withServer = (): { world: World; snapshotId: number; backupId: number } => {
  const world = new World()
  world.buy({ service_id: 1 })
  world.now += DEPLOY_TIME
  const machine = world.machine(1)
  return { world, snapshotId: machine.addSnapshot(world.now, "a").id, backupId: machine.addBackup(world.now).id }
}
const restores = (world: World) => {
  world.now += TASK_TIME
  return world.machine(1).restores
}

describe.each(
  [
    ["SnapshotRestore", snapshotRestoreLifecycle, "snapshotId", "snapshotRestore"],
    ["BackupRestore", backupRestoreLifecycle, "backupId", "backupRestore"]
  ] as const
)("%s", (_, lifecycle, source, operation) => {
  const { up } = engineFor(lifecycle, URN)
  const stage = () => {
    const { world, ...ids } = withServer()
    return { world, program: { instanceId: "1", [source]: ids[source], triggers: ["one"], allowDataLoss: true } }
  }

  it("restores once when it is created, and once per change of triggers, also back to earlier ones", async () => {
    const { program, world } = stage()
    let stored = await up(world.session(), program)
    expect(stored.outputs).toMatchObject({ restoredFrom: program[source], userId: 1 })
    expect(stored.outputs["restoredAt"]).toBeTypeOf("string")
    for (const [triggers, count] of [[["one"], 1], [["two"], 2], [["two"], 2], [["one"], 3]] as const) {
      stored = await up(world.session(), { ...program, triggers }, stored)
      expect(restores(world)).toBe(count)
    }
    await lifecycle.delete(world.session(), stored.id, stored.outputs)
    expect(restores(world)).toBe(3)
  })
  it("another source without other triggers is only recorded, and says so", async () => {
    const { program, world } = stage()
    const stored = await up(world.session(), program)
    await up(world.session(), { ...program, [source]: 77 }, stored)
    expect(restores(world)).toBe(1)
    expect(world.said(`${source} is recorded for the next restore`)).toBe(true)
  })
  it("without allowDataLoss a restore that is due fails the check, and one that is not does not", async () => {
    const { program, world } = stage()
    const careful = { ...program, allowDataLoss: false }
    await expect(up(world.session(), careful)).rejects.toThrow(
      /newer data on it is lost. Set allowDataLoss/
    )
    expect(world.count(operation)).toBe(0)
    const stored = await up(world.session(), program)
    expect(world.said("newer data on it is lost")).toBe(true)
    const settled = await up(world.session(), careful, stored)
    await expect(up(world.session(), { ...careful, triggers: ["two"] }, settled)).rejects.toThrow("allowDataLoss")
    await up(world.session(), { ...careful, triggers: undefined }, settled)
    expect(restores(world)).toBe(1)
  })
  it("what is unknown in a preview is not judged", async () => {
    const { program, world } = stage()
    const stored = await up(world.session(), program)
    const unknown = { ...program, allowDataLoss: undefined, triggers: UNKNOWN, instanceId: UNKNOWN, __urn: URN }
    expect((await lifecycle.check(world.session(), stored.inputs, unknown)).failures).toEqual([])
  })
  it.each([
    ["shows request ids", true, noAnswer()],
    ["shows no request ids", false, noAnswer()],
    ["shows request ids", true, apiError(502, "bad gateway")]
  ])("a lost answer of a host that %s is not repeated: the feed shows the task", async (_words, shows, error) => {
    const { program, world } = stage()
    world.machine(1).showsRequests = shows
    world.fail(operation, error, true)
    await up(world.session(), program)
    expect(restores(world)).toBe(1)
    expect(world.count(operation)).toBe(1)
  })
  it("a request that did not arrive, or that a busy server refused, is repeated", async () => {
    const { program, world } = stage()
    world.fail(operation, noAnswer())
    world.machine(1).begin(world.now, "resize", () => {})
    await up(world.session(), program)
    expect(restores(world)).toBe(1)
  })
  it.each(["create", "update"])(
    "killed after the request of a %s, the next process does not repeat it",
    async (when) => {
      const { program, world } = stage()
      const before = when === "update" ? await up(world.session(), { ...program, triggers: ["zero"] }) : undefined
      const asked = world.count(operation)
      // The answer is never recorded: the state stays what it was.
      await up(world.session(), program, before)
      const stored = await up(world.session(), program, before)
      expect(world.count(operation)).toBe(asked + 1)
      expect(world.said("so it is not restored again")).toBe(true)
      expect(stored.outputs["restoredAt"]).toBeTypeOf("string")
    }
  )
  it("the same triggers a day after it was destroyed are another restore", async () => {
    const { program, world } = stage()
    await up(world.session(), program)
    world.now += DAY + TASK_TIME
    await up(world.session(), program)
    expect(restores(world)).toBe(2)
  })
  it("one that takes too long is in the state, and the next up goes on waiting", async () => {
    const { program, world } = stage()
    const slow = { ...program, timeouts: { create: "1s" } }
    const begun = await up(world.session(), slow)
    expect(begun.reasons.join()).toContain("was started but is not finished yet")
    const done = await up(world.session(), slow, { ...begun, reasons: [] })
    expect(done.outputs["restoredAt"]).toBeTypeOf("string")
    expect(world.count(operation)).toBe(1)
  })
  it("one that failed is told with its reason, and restored again by the next up", async () => {
    const { program, world } = stage()
    world.machine(1).failing = source === "snapshotId" ? "snapshot_restore" : "backup_restore"
    await expect(up(world.session(), program)).rejects.toThrow("The upstream refused it.")
    await up(world.session(), program)
    expect(restores(world)).toBe(1)
  })
  it("begun, then failed while nobody looked: restored again only while that is allowed", async () => {
    const { program, world } = stage()
    world.machine(1).failing = source === "snapshotId" ? "snapshot_restore" : "backup_restore"
    const begun = await up(world.session(), { ...program, timeouts: { create: "1s" } })
    world.now += TASK_TIME
    await expect(up(world.session(), { ...program, allowDataLoss: false }, begun)).rejects.toThrow("allowDataLoss")
    await up(world.session(), program, begun)
    expect(restores(world)).toBe(1)
  })
  it("a server that stays busy until the timeout, or refuses, is told with what that means", async () => {
    const { program, world } = stage()
    const busy = () => apiError(409, "busy with another task (resize)", { retryAfter: 5 })
    for (let at = 0; at < 9; at++) world.fail(operation, busy())
    await expect(up(world.session(), { ...program, timeouts: { create: "20s" } }))
      .rejects.toThrow(
        /^back: (snapshot|backup) \d+ was not restored on instance 1: gave up after 20s.*never restores twice$/
      )
    const refusing = stage()
    refusing.world.fail(operation, apiError(409, "The server is in rescue mode."))
    await expect(up(refusing.world.session(), refusing.program)).rejects.toThrow("the disk is unchanged")
    expect(world.machine(1).restores + refusing.world.machine(1).restores).toBe(0)
  })
  it("goes with its server", async () => {
    const { program, world } = stage()
    const { id, inputs, outputs } = await up(world.session(), program)
    expect(await lifecycle.read(world.session(), id, outputs)).toEqual({ inputs, outputs })
    world.change(1, { status: "deleted" })
    expect(await lifecycle.read(world.session(), id, outputs)).toBeUndefined()
    await expect(up(world.session(), { ...program, triggers: ["two"] }, { id, inputs, outputs, reasons: [] }))
      .rejects.toThrow("no longer exists, so nothing was restored")
  })
})
