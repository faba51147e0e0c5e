import { describe, expect, it } from "vitest"
import { UNKNOWN } from "#provider/definition/Properties"
import { snapshotLifecycle } from "#provider/snapshot/Snapshot"
import { apiError, SNAPSHOTS_QUOTA, TASK_TIME } from "../Machine.ts"
import { engineFor } from "../Runs.ts"
import { DEPLOY_TIME, noAnswer, World } from "../World.ts"

const URN = "urn:pulumi:prod::shop::vps:index:Snapshot::before"
const OTHER = "urn:pulumi:prod::shop::vps:index:Snapshot::other"
const { check, up } = engineFor(snapshotLifecycle, URN)
const program = { instanceId: "1", name: "before-upgrade" }
const DAY = 86_400_000

const withServer = (): World => {
  const world = new World()
  world.buy({ service_id: 1 })
  world.now += DEPLOY_TIME
  return world
}
const names = (world: World) => world.machine(1).snapshots.map(({ name }) => name)

describe("taking a snapshot", () => {
  it("waits until it is available, and a second up finds nothing to do", async () => {
    const world = withServer()
    const taken = await up(world.session(), program)
    expect(taken.outputs).toMatchObject({
      status: "available",
      sizeBytes: 1_000_000,
      userId: 1,
      name: "before-upgrade"
    })
    expect(taken.id).toBe(`1/${String(taken.outputs["snapshotId"])}`)
    const calls = world.calls.length
    expect(await up(world.session(), program, taken)).toEqual(taken)
    expect(world.calls.length).toBe(calls)
  })
  it("waits for a server that is still being deployed or busy", async () => {
    const world = withServer()
    world.machine(1).begin(world.now, "resize", () => {})
    await up(world.session(), program)
    expect(names(world)).toEqual(["before-upgrade"])
    expect(world.said("busy with another task (resize)")).toBe(true)
  })
  it.each([["an answer is lost", noAnswer()], ["a gateway answers 502 for it", apiError(502, "bad gateway")]])(
    "is not repeated when %s: it is found by its name",
    async (_, error) => {
      const world = withServer()
      world.fail("snapshotCreate", error, true)
      await up(world.session(), program)
      expect(names(world)).toEqual(["before-upgrade"])
      expect(world.count("snapshotCreate")).toBe(1)
    }
  )
  it("is repeated when the request did not arrive", async () => {
    const world = withServer()
    world.fail("snapshotCreate", noAnswer())
    await up(world.session(), program)
    expect(names(world)).toEqual(["before-upgrade"])
    expect(world.count("snapshotCreate")).toBe(2)
  })
  it("killed after the request, the next process goes on with the same one", async () => {
    const world = withServer()
    world.machine(1).takeSnapshot(world.now, "before-upgrade")
    await up(world.session(), program)
    expect(names(world)).toEqual(["before-upgrade"])
    expect(world.count("snapshotCreate")).toBe(0)
    expect(world.said("continuing with it")).toBe(true)
  })
  it("of a name that was taken long ago is refused: its content is not what is asked for", async () => {
    const world = withServer()
    world.machine(1).addSnapshot(world.now - DAY - 1, "before-upgrade")
    await expect(up(world.session(), program)).rejects.toThrow(/already .* \(id \d+, taken on .*\).*Use another name/s)
    expect(world.count("snapshotCreate")).toBe(0)
  })
  it("that failed leaves nothing in the state, says why, and the next up takes another", async () => {
    const world = withServer()
    world.machine(1).failing = "snapshot_create"
    await expect(up(world.session(), program)).rejects.toThrow("could not be taken (The upstream refused it.)")
    expect((await up(world.session(), program)).outputs["status"]).toBe("available")
  })
  it("that takes too long is in the state, and the next up goes on waiting", async () => {
    const world = withServer()
    const slow = { ...program, timeouts: { create: "1s", update: "1m" } }
    const begun = await up(world.session(), slow)
    expect(begun.reasons.join()).toContain("was started but is not finished yet: timed out")
    const done = await up(world.session(), slow, begun)
    expect(done.outputs["status"]).toBe("available")
    // A refresh makes the engine forget the reasons.
    expect((await up(world.session(), slow, { ...begun, reasons: [] })).outputs["status"]).toBe("available")
    expect(world.count("snapshotCreate")).toBe(1)
  })
  it("beyond the quota names what is there and how to make room", async () => {
    const world = withServer()
    for (let at = 0; at < SNAPSHOTS_QUOTA; at++) world.machine(1).addSnapshot(world.now, `old-${at}`)
    await expect(up(world.session(), program)).rejects.toThrow(
      /quota.*The instance has 3: .*"old-0".*vps snapshot delete 1/
    )
  })
  it("that the server's state does not allow is told without talk of the quota", async () => {
    const world = withServer()
    world.machine(1).addSnapshot(world.now, "mine")
    world.fail("snapshotCreate", apiError(409, "The server is in rescue mode."))
    await expect(up(world.session(), program)).rejects.toThrow(/in rescue mode\..* No snapshot was taken$/)
  })
  it("of a server that stays busy until the timeout names the resource, the task and what to do", async () => {
    const world = withServer()
    for (let at = 0; at < 9; at++) {
      world.fail("snapshotCreate", apiError(409, "busy with another task (resize)", { retryAfter: 5 }))
    }
    await expect(up(world.session(), { ...program, timeouts: { create: "20s" } }))
      .rejects.toThrow(
        /^before: could not take a snapshot of instance 1: gave up after 20s: .*busy with another task.*`pulumi up`/
      )
  })
  it("of a server that is not in the account says whose account was asked", async () => {
    const error = up(withServer().session(), { ...program, instanceId: "9" })
    await expect(error).rejects.toThrow(
      "instance 9 not found in account 1 (owner-1@example.test); no snapshot was taken"
    )
  })
  it("with a key that may only read warns in the preview", async () => {
    const world = withServer()
    world.scopes = ["vps:read"]
    await check(world.session(), undefined, program)
    expect(world.said("the API key has vps:read, but a Snapshot needs vps:write")).toBe(true)
  })
  it("under a name that another resource of the program has fails the check", async () => {
    const session = withServer().session()
    await check(session, undefined, program)
    await expect(engineFor(snapshotLifecycle, OTHER).check(session, undefined, program))
      .rejects.toThrow("before in this program already has the name \"before-upgrade\" on this instance")
    await check(session, undefined, program)
  })
})

