/** Plans and ISOs by name: a program may change from the id to the name, and nothing changes. */
import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { bought, mutations } from "../Bought.ts"
import { DEPLOY_TIME, Environment } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { check, refresh, type Stored, up, URN } from "../Runs.ts"

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
    expect(first.inputs).toMatchObject({ plan: "vps-m", serviceId: 2 })
    expect(first.outputs).toMatchObject({ plan: "vps-m", serviceId: 2 })
    expect(await env.wallet()).toBe(90.01)
    expect(await up(env.session(), { plan: "vps-m", hostname, maxCharge: 10 }, first)).toEqual(first)
    expect(env.calls).toEqual([])
  })
  it.each([
    ["serviceId", { serviceId: 2 }, { plan: "vps-m" }],
    ["plan", { plan: "vps-m" }, { serviceId: 2 }]
  ])("a program that moves from %s to the other one changes nothing, also after a refresh", async (_, from, to) => {
    const { env, first } = await bought({ serviceId: undefined, ...from })
    const moved = await up(env.session(), { hostname, ...to }, first)
    expect(moved.outputs).toEqual(first.outputs)
    const refreshed = await refresh(env.session(), moved)
    expect(refreshed.outputs).toEqual(first.outputs)
    const back = await up(env.session(), { hostname, ...from }, await up(env.session(), { hostname, ...to }, refreshed))
    expect(back.outputs).toEqual(first.outputs)
    expect(mutations(env)).toEqual([])
    expect(env.lines.filter((line) => line.includes("steps for"))).toEqual([])
  })
  it.each([
    ["plan to plan", { plan: "vps-s" }, { plan: "vps-m" }, ["serviceId", "plan"]],
    ["serviceId to plan", { serviceId: 1 }, { plan: "vps-m" }, ["serviceId", "plan"]],
    ["plan to serviceId", { plan: "vps-s" }, { serviceId: 2 }, ["serviceId"]]
  ])("another one resizes, from %s", async (_, from, to, changed) => {
    const { env, first } = await bought({ serviceId: undefined, ...from })
    const session = env.session()
    const inputs = await check(session, first.inputs, { hostname, ...to })
    expect(await instanceLifecycle.diff(session, "1", first.outputs, inputs)).toMatchObject({ changed, replaces: [] })
    const resized = await up(env.session(), { hostname, ...to }, first)
    expect(mutations(env)).toContain("resize 1 2")
    expect(resized.outputs).toMatchObject({ plan: "vps-m", serviceId: 2 })
    expect(await up(env.session(), { hostname, ...to }, resized)).toEqual(resized)
  })
  it("an unknown slug fails the preview with similar ones, and nothing is requested for a price", async () => {
    const env = await Environment.make()
    await expect(up(env.session(), { plan: "vps-x", hostname })).rejects.toThrow(
      "plan: there is no plan \"vps-x\". Did you mean vps-l, vps-m or vps-s?"
    )
    await expect(up(env.session(), { plan: "qqqqqqqqqqqq" })).rejects.toThrow(
      "Available: vps-s, vps-m, vps-l, vps-m-hel, ded-1."
    )
    expect(env.count("dryRun")).toBe(0)
    const { first } = await byPlan("vps-s")
    await expect(up(env.session(), { plan: "VPS S", hostname }, first)).rejects.toThrow("Did you mean vps-s")
  })
  it("both, or neither, fail the check", async () => {
    const env = await Environment.make()
    await expect(up(env.session(), { plan: "vps-s", serviceId: 1 })).rejects.toThrow(
      "plan: plan and serviceId are both set: remove one of them"
    )
    await expect(up(env.session(), { hostname })).rejects.toThrow("serviceId is missing: the plan to buy")
  })
  it("an unavailable list fails the preview with its reason, not with an unknown plan", async () => {
    const env = await Environment.make()
    env.faults.fail("services", apiError(503, "maintenance"))
    await expect(up(env.session(), { plan: "vps-s" })).rejects.toThrow(
      "plan: the list of plans, which has the plan \"vps-s\", is not available: the service returned 503: maintenance"
    )
  })
  it("a limit, and a refusal of the order, name the plan", async () => {
    const env = await Environment.make()
    await expect(up(env.session(), { plan: "vps-m", hostname, maxCharge: 5 })).rejects.toThrow(
      "maxCharge: the charge of 9.99 EUR exceeds maxCharge 5.00 EUR"
    )
    const { first } = await byPlan("vps-s")
    await expect(up(env.session(), { plan: "vps-m-hel", hostname }, first)).rejects.toThrow(
      /^plan: instance 1 is on plan 1 \(VPS S\) and cannot be resized to plan 4/
    )
  })
  it("is unknown in a preview: the purchase is announced without a price, and nothing is a resize", async () => {
    const env = await Environment.make()
    const session = env.session()
    const inputs = await check(session, undefined, { plan: UNKNOWN, hostname })
    expect(inputs).toMatchObject({ plan: UNKNOWN, serviceId: UNKNOWN })
    expect(env.said("not known yet, because plan is unknown")).toBe(true)
    const { env: other, first } = await byPlan("vps-s")
    const later = other.session()
    const unknown = await check(later, first.inputs, { plan: UNKNOWN, hostname })
    expect(await instanceLifecycle.diff(later, "1", first.outputs, unknown)).toEqual({ changed: [], replaces: [] })
  })
})

