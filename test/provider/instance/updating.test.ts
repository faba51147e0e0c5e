import type { Instance } from "#contract/Instance"
import { assert, describe, it } from "vitest"
import { bought, mutations, program } from "../Bought.ts"
import { up } from "../Runs.ts"
import { apiError, noAnswer } from "../Faults.ts"
import { UPSTREAM_REASON } from "../Environment.ts"
import { OTHER_SSH_KEY, SSH_KEY } from "../../support/sshKey.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

describe("a resize", () => {
  it("is one power cycle, charges the difference, and a second up changes nothing", async () => {
    const { first, env } = await bought()
    const second = await up(env.session(), { ...program, serviceId: 2 }, first)
    assert.deepStrictEqual(mutations(env), ["stop 1", "resize 1 2", "start 1"])
    assertLike(second, { reasons: [], outputs: { serviceId: 2, status: "running", renewalPrice: 9.99 } })
    assert.closeTo(await env.wallet(), 90.01, 0.005)
    const calls = env.calls.length
    assert.deepStrictEqual(await up(env.session(), { ...program, serviceId: 2 }, second), second)
    assert.lengthOf(env.calls, calls)
  })
  it("shows its charge in the preview, and what is done", async () => {
    const { first, env } = await bought()
    const session = env.session()
    await up(session, { ...program, serviceId: 2 }, first)
    assert.isTrue(env.said(
      "info web: resizing instance 1 from plan 1 (VPS S) to 2 (VPS M) charges 5.00 EUR now; "
        + "remaining balance: 90.01 EUR"
    ))
    assert.isTrue(env.said("info web: steps for instance 1: power off, resize to plan 2, power on"))
    assert.isTrue(env.said("info web: instance 1 is now on plan 2; charged 5.00 EUR"))
  })
  it.each<[string, Record<string, unknown>, Record<string, string>, number, string]>([
    ["maxCharge", { maxCharge: 4.99 }, {}, 100, "the charge of 5.00 EUR exceeds maxCharge 4.99 EUR"],
    ["maxChargePerUpdate", {}, { maxChargePerUpdate: "4" }, 100, "exceeds vps:maxChargePerUpdate"],
    ["the wallet", {}, {}, 3, "the charge of 5.00 EUR exceeds the wallet balance (3.00 EUR)"]
  ])("over %s fails the preview", async (_, more, configured, wallet, reason) => {
    const { first, env } = await bought()
    await env.emulator.wallet.set(wallet)
    assert.include(
      (await rejection(up(env.session(configured), { ...program, ...more, serviceId: 2 }, first))).message,
      reason
    )
    assert.deepStrictEqual(mutations(env), [])
  })
  it("a charge that can't be known is warned of, and with a limit it is no longer made", async () => {
    const { first, env } = await bought()
    const busy = () => {
      for (let i = 0; i < 2; i++) env.faults.fail("availablePlans", apiError(429, "too many requests"))
    }
    busy()
    const refused = await up(env.session(), { ...program, serviceId: 2, maxCharge: 9 }, first)
    assert.include(refused.reasons[0], "the charge could not be checked against the limit. Nothing was charged")
    assert.include(refused.reasons[0], "It was powered on again")
    busy()
    assertLike(await up(env.session(), { ...program, serviceId: 2 }, refused), { reasons: [] })
    assert.isTrue(env.said("warning web: the charge for resizing instance 1 to plan 2 is not available"))
  })
  it("that fails gives the money and the power back, and says so", async () => {
    const { first, env } = await bought()
    await env.failNext("resize")
    const second = await up(env.session(), { ...program, serviceId: 2 }, first)
    assert.include(
      second.reasons[0],
      `instance 1 could not resize to plan 2: the resize to plan 2 on instance 1 failed: ${UPSTREAM_REASON}. `
        + "The charge was refunded. It was powered on again"
    )
    assertLike(second.outputs, { serviceId: 1, status: "running" })
    assertLike(await up(env.session(), { ...program, serviceId: 2 }, second), { reasons: [] })
    assert.closeTo(await env.wallet(), 90.01, 0.005)
  })
  it("that the wallet no longer covers is not repeated, and the power is back", async () => {
    const { first, env } = await bought()
    env.faults.fail("resize", apiError(402, "the wallet holds 1.00"))
    const second = await up(env.session(), { ...program, serviceId: 2 }, first)
    assert.include(
      second.reasons[0],
      "could not resize to plan 2: the service returned 402: the wallet holds 1.00. Nothing was charged. It was "
        + "powered on again. Completed before it: power off. Run `pulumi up` again to continue."
    )
    assert.deepStrictEqual(mutations(env), ["stop 1", "resize 1 2", "start 1"])
  })
  it("whose response is lost is found in the feed, and not repeated", async () => {
    const { first, env } = await bought()
    env.faults.fail("resize", noAnswer(), true)
    assertLike(await up(env.session(), { ...program, serviceId: 2 }, first), { reasons: [] })
    assert.strictEqual(env.count("resize"), 1)
    assert.closeTo(await env.wallet(), 90.01, 0.005)
  })
  it("to the plan that it is on by now is done", async () => {
    const { first, env } = await bought()
    Object.assign(env.api, {
      resize: async () => {
        await env.outside((vps) => vps.instances.resize(1, { service_id: 2 }))
        throw apiError(409, "this is the current plan")
      }
    })
    assertLike(await up(env.session(), { ...program, serviceId: 2 }, first), {
      reasons: [],
      outputs: { serviceId: 2, status: "running" }
    })
  })
  it("together with leaving rescue mode is planned, and its charge is checked once the disk is booted", async () => {
    const { first, env } = await bought({ bootMode: "rescue" })
    const next = { ...program, bootMode: "disk", serviceId: 2 }
    const second = await up(env.session(), next, first)
    assertLike(second, { reasons: [], outputs: { serviceId: 2, bootMode: "disk", status: "running" } })
    assert.deepStrictEqual(mutations(env), ["rescueExit 1", "stop 1", "resize 1 2", "start 1"])
    assert.isTrue(env.said(
      "warning web: the charge for resizing instance 1 to plan 2 is not available while it is in rescue mode, which "
        + "the update leaves first; the update checks it before the resize"
    ))
    const over = { ...next, serviceId: 3, maxCharge: 1, bootMode: "rescue" }
    const rescued = await up(env.session(), { ...next, bootMode: "rescue" }, second)
    assert.include((await up(env.session(), over, rescued)).reasons[0], "exceeds maxCharge 1.00 EUR")
  })
  it.each([
    [{ bootMode: "disk" }, { bootMode: "rescue" }],
    [{ bootMode: "rescue" }, { bootMode: "disk" }],
    [{}, {}]
  ])(
    "together with powering on, and %j before, is planned",
    async (before, after) => {
      const { first, env } = await bought({ ...before, powerState: "off" })
      const second = await up(env.session(), { ...program, ...after, powerState: "running", serviceId: 2 }, first)
      assertLike(second, { reasons: [], outputs: { serviceId: 2, powerState: "running" } })
    }
  )
  it.each<[string, Partial<Instance>, string]>([
    ["rescue mode that the program does not manage", { status: "rescue" }, "Set bootMode: \"disk\""],
    [
      "a suspended instance",
      { status: "suspended", suspended_reason: "abuse" },
      "it is suspended (abuse), and cannot be changed until the suspension ends"
    ],
    ["an expired instance", { status: "expired" }, "it has expired; topping up the wallet within a few days renews it"]
  ])("of %s fails the preview with that reason", async (_, shown, reason) => {
    const { first, env } = await bought()
    env.override(1, shown)
    Object.assign(env.api, { availablePlans: () => Promise.resolve([]) })
    const failure = up(env.session(), { ...program, serviceId: 2 }, first)
    assert.include((await rejection(failure)).message, "instance 1 cannot be resized to plan 2: it ")
    assert.include((await rejection(failure)).message, reason)
    assert.deepStrictEqual(mutations(env), [])
  })
  it("of an instance that was powered off outside leaves it off", async () => {
    const { first, env } = await bought()
    await env.outside((vps) => vps.power.stop(1))
    const second = await up(env.session(), { ...program, serviceId: 2 }, first)
    assertLike(second, { reasons: [], outputs: { status: "stopped", serviceId: 2 } })
  })
})

