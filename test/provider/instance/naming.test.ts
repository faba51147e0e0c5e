/** Plans and ISOs by name: a program may change from the id to the name, and nothing changes. */
import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { bought, mutations } from "../Bought.ts"
import { DEPLOY_TIME, Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { check, refresh, type Stored, up, URN } from "../Runs.ts"
import { rejection } from "../../support/rejection.ts"
import { assertExactlyLike, assertLike, containing } from "../../support/like.ts"

const hostname = "web.example.com"

/** The plan is no longer in the list of those that can be bought. */
const retire = ({ api }: Environment, slug: string): void => {
  const list = api.services
  Object.assign(api, { services: async () => (await list()).filter((one) => one.slug !== slug) })
}

const byPlan = async (plan: string, more: Properties = {}): Promise<{ env: Environment; first: Stored }> => {
  const env = await Environment.make()
  const first = await up(env.session(), { plan, hostname, ...more })
  env.calls.length = 0
  return { env, first }
}

describe("a plan by its slug", () => {
  it("is bought, and outputs show slug and id; a second up requests nothing and changes nothing", async () => {
    const { env, first } = await byPlan("vps-m", { maxCharge: 10 })
    assertLike(first.inputs, { plan: "vps-m", serviceId: 2 })
    assertLike(first.outputs, { plan: "vps-m", serviceId: 2 })
    assert.strictEqual(await env.wallet(), 90.01)
    assert.deepStrictEqual(await up(env.session(), { plan: "vps-m", hostname, maxCharge: 10 }, first), first)
    assert.deepStrictEqual(env.calls, [])
  })
  it.each([
    ["serviceId", { serviceId: 2 }, { plan: "vps-m" }],
    ["plan", { plan: "vps-m" }, { serviceId: 2 }]
  ])("a program that moves from %s to the other one changes nothing, also after a refresh", async (_, from, to) => {
    const { env, first } = await bought({ serviceId: undefined, ...from })
    const moved = await up(env.session(), { hostname, ...to }, first)
    assert.deepStrictEqual(moved.outputs, first.outputs)
    const refreshed = await refresh(env.session(), moved)
    assert.deepStrictEqual(refreshed.outputs, first.outputs)
    const back = await up(env.session(), { hostname, ...from }, await up(env.session(), { hostname, ...to }, refreshed))
    assert.deepStrictEqual(back.outputs, first.outputs)
    assert.deepStrictEqual(mutations(env), [])
    assert.deepStrictEqual(env.lines.filter((line) => line.includes("steps for")), [])
  })
  it.each([
    ["plan to plan", { plan: "vps-s" }, { plan: "vps-m" }, ["serviceId", "plan"]],
    ["serviceId to plan", { serviceId: 1 }, { plan: "vps-m" }, ["serviceId", "plan"]],
    ["plan to serviceId", { plan: "vps-s" }, { serviceId: 2 }, ["serviceId"]]
  ])("another one resizes, from %s", async (_, from, to, changed) => {
    const { env, first } = await bought({ serviceId: undefined, ...from })
    const session = env.session()
    const inputs = await check(session, first.inputs, { hostname, ...to })
    assertLike(await instanceLifecycle.diff(session, "1", first.outputs, inputs), { changed, replaces: [] })
    const resized = await up(env.session(), { hostname, ...to }, first)
    assert.include(mutations(env), "resize 1 2")
    assertLike(resized.outputs, { plan: "vps-m", serviceId: 2 })
    assert.deepStrictEqual(await up(env.session(), { hostname, ...to }, resized), resized)
  })
  it("an unknown slug fails the preview with similar ones, and nothing is requested for a price", async () => {
    const env = await Environment.make()
    assert.include(
      (await rejection(up(env.session(), { plan: "vps-x", hostname }))).message,
      "plan: there is no plan \"vps-x\". Did you mean vps-l, vps-m or vps-s?"
    )
    assert.include(
      (await rejection(up(env.session(), { plan: "qqqqqqqqqqqq" }))).message,
      "Available: vps-s, vps-m, vps-l, vps-m-hel, ded-1."
    )
    assert.strictEqual(env.count("dryRun"), 0)
    const { first } = await byPlan("vps-s")
    assert.include(
      (await rejection(up(env.session(), { plan: "VPS S", hostname }, first))).message,
      "Did you mean vps-s"
    )
  })
  it("both, or neither, fail the check", async () => {
    const env = await Environment.make()
    assert.include(
      (await rejection(up(env.session(), { plan: "vps-s", serviceId: 1 }))).message,
      "plan: plan and serviceId are both set: remove one of them"
    )
    assert.include((await rejection(up(env.session(), { hostname }))).message, "serviceId is missing: the plan to buy")
  })
  it("an unavailable list fails the preview with its reason, not with an unknown plan", async () => {
    const env = await Environment.make()
    env.faults.fail("services", apiError(503, "maintenance"))
    assert.include(
      (await rejection(up(env.session(), { plan: "vps-s" }))).message,
      "plan: the list of plans, which has the plan \"vps-s\", is not available: the service returned 503: maintenance"
    )
  })
  it("a limit, and a refusal of the order, name the plan", async () => {
    const env = await Environment.make()
    assert.include(
      (await rejection(up(env.session(), { plan: "vps-m", hostname, maxCharge: 5 }))).message,
      "maxCharge: the charge of 9.99 EUR exceeds maxCharge 5.00 EUR"
    )
    const { first } = await byPlan("vps-s")
    assert.match(
      (await rejection(up(env.session(), { plan: "vps-m-hel", hostname }, first))).message,
      /^plan: instance 1 is on plan 1 \(VPS S\) and cannot be resized to plan 4/
    )
  })
  it("is unknown in a preview: the purchase is announced without a price, and nothing is a resize", async () => {
    const env = await Environment.make()
    const session = env.session()
    const inputs = await check(session, undefined, { plan: UNKNOWN, hostname })
    assertLike(inputs, { plan: UNKNOWN, serviceId: UNKNOWN })
    assert.isTrue(env.said("not known yet, because plan is unknown"))
    const { env: other, first } = await byPlan("vps-s")
    const later = other.session()
    const unknown = await check(later, first.inputs, { plan: UNKNOWN, hostname })
    assert.deepStrictEqual(await instanceLifecycle.diff(later, "1", first.outputs, unknown), {
      changed: [],
      replaces: []
    })
  })
})

describe("a plan that is no longer sold", () => {
  it("stays the plan of its instance, by its slug too, also after a refresh and after an import", async () => {
    const { env, first } = await byPlan("vps-s")
    retire(env, "vps-s")
    const refreshed = await refresh(env.session(), first)
    assert.deepStrictEqual((await up(env.session(), { plan: "vps-s", hostname }, refreshed)).outputs, first.outputs)
    const { env: other, first: byId } = await bought()
    retire(other, "vps-s")
    assert.deepStrictEqual((await up(other.session(), { plan: "vps-s", hostname }, byId)).outputs, byId.outputs)
    const read = await instanceLifecycle.import!(other.session(), "1", URN.replace("web", "elsewhere"))
    const imported = { ...read!, reasons: [] }
    assertLike(read!.inputs, { serviceId: 1 })
    assert.notProperty(read!.inputs, "plan")
    const os = "debian-12"
    assert.deepStrictEqual(
      (await up(other.session(), { plan: "vps-s", hostname, os }, imported)).outputs,
      imported.outputs
    )
    assert.deepStrictEqual([...mutations(env), ...mutations(other)], [])
  })
  it("another plan that gets the slug is not the plan of the instance", async () => {
    const { env, first } = await bought()
    const list = env.api.services
    Object.assign(env.api, {
      services: async () => (await list()).map((one) => one.id === 1 ? { ...one, id: 9 } : one)
    })
    assert.deepStrictEqual((await up(env.session(), { plan: "vps-s", hostname }, first)).outputs, first.outputs)
  })
  it("is adopted and continued by its slug, but not bought", async () => {
    const env = await Environment.make()
    await env.buy({ service_id: 1 })
    await env.advance(DEPLOY_TIME)
    retire(env, "vps-s")
    assertLike(await up(env.session(), { plan: "vps-s", adoptInstanceId: 1 }), { id: "1", reasons: [] })
    assert.include((await rejection(up(env.session(), { plan: "vps-s" }))).message, "there is no plan \"vps-s\"")
    const lost = await byPlan("vps-s")
    retire(lost.env, "vps-s")
    assertLike(await up(lost.env.session(), { plan: "vps-s", hostname }), { id: "1", reasons: [] })
  })
})

describe("a policy that changes the plan after the check", () => {
  /** Checks the program, lets the policy change the inputs, and buys. */
  const buy = async (program: Properties, policy: Properties): Promise<{ env: Environment; made: Properties }> => {
    const env = await Environment.make()
    const session = env.session()
    const inputs = { ...await check(session, undefined, { hostname, ...program }), ...policy }
    const preview = await instanceLifecycle.previewOutputs!(session, inputs)
    const { outputs } = await instanceLifecycle.create(session, inputs)
    assert.strictEqual(preview["chargeAmount"], outputs["chargeAmount"])
    return { env, made: outputs }
  }
  it.each<[string, Properties, Properties]>([
    ["serviceId of a plan", { plan: "vps-l" }, { serviceId: 1 }],
    ["plan of a plan", { plan: "vps-l" }, { plan: "vps-s" }],
    ["plan of a serviceId", { serviceId: 3 }, { plan: "vps-s" }]
  ])("is followed: %s", async (_, program, policy) => {
    const { env, made } = await buy(program, policy)
    assertLike(made, { plan: "vps-s", serviceId: 1, chargeAmount: 4.99 })
    assert.strictEqual(await env.wallet(), 95.01)
  })
  it("with an unknown slug fails before anything is bought", async () => {
    assert.include(
      (await rejection(buy({ plan: "vps-l" }, { plan: "vps-x" }))).message,
      "web: there is no plan \"vps-x\""
    )
  })
})

describe("the outputs in a preview", () => {
  const preview = async (from: Properties, to: Properties): Promise<Properties> => {
    const { env, first } = await bought({ serviceId: undefined, ...from })
    const session = env.session()
    const inputs = await check(session, first.inputs, { hostname, ...to })
    return await instanceLifecycle.previewOutputs!(session, inputs, first.outputs)
  }
  it.each<[Properties, Properties, Properties]>([
    [{ plan: "vps-s" }, { plan: "vps-m" }, { plan: "vps-m", serviceId: 2 }],
    [{ plan: "vps-s" }, { serviceId: 2 }, { plan: UNKNOWN, serviceId: 2 }],
    [{ serviceId: 1 }, { plan: UNKNOWN }, { plan: UNKNOWN, serviceId: UNKNOWN }],
    [{ serviceId: 1 }, { serviceId: 1, iso: "rescue" }, { isoId: UNKNOWN }]
  ])("from %j to %j are %j", async (from, to, shown) => {
    assertLike(await preview(from, to), shown)
  })
  it("have no new id when the plan and the ISO stay", async () => {
    const both = { plan: "vps-s", iso: "rescue" }
    const shown = await preview(both, both)
    for (const name of ["plan", "serviceId", "isoId"]) assert.notProperty(shown, name)
  })
})

describe("an ISO by its name", () => {
  it("is mounted at the purchase, changed, and unmounted; a second up requests nothing", async () => {
    const { env, first } = await bought({ iso: "rescue" })
    assertLike(first, { reasons: [], outputs: { iso: "rescue", isoId: 1 } })
    assert.notProperty(first.inputs, "isoId")
    assert.deepStrictEqual(await up(env.session(), { serviceId: 1, hostname, iso: "rescue" }, first), first)
    assert.deepStrictEqual(env.calls, [])
    const second = await up(env.session(), { serviceId: 1, hostname, iso: "debian-netinst" }, first)
    assertLike(second.outputs, { iso: "debian-netinst", isoId: 2 })
    const third = await up(env.session(), { serviceId: 1, hostname }, second)
    assert.notProperty(third.outputs, "iso")
    assert.notProperty(third.outputs, "isoId")
    assert.deepStrictEqual(mutations(env), ["isoMount 1 2", "isoUnmount 1"])
  })
  it.each([
    ["isoId", { isoId: 2 }, { iso: "debian-netinst" }],
    ["iso", { iso: "debian-netinst" }, { isoId: 2 }]
  ])("a program that moves from %s to the other one changes nothing", async (_, from, to) => {
    const { env, first } = await bought(from)
    const moved = await up(env.session(), { serviceId: 1, hostname, ...to }, first)
    assert.deepStrictEqual(moved.outputs, first.outputs)
    const refreshed = await refresh(env.session(), moved)
    assert.deepStrictEqual(
      (await up(env.session(), { serviceId: 1, hostname, ...to }, refreshed)).outputs,
      first.outputs
    )
    assert.deepStrictEqual(mutations(env), [])
  })
  it("an image that someone else mounted is drift, and the next up mounts the named one", async () => {
    const { env, first } = await bought({ iso: "rescue" })
    await env.outside((vps) => vps.isos.mount(1, { iso_id: 2 }))
    const seen = await refresh(env.session(), first)
    assert.strictEqual(seen.outputs["isoId"], 2)
    assert.notProperty(seen.outputs, "iso")
    const again = await up(env.session(), { serviceId: 1, hostname, iso: "rescue" }, seen)
    assertLike(again.outputs, { iso: "rescue", isoId: 1 })
    assert.deepStrictEqual(mutations(env), ["isoMount 1 1"])
  })
  it("an unknown name fails the preview of a change; after a purchase the next up continues", async () => {
    const { env, first } = await bought()
    assert.include(
      (await rejection(up(env.session(), { serviceId: 1, hostname, iso: "debian-net" }, first))).message,
      "web: the ISO of instance 1 was not found: there is no ISO \"debian-net\". Did you mean debian-netinst?"
    )
    assert.deepStrictEqual(mutations(env), [])
    const other = await Environment.make()
    const made = await up(other.session(), { serviceId: 1, iso: "debian-net" })
    assertExactlyLike(made.reasons, [containing("instance 1 was not changed: the ISO of instance 1")])
    const fixed = await up(other.session(), { serviceId: 1, iso: "debian-netinst" }, made)
    assertLike(fixed, { reasons: [], outputs: { iso: "debian-netinst", isoId: 2 } })
    assert.strictEqual(other.count("create"), 1)
  })
  it("both fail the check", async () => {
    assert.include(
      (await rejection(up((await Environment.make()).session(), { serviceId: 1, iso: "rescue", isoId: 1 }))).message,
      "iso: iso and isoId are both set: remove one of them"
    )
  })
})