describe("a plan that is no longer sold", () => {
  it("stays the plan of its instance, by its slug too, also after a refresh and after an import", async () => {
    const { env, first } = await byPlan("vps-s")
    retire(env, "vps-s")
    const refreshed = await refresh(env.session(), first)
    expect((await up(env.session(), { plan: "vps-s", hostname }, refreshed)).outputs).toEqual(first.outputs)
    const { env: other, first: byId } = await bought()
    retire(other, "vps-s")
    expect((await up(other.session(), { plan: "vps-s", hostname }, byId)).outputs).toEqual(byId.outputs)
    const read = await instanceLifecycle.import!(other.session(), "1", URN.replace("web", "elsewhere"))
    const imported = { ...read!, reasons: [] }
    expect(read!.inputs).toMatchObject({ serviceId: 1 })
    expect(read!.inputs).not.toHaveProperty("plan")
    const os = "debian-12"
    expect((await up(other.session(), { plan: "vps-s", hostname, os }, imported)).outputs).toEqual(imported.outputs)
    expect([...mutations(env), ...mutations(other)]).toEqual([])
  })
  it("another plan that gets the slug is not the plan of the instance", async () => {
    const { env, first } = await bought()
    const list = env.api.services
    Object.assign(env.api, {
      services: async () => (await list()).map((one) => one.id === 1 ? { ...one, id: 9 } : one)
    })
    expect((await up(env.session(), { plan: "vps-s", hostname }, first)).outputs).toEqual(first.outputs)
  })
  it("is adopted and continued by its slug, but not bought", async () => {
    const env = await Environment.make()
    await env.buy({ service_id: 1 })
    await env.advance(DEPLOY_TIME)
    retire(env, "vps-s")
    expect(await up(env.session(), { plan: "vps-s", adoptInstanceId: 1 })).toMatchObject({ id: "1", reasons: [] })
    await expect(up(env.session(), { plan: "vps-s" })).rejects.toThrow("there is no plan \"vps-s\"")
    const lost = await byPlan("vps-s")
    retire(lost.env, "vps-s")
    expect(await up(lost.env.session(), { plan: "vps-s", hostname })).toMatchObject({ id: "1", reasons: [] })
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
    expect(preview["chargeAmount"]).toBe(outputs["chargeAmount"])
    return { env, made: outputs }
  }
  it.each<[string, Properties, Properties]>([
    ["serviceId of a plan", { plan: "vps-l" }, { serviceId: 1 }],
    ["plan of a plan", { plan: "vps-l" }, { plan: "vps-s" }],
    ["plan of a serviceId", { serviceId: 3 }, { plan: "vps-s" }]
  ])("is followed: %s", async (_, program, policy) => {
    const { env, made } = await buy(program, policy)
    expect(made).toMatchObject({ plan: "vps-s", serviceId: 1, chargeAmount: 4.99 })
    expect(await env.wallet()).toBe(95.01)
  })
  it("with an unknown slug fails before anything is bought", async () => {
    await expect(buy({ plan: "vps-l" }, { plan: "vps-x" })).rejects.toThrow("web: there is no plan \"vps-x\"")
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
    expect(await preview(from, to)).toMatchObject(shown)
  })
  it("have no new id when the plan and the ISO stay", async () => {
    const both = { plan: "vps-s", iso: "rescue" }
    const shown = await preview(both, both)
    for (const name of ["plan", "serviceId", "isoId"]) expect(shown).not.toHaveProperty(name)
  })
})

describe("an ISO by its name", () => {
  it("is mounted at the purchase, changed, and unmounted; a second up requests nothing", async () => {
    const { env, first } = await bought({ iso: "rescue" })
    expect(first).toMatchObject({ reasons: [], outputs: { iso: "rescue", isoId: 1 } })
    expect(first.inputs).not.toHaveProperty("isoId")
    expect(await up(env.session(), { serviceId: 1, hostname, iso: "rescue" }, first)).toEqual(first)
    expect(env.calls).toEqual([])
    const second = await up(env.session(), { serviceId: 1, hostname, iso: "debian-netinst" }, first)
    expect(second.outputs).toMatchObject({ iso: "debian-netinst", isoId: 2 })
    const third = await up(env.session(), { serviceId: 1, hostname }, second)
    expect(third.outputs).not.toHaveProperty("iso")
    expect(third.outputs).not.toHaveProperty("isoId")
    expect(mutations(env)).toEqual(["isoMount 1 2", "isoUnmount 1"])
  })
  it.each([
    ["isoId", { isoId: 2 }, { iso: "debian-netinst" }],
    ["iso", { iso: "debian-netinst" }, { isoId: 2 }]
  ])("a program that moves from %s to the other one changes nothing", async (_, from, to) => {
    const { env, first } = await bought(from)
    const moved = await up(env.session(), { serviceId: 1, hostname, ...to }, first)
    expect(moved.outputs).toEqual(first.outputs)
    const refreshed = await refresh(env.session(), moved)
    expect((await up(env.session(), { serviceId: 1, hostname, ...to }, refreshed)).outputs).toEqual(first.outputs)
    expect(mutations(env)).toEqual([])
  })
  it("an image that someone else mounted is drift, and the next up mounts the named one", async () => {
    const { env, first } = await bought({ iso: "rescue" })
    await env.outside((vps) => vps.isos.mount(1, { iso_id: 2 }))
    const seen = await refresh(env.session(), first)
    expect(seen.outputs["isoId"]).toBe(2)
    expect(seen.outputs).not.toHaveProperty("iso")
    const again = await up(env.session(), { serviceId: 1, hostname, iso: "rescue" }, seen)
    expect(again.outputs).toMatchObject({ iso: "rescue", isoId: 1 })
    expect(mutations(env)).toEqual(["isoMount 1 1"])
  })
  it("an unknown name fails the preview of a change; after a purchase the next up continues", async () => {
    const { env, first } = await bought()
    await expect(up(env.session(), { serviceId: 1, hostname, iso: "debian-net" }, first)).rejects.toThrow(
      "web: the ISO of instance 1 was not found: there is no ISO \"debian-net\". Did you mean debian-netinst?"
    )
    expect(mutations(env)).toEqual([])
    const other = await Environment.make()
    const made = await up(other.session(), { serviceId: 1, iso: "debian-net" })
    expect(made.reasons).toEqual([expect.stringContaining("instance 1 was not changed: the ISO of instance 1")])
    const fixed = await up(other.session(), { serviceId: 1, iso: "debian-netinst" }, made)
    expect(fixed).toMatchObject({ reasons: [], outputs: { iso: "debian-netinst", isoId: 2 } })
    expect(other.count("create")).toBe(1)
  })
  it("both fail the check", async () => {
    await expect(up((await Environment.make()).session(), { serviceId: 1, iso: "rescue", isoId: 1 })).rejects.toThrow(
      "iso: iso and isoId are both set: remove one of them"
    )
  })
})
