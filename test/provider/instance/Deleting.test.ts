import { describe, expect, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { check, type Stored, up } from "../Runs.ts"
import { apiError } from "../Machine.ts"
import { DEPLOY_TIME, World } from "../World.ts"

const program = { serviceId: 1 }
const bought = async (more: Record<string, unknown> = {}): Promise<{ world: World; first: Stored }> => {
  const world = new World()
  return { world, first: await up(world.session(), { ...program, ...more }) }
}
const destroy = (
  world: World,
  { id, outputs }: Stored,
  configured: { deletionPolicy?: string } = {},
  environment: Record<string, string> = {}
) => instanceLifecycle.delete(world.session(configured, environment), id, outputs)

describe("destroying an Instance", () => {
  it("fails by default, and names the server, what goes on being charged and the choices", async () => {
    const { first, world } = await bought()
    const failure = await destroy(world, first).then(() => "", (error: unknown) => (error as Error).message)
    for (
      const part of [
        "web: instance 1 was not destroyed",
        "2026-04-01T12:00:00.000Z (expires_at)",
        "renews for 4.99 EUR monthly",
        "auto_renew",
        "VPS_DELETION_POLICY=stop",
        "VPS_DELETION_POLICY=forget"
      ]
    ) expect(failure).toContain(part)
    expect(world.count("stop")).toBe(0)
  })
  it.each<
    [string, Record<string, unknown>, { deletionPolicy?: string }, Record<string, string>, "stop" | "forget" | "fail"]
  >([
    ["the resource's", { deletionPolicy: "forget" }, {}, {}, "forget"],
    ["the configuration's, when the resource says nothing", {}, { deletionPolicy: "stop" }, {}, "stop"],
    [
      "the resource's before the configuration's",
      { deletionPolicy: "forget" },
      { deletionPolicy: "stop" },
      {},
      "forget"
    ],
    ["the environment's before all", { deletionPolicy: "forget" }, {}, { VPS_DELETION_POLICY: "stop" }, "stop"],
    ["the environment's fail too", { deletionPolicy: "forget" }, {}, { VPS_DELETION_POLICY: "fail" }, "fail"]
  ])("the policy in force is %s", async (_, inputs, configured, environment, expected) => {
    const { first, world } = await bought(inputs)
    const done = await destroy(world, first, configured, environment).then(() => true, () => false)
    expect({ done, stopped: world.count("stop 1") === 1 }).toEqual({
      done: expected !== "fail",
      stopped: expected === "stop"
    })
  })
  it("stop waits until it is off, also when the server is busy, and warns of what goes on", async () => {
    const { first, world } = await bought()
    world.fail("stop", apiError(409, "busy with another task (restart)", { retryAfter: 3 }))
    await destroy(world, first, {}, { VPS_DELETION_POLICY: "stop" })
    expect(world.count("stop 1")).toBe(2)
    expect(world.said("warning web: instance 1 is powered off and is no longer in the state")).toBe(true)
  })
  it("a stop that fails is told at once, and the state keeps the server", async () => {
    const { first, world } = await bought()
    world.machine(1).failing = "stop"
    await expect(destroy(world, first, {}, { VPS_DELETION_POLICY: "stop" })).rejects.toThrow(
      "web: powering off on instance 1 failed: The upstream refused it."
    )
  })
  it("a server that was taken over is forgotten by default", async () => {
    const world = new World()
    world.buy({ service_id: 1 })
    world.now += DEPLOY_TIME
    const taken = await up(world.session(), { ...program, adoptInstanceId: 1 })
    await destroy(world, taken, { deletionPolicy: "stop" })
    expect(world.count("stop")).toBe(0)
    expect(world.said("warning web: instance 1 keeps running and is no longer in the state")).toBe(true)
  })
  it.each(["deleted", "failed", "expired"])("one that is %s already succeeds, whatever the policy", async (status) => {
    const { first, world } = await bought()
    world.change(1, { status })
    await expect(destroy(world, first)).resolves.toBeUndefined()
  })
})

describe("the old half of a replacement that led to the same server", () => {
  it("`up --replace`: the server is not touched", async () => {
    const { first, world } = await bought()
    const session = world.session({}, { VPS_DELETION_POLICY: "stop" })
    const inputs = await check(session, undefined, program)
    expect((await instanceLifecycle.create(session, inputs)).id).toBe("1")
    await instanceLifecycle.delete(session, first.id, first.outputs)
    expect(world.count("stop")).toBe(0)
    expect(world.said("the instance is unchanged")).toBe(true)
    expect(world.wallet).toBeCloseTo(95.01)
  })
  it("a delete that a crash left over, of a server that the state goes on holding", async () => {
    const { first, world } = await bought()
    const session = world.session()
    const inputs = await check(session, first.inputs, program)
    await instanceLifecycle.diff(session, first.id, first.outputs, inputs)
    await expect(instanceLifecycle.delete(session, first.id, first.outputs)).resolves.toBeUndefined()
  })
  it("a destroy that refreshes first is a real one: the diff of a refresh has planned nothing", async () => {
    const { first, world } = await bought()
    const session = world.session({}, { VPS_DELETION_POLICY: "stop" })
    const seen = await instanceLifecycle.read(session, first.id, first.outputs)
    await instanceLifecycle.diff(session, first.id, first.outputs, seen?.inputs ?? {})
    await instanceLifecycle.delete(session, first.id, first.outputs)
    expect(world.count("stop")).toBe(1)
  })
  it("a delete in a process that saw nothing of it is a real one", async () => {
    const { first, world } = await bought()
    await expect(destroy(world, first)).rejects.toThrow("was not destroyed")
  })
})
