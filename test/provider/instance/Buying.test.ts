import { describe, expect, it } from "vitest"
import { asInputs } from "#provider/instance/Definition"
import { instanceLifecycle } from "#provider/instance/Instance"
import { check, up } from "../Runs.ts"
import { apiError } from "../Machine.ts"
import { noAnswer, World } from "../World.ts"

const DAY = 86_400_000
const program = { serviceId: 1, hostname: "web.example.com", os: "debian-12" }

/** An up that was killed after the POST had been answered: bought, and nothing in the state. */
const crashedUp = async (world: World, inputs: Record<string, unknown> = program): Promise<void> => {
  const checked = await check(world.session(), undefined, inputs)
  const { __purchaseKey: key, hostname, os, rootPassword, serviceId, sshPublicKey } = asInputs(checked)
  const body = { service_id: serviceId, hostname, os, ssh_pubkey: sshPublicKey, root_password: rootPassword }
  world.buy(JSON.parse(JSON.stringify(body)), key)
}

describe("buying an Instance", () => {
  it("buys once, waits for the address, and a second up changes nothing", async () => {
    const world = new World()
    const first = await up(world.session(), program)
    expect(first).toMatchObject({ id: "1", reasons: [], outputs: { ...program, ipv4: "203.0.113.1", userId: 1 } })
    expect(first.outputs).toMatchObject({ chargeAmount: 4.99, currency: "EUR", renewalPrice: 4.99, status: "running" })
    const calls = world.calls.length
    const second = await up(world.session(), program, first)
    expect(second).toEqual(first)
    expect(world.calls.slice(calls)).toEqual([])
    expect(world.count("create")).toBe(1)
  })

  it("asks what was bought once per process, before the first POST", async () => {
    const world = new World()
    await up(world.session(), program)
    expect(world.calls.slice(0, 4)).toEqual(["whoami", "list", "dryRun 1", expect.stringMatching(/^create /)])
  })

  it("waitFor none returns at once; running waits for the machine", async () => {
    const world = new World()
    const none = await up(world.session(), { ...program, waitFor: "none" })
    expect(none.outputs).not.toHaveProperty("ipv4")
    expect(none.outputs["status"]).toBe("provisioning")
    const running = await up(world.session(), { ...program, generation: 2, waitFor: "running" })
    expect(running.outputs["status"]).toBe("running")
  })

  it("the id is saved before the wait, and the next up goes on waiting", async () => {
    const world = new World()
    const slow = { ...program, timeouts: { create: "30s" } }
    const first = await up(world.session(), slow)
    expect(first).toMatchObject({ id: "1", outputs: { status: "provisioning", purchaseKey: expect.any(String) } })
    expect(first.reasons).toEqual([expect.stringContaining("web: instance 1 was created but is not ready yet")])
    expect(first.reasons[0]).toContain("It is paid for and will not be charged again")
    const second = await up(world.session(), slow, first)
    expect(second).toMatchObject({ id: "1", reasons: [], outputs: { ipv4: "203.0.113.1", chargeAmount: 4.99 } })
    expect(world.count("create")).toBe(1)
  })

  it("a refused key, a lost connection or a rate limit while waiting never loses the id", async () => {
    const world = new World()
    world.fail("get", apiError(429, "slow down", { retryAfter: 5 }))
    world.fail("get", noAnswer())
    world.fail("get", apiError(401, "revoked"))
    const first = await up(world.session(), program)
    expect(first).toMatchObject({
      id: "1",
      reasons: [expect.stringContaining("the API key was rejected (401): revoked")]
    })
    expect((await up(world.session(), program, first)).reasons).toEqual([])
  })

  it("provisioning that failed was refunded: no id, and the error says what to do", async () => {
    const world = new World()
    const session = world.session()
    const inputs = await check(session, undefined, program)
    const creating = instanceLifecycle.create(session, inputs)
    await expect(Promise.all([creating, failWhenBought(world)])).rejects.toThrow(
      "web: instance 1 could not be provisioned, and the purchase was refunded. Set generation: 2"
    )
    await expect(check(world.session(), undefined, program)).rejects.toThrow("Set generation: 2")
    expect((await up(world.session(), { ...program, generation: 2 })).id).toBe("2")
  })

  it("an error of the purchase says whether it was charged", async () => {
    const world = new World()
    world.fail("create", apiError(402, "the wallet is empty"))
    await expect(up(world.session(), program)).rejects.toThrow(
      "402: the wallet is empty. Nothing was bought or charged."
    )
    world.fail("create", noAnswer(), true)
    await expect(up(world.session(), program)).rejects.toThrow("it looks for the purchase first and never buys twice")
    expect(await up(world.session(), program)).toMatchObject({ id: "1", reasons: [] })
    expect(world.wallet).toBeCloseTo(95.01)
  })
})

