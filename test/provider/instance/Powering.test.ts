import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { apiError } from "../Machine.ts"
import { bought, program } from "../Bought.ts"
import { type Stored, up } from "../Runs.ts"
import { World } from "../World.ts"

const MUTATION = /^(start|stop|restart|rescue|iso(M|U))/
const mutations = (world: World) => world.calls.filter((call) => MUTATION.test(call))
const read = async (world: World, { id, outputs }: Stored) => await instanceLifecycle.read(world.session(), id, outputs)

describe("power, boot mode and ISO", () => {
  it("powerState is kept, and drift is put right", async () => {
    const { first, world } = await bought({ powerState: "running" })
    const wanted = { ...program, powerState: "off" }
    const second = await up(world.session(), wanted, first)
    expect(second).toMatchObject({ reasons: [], outputs: { powerState: "off", status: "stopped" } })
    await world.api.start(1)
    world.now += 10_000
    const drifted = { ...second, ...(await read(world, second))! }
    expect(drifted.inputs["powerState"]).toBe("running")
    expect(await up(world.session(), wanted, drifted)).toMatchObject({ outputs: { powerState: "off" } })
  })
  it.each([
    ["off", "stopped"],
    ["running", "running"]
  ])("%s that was begun before a crash counts when it is done, and is not begun again", async (powerState, status) => {
    const { first, world } = await bought({ powerState: powerState === "off" ? "running" : "off" })
    await (powerState === "off" ? world.api.stop(1) : world.api.start(1))
    world.calls.length = 0
    const second = await up(world.session(), { ...program, powerState }, first)
    expect(second).toMatchObject({ reasons: [], outputs: { powerState, status } })
    expect(mutations(world)).toEqual([])
  })
  it("a server is bought with power off, in rescue mode, and with an ISO", async () => {
    const world = new World()
    const made = await up(world.session(), {
      ...program,
      waitFor: "none",
      powerState: "off",
      bootMode: "rescue",
      isoId: 2
    })
    expect(made).toMatchObject({ reasons: [], outputs: { powerState: "off", bootMode: "rescue", isoId: 2 } })
    expect(mutations(world)).toEqual(["isoMount 1 2", "rescueEnter 1", "stop 1"])
  })
  it("a reboot that the service was too busy for is made by us", async () => {
    const { first, world } = await bought()
    world.machine(1).restarts = false
    const second = await up(world.session(), { ...program, bootMode: "rescue" }, first)
    expect(second).toMatchObject({ reasons: [], outputs: { bootMode: "rescue", status: "rescue" } })
    expect(mutations(world)).toEqual(["rescueEnter 1", "restart 1"])
  })
  it("a task that fails ends the wait at once, with its reason", async () => {
    const { first, world } = await bought()
    world.machine(1).failing = "stop"
    const before = world.now
    const second = await up(world.session(), { ...program, powerState: "off" }, first)
    expect(second.reasons[0]).toContain(
      "could not power off: powering off on instance 1 failed: The upstream refused it."
    )
    expect(world.now - before).toBeLessThan(60_000)
    expect(second.outputs["powerState"]).toBe("running")
  })
  it("a reinstall leaves rescue mode, and a server that is off boots for it", async () => {
    const { first, world } = await bought({ bootMode: "disk", powerState: "running" })
    Object.assign(world.machine(1), { bootMode: "rescue", power: "off", os: "debian-13" })
    const seen = await read(world, first)
    const wanted = { ...program, bootMode: "disk", powerState: "running", os: "debian-12", allowDataLoss: true }
    const second = await up(world.session(), wanted, { ...first, ...seen! })
    expect(second).toMatchObject({
      reasons: [],
      outputs: { bootMode: "disk", powerState: "running", status: "running" }
    })
    expect(mutations(world)).toEqual([])
    expect(world.count("reinstall")).toBe(1)
  })
  it("an ISO is unmounted when the program no longer names it, unless somebody put another one there", async () => {
    const { first, world } = await bought({ isoId: 1 })
    world.calls.length = 0
    const second = await up(world.session(), program, first)
    expect(mutations(world)).toEqual(["isoUnmount 1"])
    expect(second.outputs).not.toHaveProperty("isoId")
    world.calls.length = 0
    world.machine(1).isoId = 2
    await up(world.session(), program, first)
    expect(mutations(world)).toEqual([])
  })
  it("a refresh asks for them only where they are managed, and shows what was changed from outside", async () => {
    const { first, world } = await bought({ bootMode: "disk", isoId: 1 })
    Object.assign(world.machine(1), { bootMode: "rescue", isoId: null })
    const seen = await read(world, first)
    expect(seen?.inputs).toMatchObject({ bootMode: "rescue" })
    expect(seen?.inputs).not.toHaveProperty("isoId")
    const wanted = { ...program, bootMode: "disk", isoId: 1 }
    await up(world.session(), wanted, { ...first, ...seen! })
    expect(mutations(world)).toEqual(["isoMount 1 1", "rescueExit 1"])
    const plain = await bought()
    await read(plain.world, plain.first)
    expect(plain.world.calls).toEqual(["list"])
  })
  it("one that can't be looked at is not taken to be as wanted", async () => {
    const { first, world } = await bought()
    world.fail("status", apiError(502, "upstream"))
    const wanted = { ...program, bootMode: "rescue" }
    const second = await up(world.session(), wanted, first)
    expect(second.reasons[0]).toContain("the service returned 502: upstream")
    expect(second.outputs).not.toHaveProperty("bootMode")
    expect(await up(world.session(), wanted, second)).toMatchObject({ reasons: [], outputs: { status: "rescue" } })
  })
  it("a machine that does not answer keeps a refresh from nothing else", async () => {
    const { first, world } = await bought({ bootMode: "disk" })
    world.change(1, { hostname: "drift.example.com" })
    world.fail("status", apiError(502, "upstream"))
    expect((await read(world, first))?.outputs).toMatchObject({ bootMode: "disk", hostname: "drift.example.com" })
    expect(world.said("warning web: boot mode and ISO of instance 1 could not be read; the state keeps")).toBe(true)
  })
})
