import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import type { Session } from "#provider/session/Session"
import { check, up, URN } from "../Runs.ts"
import { apiError } from "../Machine.ts"
import { World } from "../World.ts"

const named = (name: string, more: Record<string, unknown> = {}) => ({ serviceId: 1, __urn: `${URN}-${name}`, ...more })

const preview = async (session: Session, ...programs: ReadonlyArray<Record<string, unknown>>): Promise<string> => {
  const all = []
  for (const program of programs) {
    all.push(await instanceLifecycle.check(session, undefined, { __urn: URN, ...program }))
  }
  return all.flatMap(({ failures }) => failures.map(({ property, reason }) => `${property}: ${reason}`)).join("\n")
}

describe("the wallet in the preview", () => {
  it("tells the charge and the balance after all purchases so far, with one dry run per plan", async () => {
    const world = new World()
    expect(await preview(world.session(), named("a"), named("b"), named("c", { serviceId: 2 }))).toBe("")
    expect(world.lines).toEqual([
      "info web-a: buying vps-s charges 4.99 EUR now (billed monthly); remaining balance: 95.01 EUR",
      "info web-b: buying vps-s charges 4.99 EUR now (billed monthly); remaining balance after all 2: 90.02 EUR",
      "info web-c: buying vps-m charges 9.99 EUR now (billed monthly); remaining balance after all 3: 80.03 EUR"
    ])
    expect(world.calls).toEqual(["whoami", "list", "dryRun 1", "dryRun 2"])
  })
  it("sends nothing that changes anything, and nothing at all for what is bought or unknown", async () => {
    const world = new World()
    const first = await up(world.session(), named("a"))
    const calls = world.calls.length
    await check(world.session(), first.inputs, named("a"))
    await preview(world.session(), named("b", { serviceId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }))
    expect(world.calls.slice(calls)).toEqual([])
  })
  it.each<[string, number, Record<string, unknown>, string]>([
    ["no funds", 4, {}, "the charge of 4.99 EUR exceeds the wallet balance (4.00 EUR)"],
    [
      "an unknown plan",
      100,
      { serviceId: 99 },
      "serviceId: plan 99 cannot be bought: the service returned 404: no plan 99"
    ],
    ["exceeds maxCharge", 100, { maxCharge: 4.98 }, "maxCharge: the charge of 4.99 EUR exceeds maxCharge 4.98 EUR"]
  ])("%s fails", async (_, wallet, more, reason) => {
    const world = new World()
    world.wallet = wallet
    expect(await preview(world.session(), named("a", more))).toContain(reason)
    expect(world.count("dryRun")).toBe(2)
  })
  it("a coupon that the service refuses fails at the coupon", async () => {
    const world = new World()
    world.fail("dryRun", apiError(400, "the coupon has expired"))
    expect(await preview(world.session(), named("a", { couponCode: "EXPIRED" })))
      .toBe("couponCode: this purchase was refused: the service returned 400: the coupon has expired")
  })
  it("exactly maxCharge and exactly the balance are enough", async () => {
    const world = new World()
    world.wallet = 4.99
    expect(await preview(world.session(), named("a", { maxCharge: 4.99 }))).toBe("")
  })
  it("the sum of all purchases counts", async () => {
    const world = new World()
    world.wallet = 10
    expect(await preview(world.session(), named("a"), named("b"))).toBe("")
    const session = world.session()
    const failures = await preview(session, named("a"), named("b"), named("c"))
    expect(failures).toContain(
      "the 3 purchases planned so far cost 14.97 EUR, which exceeds the wallet balance (10.00 EUR)"
    )
  })
  it("a resize counts, too", async () => {
    const world = new World()
    const first = await up(world.session(), named("a"))
    world.wallet = 9
    const session = world.session()
    expect(await preview(session, named("b"))).toBe("")
    const { failures } = await instanceLifecycle.check(session, first.inputs, { ...named("a"), serviceId: 2 })
    expect(failures).toEqual([{
      property: "",
      reason:
        "the 2 purchases planned so far cost 9.99 EUR, which exceeds the wallet balance (9.00 EUR). Top up the wallet. "
        + "Nothing was bought"
    }])
  })
  it("maxChargePerUpdate limits the sum", async () => {
    const world = new World()
    const session = world.session({ maxChargePerUpdate: "9" })
    expect(await preview(session, named("a"), named("b"))).toContain("exceeds vps:maxChargePerUpdate")
  })
  it("what is bought already never fails for want of money", async () => {
    for (const shows of [true, false]) {
      const world = new World()
      world.shows = shows
      const names = ["a", "b", "c"].map((name) => named(name))
      for (const name of names) {
        const inputs = await check(world.session(), undefined, name)
        world.buy({ service_id: 1 }, String(inputs["__purchaseKey"]))
      }
      world.wallet = 5
      expect(await preview(world.session(), ...names, named("d"))).toBe("")
      expect(await preview(world.session(), ...names, named("d"), named("e"))).toContain(
        "exceeds the wallet balance"
      )
    }
  })
  it.each([[403, "the key lacks the scope"], [429, "too many requests"]])(
    "a %s warns instead",
    async (status, detail) => {
      const world = new World()
      world.fail("dryRun", apiError(status, detail))
      expect(await preview(world.session(), named("a"))).toBe("")
      expect(world.said(`warning web-a: the charge is not available in the preview`)).toBe(true)
    }
  )
  it("a limit that the preview could not check is checked before the POST, or nothing is bought", async () => {
    const world = new World()
    for (let i = 0; i < 2; i++) world.fail("dryRun", apiError(429, "too many requests"))
    await expect(up(world.session(), named("a", { maxCharge: 100 }))).rejects.toThrow(
      "web-a was not bought: the charge could not be checked against the limit. Nothing was charged."
    )
    expect(world.count("create")).toBe(0)
    world.fail("dryRun", apiError(429, "too many requests"))
    expect((await up(world.session(), named("a", { maxCharge: 100 }))).reasons).toEqual([])
  })
  it("what a policy pack changed after the check is judged anew, in the preview and before the POST", async () => {
    const world = new World()
    for (const changed of [{ maxCharge: 4.98 }, { serviceId: 2, maxCharge: 9.98 }]) {
      const checked = { ...await check(world.session(), undefined, named("a", { maxCharge: 5 })), ...changed }
      const session = world.session()
      await check(session, undefined, named("a", { maxCharge: 5 }))
      const reason = /web-a .*: the charge of (4|9)\.99 EUR exceeds maxCharge \1\.98 EUR/
      await expect(instanceLifecycle.previewOutputs?.(session, checked)).rejects.toThrow(reason)
      await expect(instanceLifecycle.create(session, checked)).rejects.toThrow(reason)
    }
    expect(world.count("create")).toBe(0)
  })
  it("another plan by a policy pack is told with its own charge, and counts once", async () => {
    const world = new World()
    const session = world.session()
    const checked = await check(session, undefined, named("a"))
    expect(await instanceLifecycle.previewOutputs?.(session, { ...checked, serviceId: 2 })).toMatchObject({
      chargeAmount: 9.99
    })
    expect(world.lines.at(-1)).toBe(
      "info web-a: buying vps-m charges 9.99 EUR now (billed monthly); remaining balance: 90.01 EUR"
    )
  })
  it("a limit that a policy pack set after the check holds for a resize, too", async () => {
    const world = new World()
    const first = await up(world.session(), named("a"))
    const session = world.session()
    const wanted = await check(session, first.inputs, named("a", { serviceId: 2 }))
    const limited = { ...wanted, maxCharge: 1 }
    await expect(instanceLifecycle.diff(session, first.id, first.outputs, limited)).rejects.toThrow("exceeds maxCharge")
    await expect(instanceLifecycle.update(session, first.id, first.outputs, limited)).rejects.toThrow(
      "exceeds maxCharge"
    )
    expect(world.count("resize")).toBe(0)
  })
  it("a service that can't be asked fails the check, with the reason", async () => {
    const world = new World()
    world.fail("dryRun", apiError(401, "the key is revoked"))
    const failures = await preview(world.session(), named("a"))
    expect(failures).toContain("the API key was rejected (401): the key is revoked")
    expect(failures).toContain("VPS_API_KEY")
  })
})
