import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { type Stored, up } from "../Runs.ts"
import { apiError } from "../Machine.ts"
import { noAnswer, World } from "../World.ts"

const program = { serviceId: 1, rootPassword: "first-password" }
const bought = async (more: Record<string, unknown> = {}): Promise<{ world: World; first: Stored }> => {
  const world = new World()
  return { world, first: await up(world.session(), { ...program, ...more }) }
}

describe("a password rotation", () => {
  const next = { ...program, passwordRotation: "1" }
  it("what is given with the purchase is only recorded", async () => {
    const { first, world } = await bought({ passwordRotation: "1" })
    expect(first.outputs).toMatchObject({ rootPassword: "first-password", passwordRotation: "1" })
    expect(world.count("resetPassword")).toBe(0)
  })
  it("sets a new one, which is an output; the program's stays an input, and nothing differs", async () => {
    const { first, world } = await bought()
    const second = await up(world.session(), next, first)
    expect(second.outputs).toMatchObject({ rootPassword: "fresh-1", passwordRotation: "1" })
    expect(await up(world.session(), next, second)).toEqual(second)
    const seen = await instanceLifecycle.read(world.session(), second.id, second.outputs)
    expect(seen?.outputs).toEqual(second.outputs)
    expect(seen?.inputs).toEqual(second.inputs)
    const third = await up(world.session(), { ...next, passwordRotation: "2" }, { ...second, ...seen! })
    expect(third.outputs["rootPassword"]).toBe("fresh-2")
  })
  it("never logs it", async () => {
    const { first, world } = await bought()
    await up(world.session(), next, first)
    expect(world.said("fresh-1")).toBe(false)
    expect(world.said("first-password")).toBe(false)
  })
  it("is never repeated: a lost answer is told, and the state holds no password", async () => {
    for (const error of [noAnswer(), apiError(502, "upstream")]) {
      const { first, world } = await bought()
      world.fail("resetPassword", error, true)
      const second = await up(world.session(), next, first)
      expect(second).toMatchObject({ reasons: [], outputs: { passwordRotation: "1" } })
      expect(second.outputs).not.toHaveProperty("rootPassword")
      expect(world.said("the response with it was lost. The service sent a copy")).toBe(true)
      expect(await up(world.session(), next, second)).toEqual(second)
      expect(world.count("resetPassword")).toBe(1)
    }
  })
  it("that did not reach the service is reported, and left to the next up", async () => {
    const { first, world } = await bought()
    world.fail("resetPassword", apiError(502, "upstream"))
    const second = await up(world.session(), next, first)
    expect(second.reasons[0]).toContain("According to the activity feed, no password was set")
    expect(second.outputs["rootPassword"]).toBe("first-password")
    expect((await up(world.session(), next, second)).outputs["rootPassword"]).toBe("fresh-1")
  })
  it("is remembered when the server is bought again by name: the password of the order is no longer set", async () => {
    const { first, world } = await bought()
    expect((await up(world.session(), program)).outputs["rootPassword"]).toBe("first-password")
    await up(world.session(), next, first)
    const again = await up(world.session(), program)
    expect(again).toMatchObject({ id: "1", reasons: [], outputs: { __rootPassword: "first-password" } })
    expect(again.outputs).not.toHaveProperty("rootPassword")
    expect(await up(world.session(), program, again)).toEqual(again)
  })
  it("waits while the server is busy", async () => {
    const { first, world } = await bought()
    world.fail("resetPassword", apiError(409, "busy with another task (resize)", { retryAfter: 3 }))
    expect((await up(world.session(), next, first)).outputs["rootPassword"]).toBe("fresh-1")
  })
})
