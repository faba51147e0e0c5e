import { assert, describe, it } from "vitest"
import { bought, mutations, program } from "../Bought.ts"
import { Environment } from "../Environment.ts"
import { CanceledError } from "#provider/api/Errors"
import { instanceLifecycle } from "#provider/instance/Instance"
import { check, up, URN } from "../Runs.ts"
import { apiError, noAnswer } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"
import { assertExactlyLike, assertLike } from "../../support/like.ts"

describe("a failure on the way", () => {
  const next = { ...program, serviceId: 2, isoId: 2, snapshotBefore: "safe" }
  it.each(["snapshotCreate", "resize"] as const)(
    "a %s that returned 502 is repeated if no task is found",
    async (call) => {
      const { first, env } = await bought()
      env.faults.fail(call, apiError(502, "upstream"))
      env.faults.fail(call, apiError(502, "upstream"), true)
      assertLike(await up(env.session(), next, first), { reasons: [] })
      assert.strictEqual(env.count(call), 2)
      assert.lengthOf(await env.snapshots(), 1)
      assert.closeTo(await env.wallet(), 90.01, 0.005)
    }
  )
  it("after the instance was powered off powers it on again", async () => {
    const { first, env } = await bought()
    env.faults.fail("isoMount", apiError(422, "no such ISO"))
    const second = await up(env.session(), next, first)
    assert.include(
      second.reasons[0],
      "could not mount ISO 2: the service returned 422: no such ISO. It was powered on again."
    )
    assertLike(second.outputs, { serviceId: 2, status: "running" })
    assert.notProperty(second.outputs, "isoId")
    assertLike(await up(env.session(), next, second), { reasons: [], outputs: { isoId: 2 } })
    assert.strictEqual(env.count("resize"), 1)
  })
  it("that is only slow continues, and the next up waits again", async () => {
    const { first, env } = await bought()
    const slow = { ...program, os: "debian-13", allowDataLoss: true, timeouts: { update: "100ms" } }
    const second = await up(env.session(), slow, first)
    assert.include(
      second.reasons[0],
      "could not reinstall with debian-13: timed out after 100ms waiting for instance 1. The operation continues"
    )
    const third = await up(env.session(), { ...slow, timeouts: { update: "1m" } }, second)
    assertLike(third, { reasons: [], outputs: { os: "debian-13" } })
    assert.strictEqual(env.count("reinstall"), 1)
  })
})

describe("the snapshot before", () => {
  const next = { ...program, serviceId: 2, snapshotBefore: "safe" }
  it("is taken and complete before anything else is begun", async () => {
    const { first, env } = await bought()
    await up(env.session(), next, first)
    assertExactlyLike(mutations(env), [
      /^snapshotCreate 1 safe-[0-9a-f]{8}$/,
      "stop 1",
      "resize 1 2",
      "start 1"
    ])
    assertLike(await env.vps.snapshots.list(1), [{ status: "available" }])
  })
  it("is the same one when the update is run again, and another one for the next update", async () => {
    const { first, env } = await bought()
    env.faults.fail("resize", apiError(402, "no money"))
    const second = await up(env.session(), next, first)
    const third = await up(env.session(), next, second)
    assert.deepStrictEqual(third.reasons, [])
    assert.strictEqual(env.count("snapshotCreate"), 1)
    await up(env.session(), { ...next, serviceId: 3 }, third)
    assert.strictEqual(new Set(await env.snapshots()).size, 2)
  })
  it("whose answer is lost is found by its name", async () => {
    const { first, env } = await bought()
    env.faults.fail("snapshotCreate", noAnswer(), true)
    assertLike(await up(env.session(), next, first), { reasons: [] })
    assert.strictEqual(env.count("snapshotCreate"), 1)
  })
  it("that finds no place stops everything", async () => {
    const { first, env } = await bought()
    for (const name of ["a", "b", "c"]) await env.addSnapshot(name)
    const second = await up(env.session(), next, first)
    assert.include(
      second.reasons[0],
      "so nothing was changed: the service returned 409: Snapshot limit reached (3). Delete one first."
    )
    assert.lengthOf(mutations(env), 1)
  })
})

