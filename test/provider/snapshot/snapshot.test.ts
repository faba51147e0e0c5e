import { assert, describe, it } from "vitest"
import { UNKNOWN } from "#provider/definition/Properties"
import { snapshotLifecycle } from "#provider/snapshot/Snapshot"
import { engineFor } from "../Runs.ts"
import { DAY, Environment, TASK_TIME, UPSTREAM_REASON } from "../Environment.ts"
import { apiError, noAnswer } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike, isNumber } from "../../support/like.ts"

const URN = "urn:pulumi:prod::shop::vps:index:Snapshot::before"
const OTHER = "urn:pulumi:prod::shop::vps:index:Snapshot::other"
const { check, up } = engineFor(snapshotLifecycle, URN)
const program = { instanceId: "1", name: "before-upgrade" }
const SNAPSHOTS_QUOTA = 3

describe("taking a snapshot", () => {
  it("waits until it is available, and a second up finds nothing to do", async () => {
    const env = await Environment.withInstance()
    const taken = await up(env.session(), program)
    assertLike(taken.outputs, {
      status: "available",
      sizeBytes: isNumber,
      userId: 1,
      name: "before-upgrade"
    })
    assert.strictEqual(taken.id, `1/${String(taken.outputs["snapshotId"])}`)
    const calls = env.calls.length
    assert.deepStrictEqual(await up(env.session(), program, taken), taken)
    assert.strictEqual(env.calls.length, calls)
  })
  it("waits for a server that is still being deployed or busy", async () => {
    const env = await Environment.withInstance()
    await env.vps.power.restart(1)
    await up(env.session(), program)
    assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
    assert.isTrue(env.said("busy with another task (restart)"))
  })
  it.each([["an answer is lost", noAnswer()], ["a gateway answers 502 for it", apiError(502, "bad gateway")]])(
    "is not repeated when %s: it is found by its name",
    async (_, error) => {
      const env = await Environment.withInstance()
      env.faults.fail("snapshotCreate", error, true)
      await up(env.session(), program)
      assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
      assert.strictEqual(env.count("snapshotCreate"), 1)
    }
  )
  it("is repeated when the request did not arrive", async () => {
    const env = await Environment.withInstance()
    env.faults.fail("snapshotCreate", noAnswer())
    await up(env.session(), program)
    assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
    assert.strictEqual(env.count("snapshotCreate"), 2)
  })
  it("killed after the request, the next process continues with the same one", async () => {
    const env = await Environment.withInstance()
    await env.vps.snapshots.create(1, { name: "before-upgrade" })
    await up(env.session(), program)
    assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
    assert.strictEqual(env.count("snapshotCreate"), 0)
    assert.isTrue(env.said("continuing with it"))
  })
  it("of a name that was used long ago is rejected: its content would be too old", async () => {
    const env = await Environment.withInstance()
    await env.addSnapshot("before-upgrade")
    await env.advance(DAY + 1)
    assert.match(
      (await rejection(up(env.session(), program))).message,
      /already .* \(id \d+, taken on .*\).*Use another name/s
    )
    assert.strictEqual(env.count("snapshotCreate"), 0)
  })
  it("that left the state of a refused destroy is taken back, however old it is", async () => {
    const env = await Environment.withInstance()
    const taken = await up(env.session(), program)
    await env.advance(2 * DAY)
    assert.strictEqual((await up(env.session(), program)).id, taken.id)
    // A later one of the same name is another client's.
    await env.outside((vps) => vps.snapshots.delete(1, Number(taken.outputs["snapshotId"])))
    await env.addSnapshot("before-upgrade")
    await env.advance(2 * DAY)
    assert.include((await rejection(up(env.session(), program))).message, "too old to be from an earlier run")
  })
  it("that failed leaves nothing in the state, says why, and the next up takes another", async () => {
    const env = await Environment.withInstance()
    await env.failNext("snapshot_create")
    assert.include((await rejection(up(env.session(), program))).message, `could not be taken (${UPSTREAM_REASON})`)
    assert.strictEqual((await up(env.session(), program)).outputs["status"], "available")
  })
  it("that takes too long is in the state, and the next up continues to wait", async () => {
    const env = await Environment.withInstance()
    await env.delayNext("snapshot_create", 5_000)
    const slow = { ...program, timeouts: { create: "1s", update: "1m" } }
    const begun = await up(env.session(), slow)
    assert.include(begun.reasons.join(), "was started but is not finished yet: timed out")
    const done = await up(env.session(), slow, begun)
    assert.strictEqual(done.outputs["status"], "available")
    // A refresh makes the engine forget the reasons.
    assert.strictEqual((await up(env.session(), slow, { ...begun, reasons: [] })).outputs["status"], "available")
    assert.strictEqual(env.count("snapshotCreate"), 1)
  })
  it("beyond the quota lists the existing ones and how to delete one", async () => {
    const env = await Environment.withInstance()
    for (let at = 0; at < SNAPSHOTS_QUOTA; at++) await env.addSnapshot(`old-${at}`)
    assert.match(
      (await rejection(up(env.session(), program))).message,
      /Snapshot limit reached.*The instance has 3: \d+ of .*vps snapshot delete 1 <id>.*vps snapshot list 1/
    )
  })
  it("that the instance's state does not allow is reported without the quota", async () => {
    const env = await Environment.withInstance()
    await env.addSnapshot("mine")
    env.faults.fail("snapshotCreate", apiError(409, "The server is in rescue mode."))
    assert.match((await rejection(up(env.session(), program))).message, /in rescue mode\..* No snapshot was taken$/)
  })
  it("of a server that stays busy until the timeout names the resource, the task and what to do", async () => {
    const env = await Environment.withInstance()
    for (let at = 0; at < 9; at++) {
      env.faults.fail("snapshotCreate", apiError(409, "busy with another task (resize)", { retryAfter: 5 }))
    }
    assert.match(
      (await rejection(up(env.session(), { ...program, timeouts: { create: "20s" } }))).message,
      /^before: could not take a snapshot of instance 1: gave up after 20s: .*busy with another task.*`pulumi up`/
    )
  })
  it("of an instance that is not in the account names the account", async () => {
    const error = up((await Environment.withInstance()).session(), { ...program, instanceId: "9" })
    assert.include(
      (await rejection(error)).message,
      "instance 9 not found in account 1 (owner@example.test); no snapshot was taken"
    )
  })
  it("with a key that may only read warns in the preview", async () => {
    const env = await Environment.withInstance()
    await env.useScopes(["vps:read"])
    await check(env.session(), undefined, program)
    assert.isTrue(env.said("the API key has vps:read, but a Snapshot needs vps:write"))
  })
  it("under a name that another resource of the program has fails the check", async () => {
    const session = (await Environment.withInstance()).session()
    await check(session, undefined, program)
    assert.include(
      (await rejection(engineFor(snapshotLifecycle, OTHER).check(session, undefined, program))).message,
      "before in this program already has the name \"before-upgrade\" on this instance"
    )
    await check(session, undefined, program)
  })
})

