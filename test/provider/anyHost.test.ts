/** The provider with hosts that follow the specification and fill everything else otherwise. */
import { afterEach, assert, beforeEach, describe, it } from "vitest"
import { callFunction } from "#provider/functions/Functions"
import { instanceLifecycle } from "#provider/instance/Instance"
import { snapshotRestoreLifecycle } from "#provider/restore/Restore"
import { reverseDnsLifecycle } from "#provider/reverse-dns/ReverseDns"
import { snapshotLifecycle } from "#provider/snapshot/Snapshot"
import { AnyEnvironment } from "../anyHost/AnyEnvironment.ts"
import { assertLike } from "../support/like.ts"
import { engineFor, refresh, type Stored, up } from "./Runs.ts"

const web = { serviceId: 1, hostname: "web.example.com", os: "debian-12" }
const urn = (type: string): string => `urn:pulumi:prod::shop::vps:index:${type}::it`
const snapshots = engineFor(snapshotLifecycle, urn("Snapshot"))
const restores = engineFor(snapshotRestoreLifecycle, urn("SnapshotRestore"))
const records = engineFor(reverseDnsLifecycle, urn("ReverseDns"))
const destroy = (env: AnyEnvironment, stored: Stored): Promise<void> =>
  instanceLifecycle.delete(env.session({ deletionPolicy: "stop" }), stored.id, stored.outputs)

/** The error of a run that has to fail. */
const failure = async (run: Promise<unknown>): Promise<string> => {
  const error: unknown = await run.then(() => undefined, (error: unknown) => error)
  if (!(error instanceof Error)) throw new Error("it was to fail")
  return error.message
}

