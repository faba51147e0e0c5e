import { describe, expect, it } from "vitest"
import { bought, mutations, program } from "../Bought.ts"
import { up } from "../Runs.ts"
import { apiError } from "../Machine.ts"
import { noAnswer } from "../World.ts"

describe("a resize", () => {
  it("is one power cycle, charges the difference, and a second up changes nothing", async () => {
    const { first, world } = await bought()
    const second = await up(world.session(), { ...program, serviceId: 2 }, first)
    expect(mutations(world)).toEqual(["stop 1", "resize 1 2", "start 1"])
    expect(second).toMatchObject({ reasons: [], outputs: { serviceId: 2, status: "running", renewalPrice: 9.99 } })
    expect(world.wallet).toBeCloseTo(90.01)
    const calls = world.calls.length
    expect(await up(world.session(), { ...program, serviceId: 2 }, second)).toEqual(second)
    expect(world.calls).toHaveLength(calls)
  })
  it("shows its charge in the preview, and what is done", async () => {
    const { first, world } = await bought()
    const session = world.session()
    await up(session, { ...program, serviceId: 2 }, first)
    expect(world.said(
      "info web: resizing instance 1 from plan 1 (vps-s) to 2 (vps-m) charges 5.00 EUR now; "
        + "remaining balance: 90.01 EUR"
    )).toBe(true)
    expect(world.said("info web: steps for instance 1: power off, resize to plan 2, power on")).toBe(true)
    expect(world.said("info web: instance 1 is now on plan 2; charged 5.00 EUR")).toBe(true)
  })
  it.each<[string, Record<string, unknown>, Record<string, string>, number, string]>([
    ["maxCharge", { maxCharge: 4.99 }, {}, 100, "the charge of 5.00 EUR exceeds maxCharge 4.99 EUR"],
    ["maxChargePerUpdate", {}, { maxChargePerUpdate: "4" }, 100, "exceeds vps:maxChargePerUpdate"],
    ["the wallet", {}, {}, 3, "the charge of 5.00 EUR exceeds the wallet balance (3.00 EUR)"]
  ])("over %s fails the preview", async (_, more, configured, wallet, reason) => {
    const { first, world } = await bought()
    world.wallet = wallet
    await expect(up(world.session(configured), { ...program, ...more, serviceId: 2 }, first)).rejects.toThrow(reason)
    expect(mutations(world)).toEqual([])
  })
  it("a charge that can't be known is warned of, and with a limit it is no longer made", async () => {
    const { first, world } = await bought()
    const busy = () => {
      for (let i = 0; i < 2; i++) world.fail("availablePlans", apiError(429, "too many requests"))
    }
    busy()
    const refused = await up(world.session(), { ...program, serviceId: 2, maxCharge: 9 }, first)
    expect(refused.reasons[0]).toContain(
      "the charge could not be checked against the limit. Nothing was charged"
    )
    expect(refused.reasons[0]).toContain("It was powered on again")
    busy()
    expect(await up(world.session(), { ...program, serviceId: 2 }, refused)).toMatchObject({ reasons: [] })
    expect(world.said("warning web: the charge for resizing instance 1 to plan 2 is not available")).toBe(true)
  })
  it("that fails gives the money and the power back, and says so", async () => {
    const { first, world } = await bought()
    world.machine(1).failing = "resize"
    const second = await up(world.session(), { ...program, serviceId: 2 }, first)
    expect(second.reasons[0]).toContain("instance 1 could not resize to plan 2: ")
    expect(second.reasons[0]).toContain("The upstream refused it. The charge was refunded. It was powered on again")
    expect(second.outputs).toMatchObject({ serviceId: 1, status: "running" })
    expect(await up(world.session(), { ...program, serviceId: 2 }, second)).toMatchObject({ reasons: [] })
    expect(world.wallet).toBeCloseTo(90.01)
  })
  it("that the wallet no longer covers is not repeated, and the power is back", async () => {
    const { first, world } = await bought()
    world.fail("resize", apiError(402, "the wallet holds 1.00"))
    const second = await up(world.session(), { ...program, serviceId: 2 }, first)
    expect(second.reasons[0]).toContain(
      "could not resize to plan 2: the service returned 402: the wallet holds 1.00. Nothing was charged. It was "
        + "powered on again. Completed before it: power off. Run `pulumi up` again to continue."
    )
    expect(mutations(world)).toEqual(["stop 1", "resize 1 2", "start 1"])
  })
  it("whose answer is lost is found in the feed, and not asked for again", async () => {
    const { first, world } = await bought()
    world.fail("resize", noAnswer(), true)
    expect(await up(world.session(), { ...program, serviceId: 2 }, first)).toMatchObject({ reasons: [] })
    expect(world.count("resize")).toBe(1)
    expect(world.wallet).toBeCloseTo(90.01)
  })
  it("to the plan that it is on by now is done", async () => {
    const { first, world } = await bought()
    Object.assign(world.api, {
      resize: () => {
        world.change(1, { serviceId: 2 })
        return Promise.reject(apiError(409, "this is the current plan"))
      }
    })
    expect(await up(world.session(), { ...program, serviceId: 2 }, first)).toMatchObject({
      reasons: [],
      outputs: { serviceId: 2, status: "running" }
    })
  })
  it("of a server that somebody powered off leaves it off", async () => {
    const { first, world } = await bought()
    world.change(1, { status: "stopped" })
    const second = await up(world.session(), { ...program, serviceId: 2 }, first)
    expect(second).toMatchObject({ reasons: [], outputs: { status: "stopped", serviceId: 2 } })
  })
})