describe("changing a snapshot", () => {
  it.each<[string, object, ReadonlyArray<string>]>([
    ["name", { name: "other" }, ["name"]],
    ["instanceId", { instanceId: 2 }, ["instanceId"]],
    ["onDelete", { onDelete: "keep" }, []],
    ["an unknown instance", { instanceId: UNKNOWN }, ["instanceId"]]
  ])("%s", async (_, change, replaces) => {
    const olds = { ...program, snapshotId: 1, status: "available", __urn: URN }
    const difference = await snapshotLifecycle.diff((await Environment.withInstance()).session(), "1/1", olds, {
      ...olds,
      ...change
    })
    assert.deepStrictEqual(difference.replaces, replaces)
  })
  it("takes the new one first if the quota allows it", async () => {
    const env = await Environment.withInstance()
    const old = await up(env.session(), program)
    await up(env.session(), { ...program, name: "after" }, old)
    assert.deepStrictEqual(await env.snapshots(), ["after"])
    const calls = env.calls.filter((call) => /^snapshot(Create|Delete)/.test(call))
    assert.deepStrictEqual(calls.map((call) => call.split(" ")[0]), [
      "snapshotCreate",
      "snapshotCreate",
      "snapshotDelete"
    ])
  })
  it("replaced with a full quota: the old one is deleted first, and that is said", async () => {
    const env = await Environment.withInstance()
    const old = await up(env.session(), program)
    for (let at = 1; at < SNAPSHOTS_QUOTA; at++) await env.addSnapshot("mine")
    await up(env.session(), { ...program, name: "after" }, old)
    assert.deepStrictEqual((await env.snapshots()).toSorted(), ["after", "mine", "mine"])
    assert.isTrue(env.said("is deleted before the new one is taken"))
  })
  it("replaced together: within the quota the new one is taken first, else the old one is deleted", async () => {
    const env = await Environment.withInstance()
    const other = engineFor(snapshotLifecycle, OTHER)
    const first = await up(env.session(), program)
    const second = await other.up(env.session(), { ...program, name: "second" })
    const session = env.session()
    const replace = async (engine: typeof other, old: typeof first, name: string) => {
      const inputs = await engine.check(session, old.inputs, { ...program, name })
      return (await snapshotLifecycle.diff(session, old.id, old.outputs, inputs)).deleteBeforeReplace ?? false
    }
    assert.isFalse(await replace({ ...other, check, up }, first, "first of today"))
    assert.isTrue(await replace(other, second, "second of today"))
    assert.isTrue(env.said(
      "warning other: instance 1 has 2 of 3 snapshots, and this update takes 1 more, so \"second\" is deleted before "
        + "the new one is taken"
    ))
  })
  it("with onDelete keep and a full quota, the preview says that the new one exceeds it, and the way out", async () => {
    const env = await Environment.withInstance()
    const old = await up(env.session(), { ...program, onDelete: "keep" })
    for (let at = 1; at < SNAPSHOTS_QUOTA; at++) await env.addSnapshot("mine")
    const session = env.session()
    const inputs = await check(session, old.inputs, { ...program, name: "after", onDelete: "keep" })
    await snapshotLifecycle.diff(session, old.id, old.outputs, inputs)
    assert.isTrue(env.said("onDelete: \"keep\" leaves \"before-upgrade\", so the new one may exceed the quota"))
  })
  it("under another resource name, with a full quota: the preview says that the old ones leave last", async () => {
    const env = await Environment.withInstance()
    await up(env.session(), program)
    for (let at = 1; at < SNAPSHOTS_QUOTA; at++) await env.addSnapshot("mine")
    await engineFor(snapshotLifecycle, OTHER).check(env.session(), undefined, { ...program, name: "of today" })
    assert.isTrue(
      env.said("warning other: instance 1 has 3 of 3 snapshots. Snapshots that leave the program are deleted last")
    )
    // That an earlier run took this one does not matter then.
    env.lines.length = 0
    await check(env.session(), undefined, program)
    assert.deepStrictEqual(env.lines, [])
  })
  it("a changed setting alone calls nothing", async () => {
    const env = await Environment.withInstance()
    const old = await up(env.session(), program)
    const calls = env.calls.length
    const kept = await up(env.session(), { ...program, onDelete: "keep" }, old)
    assert.deepStrictEqual(kept.outputs, { ...old.outputs, onDelete: "keep" })
    assert.strictEqual(env.calls.length, calls)
  })
  it("`up --replace` leads to the same snapshot, which is not deleted afterwards", async () => {
    const env = await Environment.withInstance()
    const old = await up(env.session(), program)
    const session = env.session()
    const again = await up(session, program)
    await snapshotLifecycle.delete(session, old.id, old.outputs)
    assert.strictEqual(again.id, old.id)
    assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
  })
})

