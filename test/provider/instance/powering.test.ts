import { assert, describe, it } from "vitest"
import { instanceLifecycle } from "#provider/instance/Instance"
import { bought, program } from "../Bought.ts"
import { type Stored, up } from "../Runs.ts"
import { Environment, UPSTREAM_REASON } from "../Environment.ts"
import { apiError } from "../Faults.ts"
import { assertLike } from "../../support/like.ts"

const MUTATION = /^(start|stop|restart|rescue|iso(M|U))/
const mutations = (env: Environment) => env.calls.filter((call) => MUTATION.test(call))
const read = async (env: Environment, { id, outputs }: Stored) =>
  await instanceLifecycle.read(env.session(), id, outputs)

describe("power, boot mode and ISO", () => {
  it("powerState is applied, and drift is reverted", async () => {
    const { first, env } = await bought({ powerState: "running" })
    const wanted = { ...program, powerState: "off" }
    const second = await up(env.session(), wanted, first)
    assertLike(second, { reasons: [], outputs: { powerState: "off", status: "stopped" } })
    await env.api.start(1)
    await env.advance(10_000)
    const drifted = { ...second, ...(await read(env, second))! }
    assert.strictEqual(drifted.inputs["powerState"], "running")
    assertLike(await up(env.session(), wanted, drifted), { outputs: { powerState: "off" } })
  })
  it.each([
    ["off", "stopped"],
    ["running", "running"]
  ])("%s that was begun before a crash counts when it is done, and is not begun again", async (powerState, status) => {
    const { first, env } = await bought({ powerState: powerState === "off" ? "running" : "off" })
    await (powerState === "off" ? env.api.stop(1) : env.api.start(1))
    env.calls.length = 0
    const second = await up(env.session(), { ...program, powerState }, first)
    assertLike(second, { reasons: [], outputs: { powerState, status } })
    assert.deepStrictEqual(mutations(env), [])
  })
  it("a server is bought with power off, in rescue mode, and with an ISO", async () => {
    const env = await Environment.make()
    const made = await up(env.session(), {
      ...program,
      waitFor: "none",
      powerState: "off",
      bootMode: "rescue",
      isoId: 2
    })
    assertLike(made, { reasons: [], outputs: { powerState: "off", bootMode: "rescue", isoId: 2 } })
    assert.deepStrictEqual(mutations(env), ["isoMount 1 2", "rescueEnter 1", "stop 1"])
  })
  it("a reboot that the service was too busy for is made by us", async () => {
    const { first, env } = await bought()
    Object.assign(env.api, {
      rescueEnter: async () => {
        env.calls.push("rescueEnter 1")
        return { ...await env.vps.rescue.enter(1), restarted: false }
      }
    })
    const second = await up(env.session(), { ...program, bootMode: "rescue" }, first)
    assertLike(second, { reasons: [], outputs: { bootMode: "rescue", status: "rescue" } })
    assert.deepStrictEqual(mutations(env), ["rescueEnter 1", "restart 1"])
  })
  it("a task that fails ends the wait at once, with its reason", async () => {
    const { first, env } = await bought()
    await env.failNext("stop")
    const before = env.now
    const second = await up(env.session(), { ...program, powerState: "off" }, first)
    assert.include(second.reasons[0], `could not power off: powering off on instance 1 failed: ${UPSTREAM_REASON}.`)
    assert.isBelow(env.now - before, 60_000)
    assert.strictEqual(second.outputs["powerState"], "running")
  })
  it("a reinstall leaves rescue mode, and a server that is off boots for it", async () => {
    const { first, env } = await bought({ bootMode: "disk", powerState: "running" })
    await env.outside((vps) => vps.instances.reinstall(1, { os: "debian-13" }))
    await env.outside((vps) => vps.rescue.enter(1))
    await env.outside((vps) => vps.power.stop(1))
    const seen = await read(env, first)
    const wanted = { ...program, bootMode: "disk", powerState: "running", os: "debian-12", allowDataLoss: true }
    const second = await up(env.session(), wanted, { ...first, ...seen! })
    assertLike(second, {
      reasons: [],
      outputs: { bootMode: "disk", powerState: "running", status: "running" }
    })
    assert.deepStrictEqual(mutations(env), [])
    assert.strictEqual(env.count("reinstall"), 1)
  })
  it("an ISO is unmounted when the program no longer names it, unless another one was mounted outside", async () => {
    const { first, env } = await bought({ isoId: 1 })
    env.calls.length = 0
    const second = await up(env.session(), program, first)
    assert.deepStrictEqual(mutations(env), ["isoUnmount 1"])
    assert.notProperty(second.outputs, "isoId")
    env.calls.length = 0
    await env.outside((vps) => vps.isos.mount(1, { iso_id: 2 }))
    await up(env.session(), program, first)
    assert.deepStrictEqual(mutations(env), [])
  })
  it("a refresh requests them only if they are managed, and shows changes from outside", async () => {
    const { first, env } = await bought({ bootMode: "disk", isoId: 1 })
    await env.outside((vps) => vps.isos.unmount(1))
    await env.outside((vps) => vps.rescue.enter(1))
    const seen = await read(env, first)
    assertLike(seen?.inputs, { bootMode: "rescue" })
    assert.notProperty(seen?.inputs, "isoId")
    const wanted = { ...program, bootMode: "disk", isoId: 1 }
    await up(env.session(), wanted, { ...first, ...seen! })
    assert.deepStrictEqual(mutations(env), ["isoMount 1 1", "rescueExit 1"])
    const plain = await bought()
    await read(plain.env, plain.first)
    assert.deepStrictEqual(plain.env.calls, ["list"])
  })
  it("one that can't be looked at is not taken to be as wanted", async () => {
    const { first, env } = await bought()
    env.faults.fail("status", apiError(502, "upstream"))
    const wanted = { ...program, bootMode: "rescue" }
    const second = await up(env.session(), wanted, first)
    assert.include(second.reasons[0], "the service returned 502: upstream")
    assert.notProperty(second.outputs, "bootMode")
    assertLike(await up(env.session(), wanted, second), { reasons: [], outputs: { status: "rescue" } })
  })
  it("a machine that does not answer keeps a refresh from nothing else", async () => {
    const { first, env } = await bought({ bootMode: "disk" })
    await env.vps.instances.hostname(1, { hostname: "drift.example.com" })
    env.faults.fail("status", apiError(502, "upstream"))
    assertLike((await read(env, first))?.outputs, { bootMode: "disk", hostname: "drift.example.com" })
    assert.isTrue(env.said("warning web: boot mode and ISO of instance 1 could not be read; the state keeps"))
  })
})
