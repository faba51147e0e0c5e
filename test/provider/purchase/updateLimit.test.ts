import { assert, describe, it } from "vitest"
import type { Properties } from "#provider/definition/Properties"
import { instanceLifecycle } from "#provider/instance/Instance"
import type { Session } from "#provider/session/Session"
import { Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { engineFor, URN } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike } from "../../support/like.ts"

const urnOf = (name: string): string => `${URN}-${name}`
const engine = (name: string) => engineFor(instanceLifecycle, urnOf(name))
const program = { serviceId: 1, waitFor: "none" }

/** One update as an engine that creates a resource before it checks the next: each name bought, or the reason not. */
const chain = async (session: Session, ...names: ReadonlyArray<string>): Promise<ReadonlyArray<string>> => {
  const outcomes: Array<string> = []
  for (const name of names) {
    outcomes.push(await engine(name).up(session, program).then(() => "bought", (error: Error) => error.message))
  }
  return outcomes
}

/** A purchase of an earlier run that was cut off. */
const boughtEarlier = async (env: Environment, ...names: ReadonlyArray<string>): Promise<void> => {
  for (const name of names) {
    const { __purchaseKey: key } = await engine(name).check(env.session(), undefined, program)
    await env.buy({ service_id: 1 }, String(key))
  }
  env.calls.length = 0
  env.lines.length = 0
}

const REFUSED = ": the 3 purchases planned so far cost 14.97 EUR, which exceeds vps:maxChargePerUpdate "
  + "(VPS_MAX_CHARGE_PER_UPDATE) 12.00 EUR; this update has already bought web-a, web-b for 9.98 EUR"

describe("the limit of one update", () => {
  it("counts what the same update has bought, when each is created before the next is checked", async () => {
    const env = await Environment.make()
    assert.deepStrictEqual(await chain(env.session({ maxChargePerUpdate: "12" }), "a", "b", "c"), [
      "bought",
      "bought",
      REFUSED
    ])
    assert.strictEqual(env.count("create "), 2)
  })
  it("holds where the service shows no purchase keys", async () => {
    const env = await Environment.make()
    env.shows = false
    const [, , third] = await chain(env.session({ maxChargePerUpdate: "12" }), "a", "b", "c")
    assert.strictEqual(third, REFUSED)
    assert.strictEqual(env.count("create "), 2)
  })
  it("counts a purchase whose response is still under way", async () => {
    const env = await Environment.make()
    const session = env.session({ maxChargePerUpdate: "5" })
    const inputs = await engine("a").check(session, undefined, program)
    const creating = instanceLifecycle.create(session, inputs)
    assert.include(
      (await rejection(engine("b").check(session, undefined, program))).message,
      "the 2 purchases planned so far"
    )
    await creating
    assert.strictEqual(env.count("create "), 1)
  })
  it("holds for creates at the same time whose price no check could request", async () => {
    const env = await Environment.make()
    const session = env.session({ maxChargePerUpdate: "12" })
    const checked: Array<Properties> = []
    env.faults.fail("dryRun", apiError(429, "too many requests"))
    for (const name of ["a", "b", "c", "d"]) {
      checked.push(await engine(name).check(session, undefined, program))
    }
    const outcomes = await Promise.allSettled(checked.map((inputs) => instanceLifecycle.create(session, inputs)))
    assert.deepStrictEqual(outcomes.map(({ status }) => status), ["fulfilled", "fulfilled", "rejected", "rejected"])
    assert.strictEqual(env.count("create "), 2)
  })
  it.each([true, false])("a purchase of an earlier run costs nothing (purchase keys shown: %s)", async (shows) => {
    const env = await Environment.make()
    env.shows = shows
    await boughtEarlier(env, "a", "b")
    assert.deepStrictEqual(await chain(env.session({ maxChargePerUpdate: "5" }), "a", "b", "c"), [
      "bought",
      "bought",
      "bought"
    ])
    assert.closeTo(await env.wallet(), 85.03, 0.005)
    assert.include(env.lines.at(-1), "remaining balance: 85.03 EUR")
  })
  it("an earlier purchase whose response is under way costs nothing either", async () => {
    const env = await Environment.make()
    env.shows = false
    await boughtEarlier(env, "a")
    const session = env.session({ maxChargePerUpdate: "5" })
    const creating = instanceLifecycle.create(session, await engine("a").check(session, undefined, program))
    assertLike(await engine("b").check(session, undefined, program), { serviceId: 1 })
    await creating
  })
  it("a purchase that the service refused leaves room for others", async () => {
    const env = await Environment.make()
    env.faults.fail("create", apiError(409, "no capacity"))
    const [first, second] = await chain(env.session({ maxChargePerUpdate: "5" }), "a", "b")
    assert.include(first, "Nothing was bought or charged")
    assert.strictEqual(second, "bought")
  })
  it("a purchase with an unknown outcome counts", async () => {
    const env = await Environment.make()
    env.faults.fail("create", apiError(502, "bad gateway"), true)
    const [first, second] = await chain(env.session({ maxChargePerUpdate: "5" }), "a", "b")
    assert.include(first, "The outcome is unknown")
    assert.include(second, "exceeds vps:maxChargePerUpdate")
    assert.strictEqual(env.count("create "), 1)
  })
  it("a purchase that was refunded leaves room for others", async () => {
    const env = await Environment.make()
    await env.failNext("provision")
    const session = env.session({ maxChargePerUpdate: "5" })
    assert.include((await rejection(engine("a").up(session, { serviceId: 1 }))).message, "refunded")
    assert.deepStrictEqual(await chain(session, "b"), ["bought"])
  })
})

describe("the wallet that a run shows", () => {
  it("is the real one after each purchase", async () => {
    const env = await Environment.make()
    await boughtEarlier(env, "b")
    env.shows = false
    const session = env.session()
    // Only the response to b shows that it was bought earlier.
    await chain(session, "a", "b", "c")
    const shown = /: ([\d.]+) EUR$/.exec(env.lines.findLast((line) => line.includes("remaining balance")) ?? "")
    assert.closeTo(Number(shown?.[1]), await env.wallet(), 0.005)
    assert.closeTo(await env.wallet(), 85.03, 0.005)
  })
})