describe("reading and deleting a snapshot", () => {
  it("is deleted by a destroy that refreshes first: its diff has planned nothing", async () => {
    const env = await Environment.withInstance()
    const { id, inputs, outputs } = await up(env.session(), program)
    const session = env.session()
    await snapshotLifecycle.read(session, id, outputs)
    await snapshotLifecycle.diff(session, id, outputs, inputs)
    await snapshotLifecycle.delete(session, id, outputs)
    assert.deepStrictEqual(await env.snapshots(), [])
  })
  it("deleting waits until it is gone; keep leaves it and says so", async () => {
    const env = await Environment.withInstance()
    const taken = await up(env.session(), program)
    await snapshotLifecycle.delete(env.session(), taken.id, { ...taken.outputs, onDelete: "keep" })
    assert.isTrue(env.said("still counts towards the quota"))
    assert.deepStrictEqual(await env.snapshots(), ["before-upgrade"])
    await snapshotLifecycle.delete(env.session(), taken.id, taken.outputs)
    assert.deepStrictEqual(await env.snapshots(), [])
    assert.isUndefined(await snapshotLifecycle.delete(env.session(), taken.id, taken.outputs))
  })
  it("a lost response to the deletion is not a failure", async () => {
    const env = await Environment.withInstance()
    const taken = await up(env.session(), program)
    env.faults.fail("snapshotDelete", noAnswer(), true)
    await snapshotLifecycle.delete(env.session(), taken.id, taken.outputs)
    assert.deepStrictEqual(await env.snapshots(), [])
  })
  it("a deletion that fails at the host is reported, and the resource stays", async () => {
    const env = await Environment.withInstance()
    const taken = await up(env.session(), program)
    await env.failNext("snapshot_delete")
    assert.include(
      (await rejection(snapshotLifecycle.delete(env.session(), taken.id, taken.outputs))).message,
      `before: deleting snapshot 1 ("before-upgrade") on instance 1 failed: ${UPSTREAM_REASON}`
    )
  })
  it("deleted outside it is gone, and so it is with its server; with another account's key it is not", async () => {
    const env = await Environment.withInstance()
    const { id, inputs, outputs } = await up(env.session(), program)
    assert.deepStrictEqual(await snapshotLifecycle.read(env.session(), id, outputs), { inputs, outputs })
    await env.useOtherAccount()
    assert.include(
      (await rejection(snapshotLifecycle.read(env.session(), id, outputs))).message,
      "but the API key belongs to account 2"
    )
    assert.include(
      (await rejection(snapshotLifecycle.delete(env.session(), id, outputs))).message,
      "but the API key belongs to account 2"
    )
    env.useOwnAccount()
    await env.vps.snapshots.delete(1, Number(outputs["snapshotId"]))
    await env.advance(TASK_TIME)
    assert.isUndefined(await snapshotLifecycle.read(env.session(), id, outputs))
    env.override(1, { status: "deleted" })
    assert.isUndefined(await snapshotLifecycle.read(env.session(), id, outputs))
    assert.isUndefined(await snapshotLifecycle.delete(env.session(), id, outputs))
  })
})