describe("changing a snapshot", () => {
  it.each<[string, object, ReadonlyArray<string>]>([
    ["name", { name: "other" }, ["name"]],
    ["instanceId", { instanceId: 2 }, ["instanceId"]],
    ["onDelete", { onDelete: "keep" }, []],
    ["an unknown instance", { instanceId: UNKNOWN }, []]
  ])("%s", async (_, change, replaces) => {
    const olds = { ...program, snapshotId: 1, status: "available", __urn: URN }
    const difference = await snapshotLifecycle.diff(withServer().session(), "1/1", olds, { ...olds, ...change })
    expect(difference.replaces).toEqual(replaces)
  })
  it("replaced: the new one is taken first while there is room", async () => {
    const world = withServer()
    const old = await up(world.session(), program)
    await up(world.session(), { ...program, name: "after" }, old)
    expect(names(world)).toEqual(["after"])
    const calls = world.calls.filter((call) => /^snapshot(Create|Delete)/.test(call))
    expect(calls.map((call) => call.split(" ")[0])).toEqual(["snapshotCreate", "snapshotCreate", "snapshotDelete"])
  })
  it("replaced with a full quota: the old one is deleted first, and that is said", async () => {
    const world = withServer()
    const old = await up(world.session(), program)
    while (world.machine(1).snapshots.length < SNAPSHOTS_QUOTA) world.machine(1).addSnapshot(world.now, "mine")
    await up(world.session(), { ...program, name: "after" }, old)
    expect(names(world).toSorted()).toEqual(["after", "mine", "mine"])
    expect(world.said("is deleted before the new one is taken")).toBe(true)
  })
  it("a changed setting alone calls nothing", async () => {
    const world = withServer()
    const old = await up(world.session(), program)
    const calls = world.calls.length
    const kept = await up(world.session(), { ...program, onDelete: "keep" }, old)
    expect(kept.outputs).toEqual({ ...old.outputs, onDelete: "keep" })
    expect(world.calls.length).toBe(calls)
  })
  it("`up --replace` leads to the same snapshot, which is not deleted afterwards", async () => {
    const world = withServer()
    const old = await up(world.session(), program)
    const session = world.session()
    const again = await up(session, program)
    await snapshotLifecycle.delete(session, old.id, old.outputs)
    expect(again.id).toBe(old.id)
    expect(names(world)).toEqual(["before-upgrade"])
  })
})