describe.each(["a", "b"] as const)("a host of style %s", (style) => {
  let env: AnyEnvironment
  beforeEach(async () => {
    env = await AnyEnvironment.start(style)
  })
  afterEach(async () => {
    assert.notMatch(env.lines.join("\n"), /NaN|undefined|\[object/)
    await env.close()
  })

  const bought = async (more: object = {}): Promise<Stored> => await up(env.session(), { ...web, ...more })
  const wallet = (spent: number): void => assert.strictEqual(env.wallet, 100_000 - spent)

  it("sells an instance once, which is waited for, and a second run changes nothing", async () => {
    const first = await bought({ maxCharge: 5 })
    assertLike(first, { id: "1", reasons: [] })
    assert.match(String(first.outputs["ipv4"]), /^\d+\.\d+\.\d+\.\d+$/)
    const before = env.calls.length
    assert.strictEqual((await up(env.session(), { ...web, maxCharge: 5 }, first)).id, "1")
    assert.deepStrictEqual(env.calls.slice(before), [])
    const seen = await refresh(env.session(), first)
    assert.deepStrictEqual(seen.outputs, first.outputs)
    wallet(499)
  })

  it("is found by the key after a run that was cut off", async () => {
    env.loseNext = "create"
    assert.include(await failure(bought()), "The outcome is unknown")
    const again = await bought()
    assert.strictEqual(again.id, "1")
    wallet(499)
  })

  it("continues with a purchase of an earlier day only if it is adopted", async () => {
    await bought()
    env.advance(2 * 86_400_000)
    assert.match(
      await failure(bought()),
      /this name already bought instance 1 on .* Set adoptInstanceId: 1 to adopt it/
    )
    wallet(499)
  })

  it("gets another host name and PTR record", async () => {
    const first = await bought()
    await up(env.session(), { ...web, hostname: "www.example.com" }, first)
    assert.strictEqual(env.machine.hostname, "www.example.com")
    const ip = String(first.outputs["ipv4"])
    await records.up(env.session(), { instanceId: "1", ip, ptr: "www.example.com" })
    assert.deepStrictEqual([...env.host.machines.records], [[ip, "www.example.com"]])
  })

  it("is resized for an estimate that is called one, and once", async () => {
    const first = await bought()
    const second = await up(env.session(), { ...web, serviceId: 2 }, first)
    assert.isTrue(
      env.said("resizing instance 1 from plan 1 (VPS S) to 2 (VPS M) charges about 5.00 EUR now, an estimate")
    )
    assertLike(second.outputs, { serviceId: 2, plan: "vps-m" })
    assert.deepStrictEqual([env.machine.plan.id, env.machine.on], [2, true])
    assert.deepStrictEqual(env.deeds, ["stop", "resize", "start"])
    wallet(999)
  })

  it("is not resized with a limit that cannot be checked, and nothing is charged", async () => {
    const first = await bought({ maxCharge: 50 })
    assert.include(
      await failure(up(env.session(), { ...web, maxCharge: 50, serviceId: 2 }, first)),
      "this host does not show the charge of a resize (about 5.00 EUR now, an estimate from the prices of the plans), "
        + "so maxCharge cannot be checked"
    )
    const settings = { maxChargePerUpdate: "50" }
    const unlimited = await up(env.session(), web, first)
    assert.include(
      await failure(up(env.session(settings), { ...web, serviceId: 2 }, unlimited)),
      "maxChargePerUpdate cannot be checked"
    )
    assert.deepStrictEqual(env.deeds, [])
    wallet(499)
  })

  it("is resized to a smaller plan without a charge, with any limit", async () => {
    const first = await bought({ serviceId: 2 })
    await up(env.session(), { ...web, serviceId: 1, maxCharge: 0 }, first)
    assert.isTrue(env.said("is a downgrade: nothing is charged"))
    assert.strictEqual(env.machine.plan.id, 1)
    wallet(999)
  })

  it("refuses a plan of another data center, which it may not list", async () => {
    const first = await bought()
    const run = up(env.session(), { ...web, serviceId: 4 }, first)
    const said = await run.then(({ reasons }) => reasons.join(), ({ message }: Error) => message)
    assert.match(said, /cannot be resized to plan 4|could not resize to plan 4/)
    assert.isTrue(env.machine.on)
    wallet(499)
  })

  it("is reinstalled, after a snapshot", async () => {
    const first = await bought()
    const next = { ...web, os: "debian-13", allowDataLoss: true, snapshotBefore: "before" }
    const second = await up(env.session(), next, first)
    assert.strictEqual(second.outputs["os"], "debian-13")
    assert.strictEqual(env.machine.os, "debian-13")
    assert.deepStrictEqual(env.deeds, ["snapshot", "reinstall"])
    assert.match(env.machine.snapshots[0]!.name, /^before-/)
    await up(env.session(), next, second)
    assert.deepStrictEqual(env.deeds, ["snapshot", "reinstall"])
  })

  it("is powered off and on, and says by which sign", async () => {
    const first = await bought({ powerState: "running" })
    const off = await up(env.session(), { ...web, powerState: "off" }, first)
    assert.isFalse(env.machine.on)
    assert.strictEqual(off.outputs["powerState"], "off")
    assert.isTrue(env.said("powering off: this host shows no task and no status that says so"))
    const seen = await refresh(env.session(), off)
    assert.strictEqual(seen.outputs["powerState"], "off")
    await up(env.session(), { ...web, powerState: "running" }, seen)
    assert.isTrue(env.machine.on)
    assert.deepStrictEqual(env.deeds, ["stop", "start"])
  })

  it("enters and leaves rescue mode, and mounts an image", async () => {
    const first = await bought({ bootMode: "disk" })
    const rescue = await up(env.session(), { ...web, bootMode: "rescue", isoId: 2 }, first)
    assertLike(env.machine, { rescue: true, iso: 2 })
    assertLike(rescue.outputs, { bootMode: "rescue", isoId: 2 })
    const seen = await refresh(env.session(), rescue)
    assertLike(seen.outputs, { bootMode: "rescue", isoId: 2 })
    await up(env.session(), { ...web, bootMode: "disk" }, seen)
    assertLike(env.machine, { rescue: false, iso: undefined })
  })

  it("mounts an image by the name that it lists", async () => {
    const first = await bought()
    await up(env.session(), { ...web, iso: "installer" }, first)
    assert.strictEqual(env.machine.iso, 2)
  })

  it("rotates the password, and says that a lost answer shows nothing", async () => {
    const first = await bought({ passwordRotation: "1" })
    const second = await up(env.session(), { ...web, passwordRotation: "2" }, first)
    assert.match(String(second.outputs["rootPassword"]), /^pw-/)
    env.loseNext = "resetPassword"
    const third = await up(env.session(), { ...web, passwordRotation: "3" }, second)
    assert.include(third.reasons.join(), "This host does not show whether a password was set")
  })

  it("takes a snapshot once, which is found by its name", async () => {
    await bought()
    const program = { instanceId: "1", name: "first" }
    const taken = await snapshots.up(env.session(), program)
    assert.deepStrictEqual([env.deeds, env.machine.snapshots.map(({ name }) => name)], [["snapshot"], ["first"]])
    assert.strictEqual(taken.id, `1/${env.machine.snapshots[0]?.id}`)
    await snapshots.up(env.session(), program, taken)
    await snapshots.refresh(env.session(), taken)
    assert.deepStrictEqual(env.deeds, ["snapshot"])
    await snapshotLifecycle.delete(env.session(), taken.id, taken.outputs)
    assert.deepStrictEqual(env.machine.snapshots, [])
  })

  it("takes no second snapshot when the answer is lost, and none of a name that exists", async () => {
    await bought()
    env.loseNext = "snapshotCreate"
    const taken = await snapshots.up(env.session(), { instanceId: "1", name: "first" })
    assert.strictEqual(taken.id, `1/${env.machine.snapshots[0]?.id}`)
    assert.deepStrictEqual(env.deeds, ["snapshot"])
    // Another run has lost its state: nothing shows that the snapshot is its own.
    assert.include(
      await failure(snapshots.up(env.session(), { instanceId: "1", name: "first" })),
      "and this host does not show when it was taken. No snapshot was taken"
    )
    assert.deepStrictEqual(env.deeds, ["snapshot"])
  })

  it("restores once, and never twice after a lost answer", async () => {
    await bought()
    const taken = await snapshots.up(env.session(), { instanceId: "1", name: "first" })
    const snapshotId = taken.outputs["snapshotId"]
    const program = (trigger: string) => ({ instanceId: "1", snapshotId, triggers: [trigger], allowDataLoss: true })
    const restored = await restores.up(env.session(), program("one"))
    assert.isString(restored.outputs["restoredAt"])
    await restores.up(env.session(), program("one"), restored)
    const count = () => env.deeds.filter((one) => one === "restore").length
    assert.strictEqual(count(), 1)
    env.loseNext = "snapshotRestore"
    const lost = await restores.up(env.session(), program("two"), restored)
    assert.include(lost.reasons.join(), "this host does not show if snapshot")
    const again = await restores.up(env.session(), program("two"), { ...lost, inputs: restored.inputs })
    assert.deepStrictEqual([again.reasons, count()], [[], 2])
  })

  it("changes nothing in a state that has what the host does not show", async () => {
    await bought()
    const named = { instanceId: "1", name: "first" }
    const taken = await snapshots.up(env.session(), named)
    const shown = {
      ...taken,
      outputs: { ...taken.outputs, status: "available", createdAt: "2026-02-01T00:00:00.000Z" }
    }
    const program = { instanceId: "1", snapshotId: taken.outputs["snapshotId"], allowDataLoss: true }
    const restored = await restores.up(env.session(), program)
    const tasked = { ...restored, outputs: { ...restored.outputs, taskId: 7 } }
    const deeds = env.deeds.length
    for (
      const state of [await snapshots.up(env.session(), named, shown), await snapshots.refresh(env.session(), shown)]
    ) {
      assert.strictEqual((await snapshots.up(env.session(), named, state)).id, taken.id)
    }
    assert.strictEqual((await restores.up(env.session(), program, tasked)).outputs["taskId"], 7)
    const again = await restores.refresh(env.session(), tasked)
    assert.strictEqual((await restores.up(env.session(), program, again)).id, restored.id)
    assert.lengthOf(env.deeds, deeds)
  })

  it("is powered off when it is destroyed, and says until when it is paid", async () => {
    const first = await bought()
    await destroy(env, first)
    assert.isFalse(env.machine.on)
    assert.isTrue(env.said("instance 1 is powered off and is no longer in the state"))
    assert.isTrue(env.said("renews for 4.99 EUR monthly"))
  })

  it("leaves the state when it is gone, but only with the key that observed it", async () => {
    const first = await bought()
    env.host.machines.all.clear()
    const read = (apiKey?: string) => instanceLifecycle.read(env.session({}, apiKey), first.id, first.outputs)
    assert.isUndefined(await read())
    const { keys } = env.host.machines.open("other@example.test", 1_000)
    assert.match(await failure(read(keys[0])), /belongs to account 70, but this host does not show the account/)
  })

  it("fails a preview without changes with the key of another account, and passes with a new one", async () => {
    const first = await bought()
    const other = env.host.machines.open("other@example.test", 1_000).keys[0]
    await up(env.session({}, env.host.machines.addKey()), web, first)
    assert.match(
      await failure(up(env.session({}, other), web, first)),
      /belongs to account 70, but this host does not show the account of the API key, which has no such instance/
    )
  })

  it("returns all that it sends to the functions", async () => {
    await bought()
    const { api } = env.session()
    const call = async (name: Parameters<typeof callFunction>[1]): Promise<unknown> =>
      await callFunction(api, name, name === "getWhoami" ? {} : { instanceId: 1 })
    for (const name of ["getStatus", "getTasks", "getMetrics", "getIsos", "getSnapshots", "getWhoami"] as const) {
      assert.isDefined(await call(name))
    }
  })

  it("stays in the state with its id when the deployment takes longer than the timeout", async () => {
    const first = await bought({ timeouts: { create: "2s" } })
    assert.include(first.reasons.join(), "It is paid for and will not be charged again")
    const second = await up(env.session(), web, first)
    assert.deepStrictEqual([second.id, second.reasons], ["1", []])
    wallet(499)
  })
})
