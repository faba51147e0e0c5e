import { describe, expect, it } from "vitest"
import { bought, mutations, program } from "../Bought.ts"
import { up } from "../Runs.ts"
import { apiError, noAnswer } from "../Faults.ts"

describe("a failure on the way", () => {
  const next = { ...program, serviceId: 2, isoId: 2, snapshotBefore: "safe" }
  it.each(["snapshotCreate", "resize"] as const)(
    "a %s that returned 502 is repeated if no task is found",
    async (call) => {
      const { first, env } = await bought()
      env.faults.fail(call, apiError(502, "upstream"))
      env.faults.fail(call, apiError(502, "upstream"), true)
      expect(await up(env.session(), next, first)).toMatchObject({ reasons: [] })
      expect(env.count(call)).toBe(2)
      expect(await env.snapshots()).toHaveLength(1)
      expect(await env.wallet()).toBeCloseTo(90.01)
    }
  )
  it("after the instance was powered off powers it on again", async () => {
    const { first, env } = await bought()
    env.faults.fail("isoMount", apiError(422, "no such ISO"))
    const second = await up(env.session(), next, first)
    expect(second.reasons[0]).toContain(
      "could not mount ISO 2: the service returned 422: no such ISO. It was powered on again."
    )
    expect(second.outputs).toMatchObject({ serviceId: 2, status: "running" })
    expect(second.outputs).not.toHaveProperty("isoId")
    expect(await up(env.session(), next, second)).toMatchObject({ reasons: [], outputs: { isoId: 2 } })
    expect(env.count("resize")).toBe(1)
  })
  it("that is only slow continues, and the next up waits again", async () => {
    const { first, env } = await bought()
    const slow = { ...program, os: "debian-13", allowDataLoss: true, timeouts: { update: "100ms" } }
    const second = await up(env.session(), slow, first)
    expect(second.reasons[0]).toContain(
      "could not reinstall with debian-13: timed out after 100ms waiting for instance 1. The operation continues"
    )
    const third = await up(env.session(), { ...slow, timeouts: { update: "1m" } }, second)
    expect(third).toMatchObject({ reasons: [], outputs: { os: "debian-13" } })
    expect(env.count("reinstall")).toBe(1)
  })
})

describe("the snapshot before", () => {
  const next = { ...program, serviceId: 2, snapshotBefore: "safe" }
  it("is taken and complete before anything else is begun", async () => {
    const { first, env } = await bought()
    await up(env.session(), next, first)
    expect(mutations(env)).toEqual([
      expect.stringMatching(/^snapshotCreate 1 safe-[0-9a-f]{8}$/),
      "stop 1",
      "resize 1 2",
      "start 1"
    ])
    expect(await env.vps.snapshots.list(1)).toMatchObject([{ status: "available" }])
  })
  it("is the same one when the update is run again, and another one for the next update", async () => {
    const { first, env } = await bought()
    env.faults.fail("resize", apiError(402, "no money"))
    const second = await up(env.session(), next, first)
    const third = await up(env.session(), next, second)
    expect(third.reasons).toEqual([])
    expect(env.count("snapshotCreate")).toBe(1)
    await up(env.session(), { ...next, serviceId: 3 }, third)
    expect(new Set(await env.snapshots()).size).toBe(2)
  })
  it("whose answer is lost is found by its name", async () => {
    const { first, env } = await bought()
    env.faults.fail("snapshotCreate", noAnswer(), true)
    expect(await up(env.session(), next, first)).toMatchObject({ reasons: [] })
    expect(env.count("snapshotCreate")).toBe(1)
  })
  it("that finds no place stops everything", async () => {
    const { first, env } = await bought()
    for (const name of ["a", "b", "c"]) await env.addSnapshot(name)
    const second = await up(env.session(), next, first)
    expect(second.reasons[0]).toContain(
      "so nothing was changed: the service returned 409: Snapshot limit reached (3). Delete one first."
    )
    expect(mutations(env)).toHaveLength(1)
  })
})