describe("reading and deleting a snapshot", () => {
  it("is deleted by a destroy that refreshes first: its diff has planned nothing", async () => {
    const world = withServer()
    const { id, inputs, outputs } = await up(world.session(), program)
    const session = world.session()
    await snapshotLifecycle.read(session, id, outputs)
    await snapshotLifecycle.diff(session, id, outputs, inputs)
    await snapshotLifecycle.delete(session, id, outputs)
    expect(names(world)).toEqual([])
  })
  it("deleting waits until it is gone; keep leaves it and says so", async () => {
    const world = withServer()
    const taken = await up(world.session(), program)
    await snapshotLifecycle.delete(world.session(), taken.id, { ...taken.outputs, onDelete: "keep" })
    expect(world.said("still counts towards the quota")).toBe(true)
    expect(names(world)).toEqual(["before-upgrade"])
    await snapshotLifecycle.delete(world.session(), taken.id, taken.outputs)
    expect(names(world)).toEqual([])
    await expect(snapshotLifecycle.delete(world.session(), taken.id, taken.outputs)).resolves.toBeUndefined()
  })
  it("a lost answer to the deletion is no failure", async () => {
    const world = withServer()
    const taken = await up(world.session(), program)
    world.fail("snapshotDelete", noAnswer(), true)
    await snapshotLifecycle.delete(world.session(), taken.id, taken.outputs)
    expect(names(world)).toEqual([])
  })
  it("a deletion that fails at the host is told, and the resource stays", async () => {
    const world = withServer()
    const taken = await up(world.session(), program)
    world.machine(1).failing = "snapshot_delete"
    await expect(snapshotLifecycle.delete(world.session(), taken.id, taken.outputs))
      .rejects.toThrow(/deleting snapshot \d+ .* failed: The upstream refused it\./)
  })
  it("deleted outside it is gone, and so it is with its server; with another account's key it is not", async () => {
    const world = withServer()
    const { id, inputs, outputs } = await up(world.session(), program)
    expect(await snapshotLifecycle.read(world.session(), id, outputs)).toEqual({ inputs, outputs })
    world.account = 2
    await expect(snapshotLifecycle.read(world.session(), id, outputs)).rejects.toThrow(
      "but the API key belongs to account 2"
    )
    await expect(snapshotLifecycle.delete(world.session(), id, outputs)).rejects.toThrow(
      "but the API key belongs to account 2"
    )
    world.account = 1
    world.machine(1).deleteSnapshot(world.now, Number(outputs["snapshotId"]))
    world.now += TASK_TIME
    expect(await snapshotLifecycle.read(world.session(), id, outputs)).toBeUndefined()
    world.change(1, { status: "deleted" })
    expect(await snapshotLifecycle.read(world.session(), id, outputs)).toBeUndefined()
    await expect(snapshotLifecycle.delete(world.session(), id, outputs)).resolves.toBeUndefined()
  })
})