const failWhenBought = async (world: World): Promise<void> => {
  while (world.count("create") === 0 || world.count("get") === 0) await new Promise((resolve) => setImmediate(resolve))
  world.change(1, { status: "failed" })
}

describe("buying again under the same name", () => {
  it("after a crash it is the same server and one charge", async () => {
    const world = new World()
    await crashedUp(world)
    const after = await up(world.session(), program)
    expect(after).toMatchObject({ id: "1", reasons: [], outputs: { currency: "EUR" } })
    expect(world.count("create")).toBe(0)
    expect(world.said("by an earlier run; continuing with it, nothing is charged")).toBe(true)
  })

  it("on a host that shows no digest the idempotency key finds it", async () => {
    const world = new World()
    world.shows = false
    await crashedUp(world)
    expect(await up(world.session(), program)).toMatchObject({ id: "1", reasons: [] })
    expect(world.count("create")).toBe(1)
    expect(world.wallet).toBeCloseTo(95.01)
  })

  it("a corrected hostname is applied, also where the service doesn't show the old one", async () => {
    for (const shows of [true, false]) {
      const world = new World()
      world.shows = shows
      await crashedUp(world)
      const after = await up(world.session(), { ...program, hostname: "www.example.com" })
      expect(after).toMatchObject({ id: "1", reasons: [], outputs: { hostname: "www.example.com" } })
      expect(world.count("hostname 1 www.example.com")).toBe(1)
    }
  })

  it("another plan means a resize, whose charge the preview shows", async () => {
    const world = new World()
    await crashedUp(world)
    const after = await up(world.session(), { ...program, serviceId: 2 })
    expect(after).toMatchObject({
      id: "1",
      reasons: [],
      outputs: { serviceId: 2, status: "running", chargeAmount: 4.99 }
    })
    expect(world.said("info web: resizing instance 1 from plan 1 (vps-s) to 2 (vps-m) charges 5.00 EUR now")).toBe(true)
    expect(world.count("create")).toBe(0)
    expect(world.wallet).toBeCloseTo(90.01)
  })

  it("another system needs allowDataLoss, in the preview and where only the update finds out", async () => {
    const other = { ...program, os: "debian-13" }
    const world = new World()
    await crashedUp(world)
    await expect(up(world.session(), other)).rejects.toThrow(
      "changing os from debian-12 to debian-13 reinstalls instance 1"
    )
    expect(await up(world.session(), { ...other, allowDataLoss: true })).toMatchObject({
      reasons: [],
      outputs: { os: "debian-13" }
    })
    expect(world.machine(1).disk).toBe("installed debian-13 with no key")
  })

  it("a replay's charge is the order's price less its coupon; not known where the order does not tell", async () => {
    for (const [discount, charge] of [[0, 4.99], [0.5, 4.49], [undefined, undefined]] as const) {
      const world = new World()
      world.discount = discount
      await crashedUp(world)
      expect((await up(world.session(), program)).outputs["chargeAmount"]).toBe(charge)
    }
  })

  it("another SSH key waits for the next reinstall, another password is told", async () => {
    const world = new World()
    world.shows = false
    await crashedUp(world, { ...program, rootPassword: "first-password", sshPublicKey: "ssh-ed25519 AAAA" })
    const after = await up(world.session(), {
      ...program,
      rootPassword: "other-password",
      sshPublicKey: "ssh-ed25519 BBBB"
    })
    expect(after.outputs).toMatchObject({ pendingSshKey: "ssh-ed25519 BBBB" })
    expect(after.outputs).not.toHaveProperty("sshPublicKey")
    expect(world.said("warning web: instance 1 was bought with another rootPassword")).toBe(true)
  })

  it("after a reinstall nobody knows which key is installed: the program's waits for the next one", async () => {
    const world = new World()
    const keyed = { ...program, sshPublicKey: "ssh-ed25519 AAAA" }
    const first = await up(world.session(), keyed)
    await up(world.session(), { ...keyed, os: "debian-13", allowDataLoss: true }, first)
    const again = await up(world.session(), { ...keyed, os: "debian-13" })
    expect(again.outputs).toMatchObject({ pendingSshKey: "ssh-ed25519 AAAA", os: "debian-13" })
    expect(again.outputs).not.toHaveProperty("sshPublicKey")
  })

  it("a server that a destroy had stopped is started again", async () => {
    const world = new World()
    const first = await up(world.session(), program)
    await instanceLifecycle.delete(world.session({}, { VPS_DELETION_POLICY: "stop" }), first.id, first.outputs)
    expect(await up(world.session(), program)).toMatchObject({ id: "1", reasons: [], outputs: { status: "running" } })
    expect(world.count("start 1")).toBe(1)
  })

  it("a purchase older than 24 hours is not taken silently, and the preview says so", async () => {
    const world = new World()
    await crashedUp(world)
    world.now += DAY + 1
    const refusal =
      "bought instance 1 on 2026-03-01T12:00:00.000Z. Set adoptInstanceId: 1 to adopt it, or generation: 2 to buy"
    await expect(check(world.session(), undefined, program)).rejects.toThrow(refusal)
    world.shows = false
    await expect(up(world.session(), program)).rejects.toThrow(refusal)
    expect(await up(world.session(), { ...program, adoptInstanceId: 1 })).toMatchObject({ id: "1", reasons: [] })
    expect(await up(world.session(), { ...program, generation: 2 })).toMatchObject({ id: "2", reasons: [] })
  })

  it("24 hours to the millisecond are still a retry", async () => {
    const world = new World()
    await crashedUp(world)
    world.now += DAY
    expect(await up(world.session(), program)).toMatchObject({ id: "1", reasons: [] })
  })

  it("a rename with an alias keeps the key, so nothing is bought", async () => {
    const world = new World()
    const first = await up(world.session(), program)
    const renamed = { ...program, __urn: "urn:pulumi:prod::shop::vps:index:Instance::frontend" }
    const second = await up(world.session(), renamed, first)
    expect(second.inputs["__purchaseKey"]).toBe(first.inputs["__purchaseKey"])
    expect(second.id).toBe("1")
  })
})

describe("a server that another resource of the stack holds", () => {
  it("is not taken by a new resource under its old name", async () => {
    const world = new World()
    const first = await up(world.session(), program)
    const session = world.session()
    const renamed = { ...program, __urn: "urn:pulumi:prod::shop::vps:index:Instance::frontend" }
    await up(session, renamed, first)
    await expect(up(session, program)).rejects.toThrow("web: instance 1 is already managed by frontend in this stack")
    await expect(up(session, { ...program, adoptInstanceId: 1 })).rejects.toThrow(
      "instance 1 is already managed by frontend"
    )
    expect(await up(session, { ...program, generation: 2 })).toMatchObject({ id: "2", reasons: [] })
  })
})