/** Another price of a plan, as an operator sets it. */
const reprice = async (env: Environment, id: number, price: number): Promise<void> => {
  const { plans } = await env.emulator.admin("catalogue.export", {})
  const plan = plans.find((each) => each.id === id)!
  await env.emulator.admin("catalogue.import", { document: { plans: [{ ...plan, price }] }, dry_run: false })
}

const NOW = "Nothing was bought or charged. Run `pulumi up` again to see the new charge, and approve it"

describe("a price that rises during an update", () => {
  const named = (name: string) => ({ ...program, hostname: undefined, maxCharge: 5, __urn: `${URN}-${name}` })
  const names = ["a", "b", "c", "d", "e"].map(named)

  it("buys nothing for more than was shown, also with a limit above the new price", async () => {
    for (const maxCharge of [5, 100]) {
      const env = await Environment.make()
      const session = env.session()
      const inputs = await Promise.all(names.map((each) => check(session, undefined, { ...each, maxCharge })))
      await reprice(env, 1, 6.99)
      for (const each of inputs) {
        assert.match((await rejection(instanceLifecycle.create(session, each))).message, /charge (of|is) 6\.99 EUR/)
      }
      assert.strictEqual(await env.wallet(), 100)
      const again = env.session()
      const { failures } = await instanceLifecycle.check(again, undefined, { ...names[0]!, maxCharge })
      assert.deepStrictEqual(
        failures.map(({ reason }) => reason),
        maxCharge === 5 ? ["the charge of 6.99 EUR exceeds maxCharge 5.00 EUR"] : []
      )
    }
  })

  it("is named with the way out, without a limit", async () => {
    const env = await Environment.make()
    const session = env.session()
    const inputs = await check(session, undefined, program)
    await reprice(env, 1, 6.99)
    assert.include(
      (await rejection(instanceLifecycle.create(session, inputs))).message,
      `web: the charge is 6.99 EUR now, more than the preview showed. ${NOW}`
    )
  })

  it("charges a lower price, and stores it", async () => {
    const env = await Environment.make()
    const session = env.session()
    const [first, second] = [await check(session, undefined, names[0]!), await check(session, undefined, names[1]!)]
    await reprice(env, 1, 3.5)
    for (const inputs of [first, second]) {
      const { outputs } = await instanceLifecycle.create(session, inputs)
      assertLike(outputs, { chargeAmount: 3.5 })
    }
  })

  it("resizes nothing for more than was shown", async () => {
    const { first, env } = await bought()
    const session = env.session()
    const next = { ...program, serviceId: 2 }
    const inputs = await check(session, first.inputs, next)
    await instanceLifecycle.diff(session, first.id, first.outputs, inputs)
    const wallet = await env.wallet()
    await reprice(env, 2, 29.99)
    const failed = instanceLifecycle.update(session, first.id, first.outputs, inputs)
    assert.match((await rejection(failed)).message, /the charge is 2\d\.\d\d EUR now, more than the preview showed/)
    assert.strictEqual(await env.wallet(), wallet)
  })
})

describe("a resize that ends later than the run", () => {
  const CONTINUES = "The resize continues in the background, and 5.00 EUR were charged"

  it("says that it continues and what was charged, never that it was refunded", async () => {
    const { first, env } = await bought()
    const slow = { ...program, serviceId: 2, timeouts: { update: "1300ms" } }
    const second = await up(env.session(), slow, first)
    assert.include(second.reasons.join(), CONTINUES)
    assert.notInclude(second.reasons.join(), "refunded")
  })

  it("also when the run was canceled", async () => {
    const { first, env } = await bought()
    const checkpoint = () => env.count("resize") > 0 ? Promise.reject(new CanceledError()) : Promise.resolve()
    Object.assign(env.host, { checkpoint })
    const second = await up(env.session(), { ...program, serviceId: 2 }, first)
    assert.include(second.reasons.join(), CONTINUES)
    assert.notInclude(second.reasons.join(), "refunded")
  })
})