describe("a reinstall", () => {
  const key = "ssh-ed25519 AAAA"
  it("installs key and password of the program, and says what is lost", async () => {
    const { first, world } = await bought({ sshPublicKey: key, rootPassword: "first-password" })
    const next = {
      ...program,
      os: "debian-13",
      allowDataLoss: true,
      sshPublicKey: "ssh-ed25519 BBBB",
      rootPassword: "other-password"
    }
    const second = await up(world.session(), next, first)
    expect(mutations(world)).toEqual([
      "reinstall 1 {\"os\":\"debian-13\",\"password\":\"other-password\",\"ssh_pubkey\":\"ssh-ed25519 BBBB\"}"
    ])
    expect(second.outputs).toMatchObject({
      os: "debian-13",
      sshPublicKey: "ssh-ed25519 BBBB",
      rootPassword: "other-password"
    })
    expect(second.outputs).not.toHaveProperty("pendingSshKey")
    expect(
      world.said("warning web: steps for instance 1: reinstall with debian-13; this deletes everything on its disk")
    ).toBe(
      true
    )
  })
  it("by triggers: given first they are recorded, changed they need allowDataLoss", async () => {
    const { first, world } = await bought()
    const second = await up(world.session(), { ...program, reinstallTriggers: ["a"] }, first)
    expect(mutations(world)).toEqual([])
    const changed = { ...program, reinstallTriggers: ["b"] }
    await expect(up(world.session(), changed, second)).rejects.toThrow(
      "changing reinstallTriggers reinstalls instance 1"
    )
    const third = await up(world.session(), { ...changed, allowDataLoss: true }, second)
    expect(mutations(world)).toEqual(["reinstall 1 {\"os\":\"debian-12\"}"])
    const again = await up(world.session(), { ...changed, allowDataLoss: true }, third)
    expect(again.outputs).toEqual(third.outputs)
    for (const value of ["a", "b"]) {
      const next = { ...program, allowDataLoss: true, reinstallTriggers: [value] }
      await up(world.session(), next, { ...third, outputs: { ...third.outputs, reinstallTriggers: ["x"] } })
    }
    expect(world.count("reinstall")).toBe(3)
  })
  it("that failed is said to have, and asked for again by the next up", async () => {
    const { first, world } = await bought()
    world.machine(1).failing = "reinstall"
    const next = { ...program, os: "debian-13", allowDataLoss: true }
    const second = await up(world.session(), next, first)
    expect(second.reasons[0]).toContain("could not reinstall with debian-13")
    expect(second.outputs["os"]).toBe("debian-12")
    expect(await up(world.session(), next, second)).toMatchObject({ reasons: [], outputs: { os: "debian-13" } })
    expect(world.count("reinstall")).toBe(2)
  })
  it("whose answer is lost, also for good, is never asked for twice", async () => {
    const next = { ...program, os: "debian-13", allowDataLoss: true, reinstallTriggers: ["b"] }
    for (const feed of [true, false]) {
      const { first, world } = await bought({ reinstallTriggers: ["a"] })
      const { tasks } = world.api
      world.fail("reinstall", noAnswer(), true)
      const revoked = () => Promise.reject(apiError(401, "revoked"))
      Object.assign(world.api, {
        tasks: (id: number) => feed || world.count("reinstall") === 0 ? tasks(id) : revoked()
      })
      const second = await up(world.session(), next, first)
      expect(second.reasons).toHaveLength(feed ? 0 : 1)
      Object.assign(world.api, { tasks })
      const last = feed ? second : await up(world.session(), next, second)
      expect(last).toMatchObject({ reasons: [], outputs: { os: "debian-13", reinstallTriggers: ["b"] } })
      expect(world.count("reinstall")).toBe(1)
    }
  })
})
