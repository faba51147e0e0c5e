import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import type { Session } from "#provider/session/Session"
import { check, up, URN } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"

const named = (name: string, more: Record<string, unknown> = {}) => ({ serviceId: 1, __urn: `${URN}-${name}`, ...more })

const preview = async (session: Session, ...programs: ReadonlyArray<Record<string, unknown>>): Promise<string> => {
  const all = []
  for (const program of programs) {
    all.push(await instanceLifecycle.check(session, undefined, { __urn: URN, ...program }))
  }
  return all.flatMap(({ failures }) => failures.map(({ property, reason }) => `${property}: ${reason}`)).join("\n")
}

describe("the wallet in the preview", () => {
  it("shows the charge and the balance after all purchases so far, each looked up by its key", async () => {
    const env = await Environment.make()
    expect(await preview(env.session(), named("a"), named("b"), named("c", { serviceId: 2 }))).toBe("")
    expect(env.lines).toEqual([
      "info web-a: buying VPS S charges 4.99 EUR now (billed monthly); remaining balance: 95.01 EUR",
      "info web-b: buying VPS S charges 4.99 EUR now (billed monthly); remaining balance after all 2: 90.02 EUR",
      "info web-c: buying VPS M charges 9.99 EUR now (billed monthly); remaining balance after all 3: 80.03 EUR"
    ])
    expect(env.calls).toEqual(["whoami", "list", "dryRun 1 own key", "dryRun 1 own key", "dryRun 2 own key"])
  })
  it("sends nothing that changes anything, and no dry run for what is bought or unknown", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), named("a"))
    const calls = env.calls.length
    await check(env.session(), first.inputs, named("a"))
    await preview(env.session(), named("b", { serviceId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }))
    expect(env.calls.slice(calls)).toEqual(["whoami", "list"])
  })
  it("many purchases share the dry run of their plan", async () => {
    const env = await Environment.make()
    const names = Array.from({ length: 15 }, (_, index) => named(`w${index}`, { hostname: `w${index}.example.com` }))
    expect(await preview(env.session(), ...names)).toBe("")
    expect(env.count("dryRun")).toBe(11)
    const numbered = named("numbered", { hostname: "10.0.0.1" })
    expect(await preview(env.session(), ...names, numbered)).toContain("body.hostname")
  })
  it.each<[string, number, Record<string, unknown>, string]>([
    ["no funds", 4, {}, "the charge of 4.99 EUR exceeds the wallet balance (4.00 EUR)"],
    [
      "an unknown plan",
      100,
      { serviceId: 99 },
      "serviceId: plan 99 cannot be bought: the service returned 404: "
    ],
    ["exceeds maxCharge", 100, { maxCharge: 4.98 }, "maxCharge: the charge of 4.99 EUR exceeds maxCharge 4.98 EUR"]
  ])("%s fails", async (_, wallet, more, reason) => {
    const env = await Environment.make()
    await env.emulator.wallet.set(wallet)
    expect(await preview(env.session(), named("a", more))).toContain(reason)
    expect(env.count("dryRun")).toBe(2)
  })
  it("a coupon of several purchases: says once that it may lower only one charge", async () => {
    const env = await Environment.make()
    const orders = ["a", "b", "c"].map((name) => named(name, { serviceId: 2, couponCode: "MINUS5" }))
    expect(await preview(env.session(), ...orders)).toBe("")
    expect(env.lines.filter((line) => line.startsWith("warning"))).toEqual([
      "warning web-b: web-a uses coupon MINUS5, too, and the preview shows the discount for each. If the coupon may "
      + "be used only once, the update buys one of them, and refuses the others without a charge. Remove it from the "
      + "others"
    ])
    const session = env.session()
    const inputs = []
    for (const order of orders) inputs.push(await check(session, undefined, order))
    await instanceLifecycle.create(session, inputs[0]!)
    await expect(instanceLifecycle.create(session, inputs[1]!)).rejects.toThrow("Nothing was bought or charged")
    expect((await env.vps.instances.list()).length).toBe(1)
  })
  it("a coupon that the service refuses fails at the coupon", async () => {
    const env = await Environment.make()
    env.faults.fail("dryRun", apiError(400, "the coupon has expired"))
    expect(await preview(env.session(), named("a", { couponCode: "EXPIRED" })))
      .toBe("couponCode: this purchase was refused: the service returned 400: the coupon has expired")
  })
  it("exactly maxCharge and exactly the balance are enough", async () => {
    const env = await Environment.make()
    await env.emulator.wallet.set(4.99)
    expect(await preview(env.session(), named("a", { maxCharge: 4.99 }))).toBe("")
  })
  it("the sum of all purchases counts", async () => {
    const env = await Environment.make()
    await env.emulator.wallet.set(10)
    expect(await preview(env.session(), named("a"), named("b"))).toBe("")
    const session = env.session()
    const failures = await preview(session, named("a"), named("b"), named("c"))
    expect(failures).toContain(
      "the 3 purchases planned so far cost 14.97 EUR, which exceeds the wallet balance (10.00 EUR)"
    )
  })
  it("a resize counts, too", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), named("a"))
    await env.emulator.wallet.set(9)
    const session = env.session()
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
    const env = await Environment.make()
    const session = env.session({ maxChargePerUpdate: "9" })
    expect(await preview(session, named("a"), named("b"))).toContain("exceeds vps:maxChargePerUpdate")
  })
  it("what is bought already never fails for want of money", async () => {
    for (const shows of [true, false]) {
      const env = await Environment.make()
      env.shows = shows
      const names = ["a", "b", "c"].map((name) => named(name))
      for (const name of names) {
        const inputs = await check(env.session(), undefined, name)
        await env.buy({ service_id: 1 }, String(inputs["__purchaseKey"]))
      }
      await env.emulator.wallet.set(5)
      expect(await preview(env.session(), ...names, named("d"))).toBe("")
      expect(await preview(env.session(), ...names, named("d"), named("e"))).toContain(
        "exceeds the wallet balance"
      )
    }
  })
  it.each([[403, "the key lacks the scope"], [429, "too many requests"]])(
    "a %s warns instead",
    async (status, detail) => {
      const env = await Environment.make()
      env.faults.fail("dryRun", apiError(status, detail))
      expect(await preview(env.session(), named("a"))).toBe("")
      expect(env.said(`warning web-a: the charge is not available in the preview`)).toBe(true)
    }
  )
  it("a limit that the preview could not check is checked before the POST, or nothing is bought", async () => {
    const env = await Environment.make()
    for (let i = 0; i < 2; i++) env.faults.fail("dryRun", apiError(429, "too many requests"))
    await expect(up(env.session(), named("a", { maxCharge: 100 }))).rejects.toThrow(
      "web-a was not bought: the charge could not be checked against the limit. Nothing was charged."
    )
    expect(env.count("create")).toBe(0)
    env.faults.fail("dryRun", apiError(429, "too many requests"))
    expect((await up(env.session(), named("a", { maxCharge: 100 }))).reasons).toEqual([])
  })
  it("an input that a policy pack changed is checked again, in the preview and before the POST", async () => {
    const env = await Environment.make()
    for (const changed of [{ maxCharge: 4.98 }, { serviceId: 2, maxCharge: 9.98 }]) {
      const checked = { ...await check(env.session(), undefined, named("a", { maxCharge: 5 })), ...changed }
      const session = env.session()
      await check(session, undefined, named("a", { maxCharge: 5 }))
      const reason = /web-a .*: the charge of (4|9)\.99 EUR exceeds maxCharge \1\.98 EUR/
      await expect(instanceLifecycle.previewOutputs?.(session, checked)).rejects.toThrow(reason)
      await expect(instanceLifecycle.create(session, checked)).rejects.toThrow(reason)
    }
    expect(env.count("create")).toBe(0)
  })
  it("a plan that a policy pack changed is shown with its own charge, and counts once", async () => {
    const env = await Environment.make()
    const session = env.session()
    const checked = await check(session, undefined, named("a"))
    expect(await instanceLifecycle.previewOutputs?.(session, { ...checked, serviceId: 2 })).toMatchObject({
      chargeAmount: 9.99
    })
    expect(env.lines.at(-1)).toBe(
      "info web-a: buying VPS M charges 9.99 EUR now (billed monthly); remaining balance: 90.01 EUR"
    )
  })
  it("a limit that a policy pack set after the check holds for a resize, too", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), named("a"))
    const session = env.session()
    const wanted = await check(session, first.inputs, named("a", { serviceId: 2 }))
    const limited = { ...wanted, maxCharge: 1 }
    await expect(instanceLifecycle.diff(session, first.id, first.outputs, limited)).rejects.toThrow("exceeds maxCharge")
    await expect(instanceLifecycle.update(session, first.id, first.outputs, limited)).rejects.toThrow(
      "exceeds maxCharge"
    )
    expect(env.count("resize")).toBe(0)
  })
  it("an unreachable service fails the check, with the reason", async () => {
    const env = await Environment.make()
    env.faults.fail("dryRun", apiError(401, "the key is revoked"))
    const failures = await preview(env.session(), named("a"))
    expect(failures).toContain("the API key was rejected (401): the key is revoked")
  })
})