describe("a reinstall", () => {
  const key = SSH_KEY
  it("installs key and password of the program, and says what is lost", async () => {
    const { first, env } = await bought({ sshPublicKey: key, rootPassword: "first-password" })
    const next = {
      ...program,
      os: "debian-13",
      allowDataLoss: true,
      sshPublicKey: OTHER_SSH_KEY,
      rootPassword: "other-password"
    }
    const second = await up(env.session(), next, first)
    assert.deepStrictEqual(mutations(env), [
      `reinstall 1 {"os":"debian-13","password":"other-password","ssh_pubkey":"${OTHER_SSH_KEY}"}`
    ])
    assertLike(second.outputs, {
      os: "debian-13",
      sshPublicKey: OTHER_SSH_KEY,
      rootPassword: "other-password"
    })
    assert.notProperty(second.outputs, "pendingSshKey")
    assert.isTrue(
      env.said("warning web: steps for instance 1: reinstall with debian-13; this deletes everything on its disk")
    )
  })
  it("by triggers: given first they are recorded, changed they need allowDataLoss", async () => {
    const { first, env } = await bought()
    const second = await up(env.session(), { ...program, reinstallTriggers: ["a"] }, first)
    assert.deepStrictEqual(mutations(env), [])
    const changed = { ...program, reinstallTriggers: ["b"] }
    assert.include(
      (await rejection(up(env.session(), changed, second))).message,
      "changing reinstallTriggers reinstalls instance 1"
    )
    const third = await up(env.session(), { ...changed, allowDataLoss: true }, second)
    assert.deepStrictEqual(mutations(env), ["reinstall 1 {\"os\":\"debian-12\"}"])
    const again = await up(env.session(), { ...changed, allowDataLoss: true }, third)
    assert.deepStrictEqual(again.outputs, third.outputs)
    for (const value of ["a", "b"]) {
      const next = { ...program, allowDataLoss: true, reinstallTriggers: [value] }
      await up(env.session(), next, { ...third, outputs: { ...third.outputs, reinstallTriggers: ["x"] } })
    }
    assert.strictEqual(env.count("reinstall"), 3)
  })
  it("that failed is reported, and repeated by the next up", async () => {
    const { first, env } = await bought()
    await env.failNext("reinstall")
    const next = { ...program, os: "debian-13", allowDataLoss: true }
    const second = await up(env.session(), next, first)
    assert.include(
      second.reasons[0],
      `could not reinstall with debian-13: the reinstall with debian-13 on instance 1 failed: ${UPSTREAM_REASON}.`
    )
    assert.strictEqual(second.outputs["os"], "debian-12")
    assertLike(await up(env.session(), next, second), { reasons: [], outputs: { os: "debian-13" } })
    assert.strictEqual(env.count("reinstall"), 2)
  })
  it("whose response is lost, even permanently, is never repeated", async () => {
    const next = { ...program, os: "debian-13", allowDataLoss: true, reinstallTriggers: ["b"] }
    for (const feed of [true, false]) {
      const { first, env } = await bought({ reinstallTriggers: ["a"] })
      const { tasks } = env.api
      env.faults.fail("reinstall", noAnswer(), true)
      const revoked = () => Promise.reject(apiError(401, "revoked"))
      Object.assign(env.api, {
        tasks: (id: number) => feed || env.count("reinstall") === 0 ? tasks(id) : revoked()
      })
      const second = await up(env.session(), next, first)
      assert.lengthOf(second.reasons, feed ? 0 : 1)
      Object.assign(env.api, { tasks })
      const last = feed ? second : await up(env.session(), next, second)
      assertLike(last, { reasons: [], outputs: { os: "debian-13", reinstallTriggers: ["b"] } })
      assert.strictEqual(env.count("reinstall"), 1)
    }
  })
})
