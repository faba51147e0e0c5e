import { describe, expect, it } from "vitest"
import { type Stored, up } from "../Runs.ts"
import { DEPLOY_TIME, World } from "../World.ts"

describe("taking over an instance", () => {
  const taken = { serviceId: 1, hostname: "old.example.com", adoptInstanceId: 1 }
  it("buys nothing and changes nothing that agrees", async () => {
    const world = new World()
    world.buy({ service_id: 1, hostname: "old.example.com" })
    world.now += DEPLOY_TIME
    const after: Stored = await up(world.session(), taken)
    expect(after).toMatchObject({
      id: "1",
      reasons: [],
      outputs: { purchaseKey: "", os: "debian-12", currency: "EUR" }
    })
    expect(world.calls).toEqual(["get 1", "dryRun 1"])
    expect(await up(world.session(), taken, after)).toEqual(after)
  })
  it("unknown fields take the program's values silently; known ones are reconciled", async () => {
    const world = new World()
    world.buy({ service_id: 1, hostname: "old.example.com" })
    world.now += DEPLOY_TIME
    const renamed = await up(world.session(), { ...taken, hostname: "new.example.com" })
    expect(renamed.outputs["hostname"]).toBe("new.example.com")
    expect(world.count("hostname")).toBe(1)
    world.shows = false
    const silent = await up(world.session(), { ...taken, hostname: "other.example.com", os: "debian-13" })
    expect(silent).toMatchObject({ reasons: [], outputs: { hostname: "other.example.com", os: "debian-13" } })
    expect(world.count("hostname")).toBe(1)
  })
  it("another plan, another system or no such server is refused before anything is taken", async () => {
    const world = new World()
    world.buy({ service_id: 1 })
    world.now += DEPLOY_TIME
    await expect(up(world.session(), { ...taken, serviceId: 2 })).rejects.toThrow(
      "instance 1 is on plan 1 (vps-s), but the program has plan 2. It was not adopted"
    )
    await expect(up(world.session(), { ...taken, os: "alma-9" })).rejects.toThrow(
      "Set os: \"debian-12\", and change it in a later update"
    )
    await expect(up(world.session(), { ...taken, adoptInstanceId: 9 })).rejects.toThrow(
      "instance 9 not found in account 1"
    )
  })
})
