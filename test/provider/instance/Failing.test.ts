import { describe, expect, it } from "vitest"
import { bought, mutations, program } from "../Bought.ts"
import { up } from "../Runs.ts"
import { apiError } from "../Machine.ts"
import { noAnswer } from "../World.ts"

describe("a failure on the way", () => {
  const next = { ...program, serviceId: 2, isoId: 2, snapshotBefore: "safe" }
  it.each(["snapshotCreate", "resize"] as const)(
    "a %s that is answered 502 is asked for again, once nothing is found",
    async (call) => {
      const { first, world } = await bought()
      world.fail(call, apiError(502, "upstream"))
      world.fail(call, apiError(502, "upstream"), true)
      expect(await up(world.session(), next, first)).toMatchObject({ reasons: [] })
      expect(world.count(call)).toBe(2)
      expect(world.machine(1).snapshots).toHaveLength(1)
      expect(world.wallet).toBeCloseTo(90.01)
    }
  )
  it("after the server was powered off gives the power back, whatever failed", async () => {
    const { first, world } = await bought()
    world.fail("isoMount", apiError(422, "no such ISO"))
    const second = await up(world.session(), next, first)
    expect(second.reasons[0]).toContain(
      "could not mount ISO 2: the service returned 422: no such ISO. It was powered on again."
    )
    expect(second.outputs).toMatchObject({ serviceId: 2, status: "running" })
    expect(second.outputs).not.toHaveProperty("isoId")
    expect(await up(world.session(), next, second)).toMatchObject({ reasons: [], outputs: { isoId: 2 } })
    expect(world.count("resize")).toBe(1)
  })
  it("that is no more than late goes on by itself, and the next up waits on", async () => {
    const { first, world } = await bought()
    const slow = { ...program, os: "debian-13", allowDataLoss: true, timeouts: { update: "2s" } }
    const second = await up(world.session(), slow, first)
    expect(second.reasons[0]).toContain(
      "could not reinstall with debian-13: timed out after 2s waiting for instance 1. The operation continues"
    )
    const third = await up(world.session(), { ...slow, timeouts: { update: "1m" } }, second)
    expect(third).toMatchObject({ reasons: [], outputs: { os: "debian-13" } })
    expect(world.count("reinstall")).toBe(1)
  })
})

describe("the snapshot before", () => {
  const next = { ...program, serviceId: 2, snapshotBefore: "safe" }
  it("is taken and complete before anything else is begun", async () => {
    const { first, world } = await bought()
    await up(world.session(), next, first)
    expect(mutations(world)).toEqual([
      expect.stringMatching(/^snapshotCreate 1 safe-[0-9a-f]{8}$/),
      "stop 1",
      "resize 1 2",
      "start 1"
    ])
    expect(world.machine(1).snapshots).toMatchObject([{ status: "available" }])
  })
  it("is the same one when the update is run again, and another one for the next update", async () => {
    const { first, world } = await bought()
    world.fail("resize", apiError(402, "no money"))
    const second = await up(world.session(), next, first)
    const third = await up(world.session(), next, second)
    expect(third.reasons).toEqual([])
    expect(world.count("snapshotCreate")).toBe(1)
    await up(world.session(), { ...next, serviceId: 3 }, third)
    expect(new Set(world.machine(1).snapshots.map(({ name }) => name)).size).toBe(2)
  })
  it("whose answer is lost is found by its name", async () => {
    const { first, world } = await bought()
    world.fail("snapshotCreate", noAnswer(), true)
    expect(await up(world.session(), next, first)).toMatchObject({ reasons: [] })
    expect(world.count("snapshotCreate")).toBe(1)
  })
  it("that finds no place stops everything", async () => {
    const { first, world } = await bought()
    for (const name of ["a", "b", "c"]) world.machine(1).addSnapshot(world.now, name)
    const second = await up(world.session(), next, first)
    expect(second.reasons[0]).toContain(
      "so nothing was changed: the service returned 409: The snapshot quota of 3 is reached"
    )
    expect(mutations(world)).toHaveLength(1)
  })
})
