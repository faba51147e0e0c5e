import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import type { Session } from "#provider/session/Session"
import { check, up, URN } from "../Runs.ts"
import { Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

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
    assert.strictEqual(await preview(env.session(), named("a"), named("b"), named("c", { serviceId: 2 })), "")
    assert.deepStrictEqual(env.lines, [
      "info web-a: buying VPS S charges 4.99 EUR now (billed monthly); remaining balance: 95.01 EUR",
      "info web-b: buying VPS S charges 4.99 EUR now (billed monthly); remaining balance after all 2: 90.02 EUR",
      "info web-c: buying VPS M charges 9.99 EUR now (billed monthly); remaining balance after all 3: 80.03 EUR"
    ])
    assert.deepStrictEqual(env.calls, ["whoami", "list", "dryRun 1 own key", "dryRun 1 own key", "dryRun 2 own key"])
  })
  it("sends nothing that changes anything, and no dry run for what is bought or unknown", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), named("a"))
    const calls = env.calls.length
    await check(env.session(), first.inputs, named("a"))
    await preview(env.session(), named("b", { serviceId: "04da6b54-80e4-46f7-96ec-b56ff0331ba9" }))
    assert.deepStrictEqual(env.calls.slice(calls), ["whoami", "list"])
  })
  it("many purchases share the dry run of their plan", async () => {
    const env = await Environment.make()
    const names = Array.from({ length: 15 }, (_, index) => named(`w${index}`, { hostname: `w${index}.example.com` }))
    assert.strictEqual(await preview(env.session(), ...names), "")
    assert.strictEqual(env.count("dryRun"), 11)
    const numbered = named("numbered", { hostname: "10.0.0.1" })
    assert.include(await preview(env.session(), ...names, numbered), "body.hostname")
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
    assert.include(await preview(env.session(), named("a", more)), reason)
    assert.strictEqual(env.count("dryRun"), 2)
  })
  it("a coupon of several purchases: says once that it may lower only one charge", async () => {
    const env = await Environment.make()
    const orders = ["a", "b", "c"].map((name) => named(name, { serviceId: 2, couponCode: "MINUS5" }))
    assert.strictEqual(await preview(env.session(), ...orders), "")
    assert.deepStrictEqual(env.lines.filter((line) => line.startsWith("warning")), [
      "warning web-b: web-a uses coupon MINUS5, too, and the preview shows the discount for each. If the coupon may "
      + "be used only once, the update buys one of them, and refuses the others without a charge. Remove it from the "
      + "others"
    ])
    const session = env.session()
    const inputs = []
    for (const order of orders) inputs.push(await check(session, undefined, order))
    await instanceLifecycle.create(session, inputs[0]!)
    assert.include(
      (await rejection(instanceLifecycle.create(session, inputs[1]!))).message,
      "Nothing was bought or charged"
    )
    assert.strictEqual((await env.vps.instances.list()).length, 1)
  })
  it("a coupon that the service refuses fails at the coupon", async () => {
    const env = await Environment.make()
    env.faults.fail("dryRun", apiError(400, "the coupon has expired"))
    assert.strictEqual(
      await preview(env.session(), named("a", { couponCode: "EXPIRED" })),
      "couponCode: this purchase was refused: the service returned 400: the coupon has expired"
    )
  })
  it("exactly maxCharge and exactly the balance are enough", async () => {
    const env = await Environment.make()
    await env.emulator.wallet.set(4.99)
    assert.strictEqual(await preview(env.session(), named("a", { maxCharge: 4.99 })), "")
  })
  it("the sum of all purchases counts", async () => {
    const env = await Environment.make()
    await env.emulator.wallet.set(10)
    assert.strictEqual(await preview(env.session(), named("a"), named("b")), "")
    const session = env.session()
    const failures = await preview(session, named("a"), named("b"), named("c"))
    assert.include(
      failures,
      "the 3 purchases planned so far cost 14.97 EUR, which exceeds the wallet balance (10.00 EUR)"
    )
  })
  it("a resize counts, too", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), named("a"))
    await env.emulator.wallet.set(9)
    const session = env.session()
    assert.strictEqual(await preview(session, named("b")), "")
    const { failures } = await instanceLifecycle.check(session, first.inputs, { ...named("a"), serviceId: 2 })
    assert.deepStrictEqual(failures, [{
      property: "",
      reason:
        "the 2 purchases planned so far cost 9.99 EUR, which exceeds the wallet balance (9.00 EUR). Top up the wallet. "
        + "Nothing was bought"
    }])
  })
  it("maxChargePerUpdate limits the sum", async () => {
    const env = await Environment.make()
    const session = env.session({ maxChargePerUpdate: "9" })
    assert.include(await preview(session, named("a"), named("b")), "exceeds vps:maxChargePerUpdate")
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
      assert.strictEqual(await preview(env.session(), ...names, named("d")), "")
      assert.include(await preview(env.session(), ...names, named("d"), named("e")), "exceeds the wallet balance")
    }
  })
  it.each([[403, "the key lacks the scope"], [429, "too many requests"]])(
    "a %s warns instead",
    async (status, detail) => {
      const env = await Environment.make()
      env.faults.fail("dryRun", apiError(status, detail))
      assert.strictEqual(await preview(env.session(), named("a")), "")
      assert.isTrue(env.said(`warning web-a: the charge is not available in the preview`))
    }
  )
  it("a limit that the preview could not check is checked before the POST, or nothing is bought", async () => {
    const env = await Environment.make()
    for (let i = 0; i < 2; i++) env.faults.fail("dryRun", apiError(429, "too many requests"))
    assert.include(
      (await rejection(up(env.session(), named("a", { maxCharge: 100 })))).message,
      "web-a was not bought: the charge could not be checked against the limit. Nothing was charged."
    )
    assert.strictEqual(env.count("create"), 0)
    env.faults.fail("dryRun", apiError(429, "too many requests"))
    assert.deepStrictEqual((await up(env.session(), named("a", { maxCharge: 100 }))).reasons, [])
  })
  it("an input that a policy pack changed is checked again, in the preview and before the POST", async () => {
    const env = await Environment.make()
    for (const changed of [{ maxCharge: 4.98 }, { serviceId: 2, maxCharge: 9.98 }]) {
      const checked = { ...await check(env.session(), undefined, named("a", { maxCharge: 5 })), ...changed }
      const session = env.session()
      await check(session, undefined, named("a", { maxCharge: 5 }))
      const reason = /web-a .*: the charge of (4|9)\.99 EUR exceeds maxCharge \1\.98 EUR/
      assert.match((await rejection(instanceLifecycle.previewOutputs?.(session, checked))).message, reason)
      assert.match((await rejection(instanceLifecycle.create(session, checked))).message, reason)
    }
    assert.strictEqual(env.count("create"), 0)
  })
  it("a plan that a policy pack changed is shown with its own charge, and counts once", async () => {
    const env = await Environment.make()
    const session = env.session()
    const checked = await check(session, undefined, named("a"))
    assertLike(await instanceLifecycle.previewOutputs?.(session, { ...checked, serviceId: 2 }), {
      chargeAmount: 9.99
    })
    assert.strictEqual(
      env.lines.at(-1),
      "info web-a: buying VPS M charges 9.99 EUR now (billed monthly); remaining balance: 90.01 EUR"
    )
  })
  it("a limit that a policy pack set after the check holds for a resize, too", async () => {
    const env = await Environment.make()
    const first = await up(env.session(), named("a"))
    const session = env.session()
    const wanted = await check(session, first.inputs, named("a", { serviceId: 2 }))
    const limited = { ...wanted, maxCharge: 1 }
    assert.include(
      (await rejection(instanceLifecycle.diff(session, first.id, first.outputs, limited))).message,
      "exceeds maxCharge"
    )
    assert.include(
      (await rejection(instanceLifecycle.update(session, first.id, first.outputs, limited))).message,
      "exceeds maxCharge"
    )
    assert.strictEqual(env.count("resize"), 0)
  })
  it("an unreachable service fails the check, with the reason", async () => {
    const env = await Environment.make()
    env.faults.fail("dryRun", apiError(401, "the key is revoked"))
    const failures = await preview(env.session(), named("a"))
    assert.include(failures, "the API key was rejected (401): the key is revoked")
  })
})
