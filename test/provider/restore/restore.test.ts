import { assert, describe, it } from "vitest"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { backupRestoreLifecycle, snapshotRestoreLifecycle } from "#provider/restore/Restore"
import { engineFor } from "../Runs.ts"
import { DAY, Environment, TASK_TIME, UPSTREAM_REASON } from "../Environment.ts"
import { apiError, noAnswer } from "../Faults.ts"
import { rejection } from "../../support/rejection.ts"
import { assertLike, containing } from "../../support/like.ts"

const URN = "urn:pulumi:prod::shop::vps:index:SnapshotRestore::back"

const withInstance = async (): Promise<{ env: Environment; snapshotId: number; backupId: number }> => {
  const env = await Environment.withInstance()
  const { id: snapshotId } = await env.addSnapshot("a")
  await env.advance(DAY)
  return { env, snapshotId, backupId: (await env.vps.backups.list(1))[0]!.id }
}
const restores = async (env: Environment) =>
  (await env.tasks()).filter(({ status, type }) => type.endsWith("_restore") && status === "succeeded").length

describe.each(
  [
    ["SnapshotRestore", snapshotRestoreLifecycle, "snapshotId", "snapshotRestore"],
    ["BackupRestore", backupRestoreLifecycle, "backupId", "backupRestore"]
  ] as const
)("%s", (_, lifecycle, source, operation) => {
  const { up } = engineFor(lifecycle, URN)
  const kind = source === "snapshotId" ? "snapshot" : "backup"
  const task = `${kind}_restore` as const
  const prepare = async () => {
    const { env, ...ids } = await withInstance()
    return { env, program: { instanceId: "1", [source]: ids[source], triggers: ["one"], allowDataLoss: true } }
  }

  it("restores once when it is created, and once per change of triggers, also back to earlier ones", async () => {
    const { program, env } = await prepare()
    let stored = await up(env.session(), program)
    assertLike(stored.outputs, { restoredFrom: program[source], userId: 1 })
    assert.typeOf(stored.outputs["restoredAt"], "string")
    for (const [triggers, count] of [[["one"], 1], [["two"], 2], [["two"], 2], [["one"], 3]] as const) {
      stored = await up(env.session(), { ...program, triggers }, stored)
      assert.strictEqual(await restores(env), count)
    }
    await lifecycle.delete(env.session(), stored.id, stored.outputs)
    assert.strictEqual(await restores(env), 3)
  })
  it("another source without other triggers is only recorded, and says so", async () => {
    const { program, env } = await prepare()
    const stored = await up(env.session(), program)
    await up(env.session(), { ...program, [source]: 77 }, stored)
    assert.strictEqual(await restores(env), 1)
    assert.isTrue(env.said(`${source} is recorded for the next restore`))
  })
  it("without allowDataLoss a restore that is due fails the check, and one that is not does not", async () => {
    const { program, env } = await prepare()
    const careful = { ...program, allowDataLoss: false }
    assert.match(
      (await rejection(up(env.session(), careful))).message,
      /newer data on it is lost. Set allowDataLoss: true to allow it/
    )
    assert.strictEqual(env.count(operation), 0)
    const stored = await up(env.session(), program)
    assert.isTrue(env.said("newer data on it is lost"))
    const settled = await up(env.session(), careful, stored)
    assert.include(
      (await rejection(up(env.session(), { ...careful, triggers: ["two"] }, settled))).message,
      "allowDataLoss"
    )
    await up(env.session(), { ...careful, triggers: undefined }, settled)
    assert.strictEqual(await restores(env), 1)
  })
  it("what is unknown in a preview is not judged", async () => {
    const { program, env } = await prepare()
    const stored = await up(env.session(), program)
    const unknown = { ...program, allowDataLoss: undefined, triggers: UNKNOWN, __urn: URN }
    const failures = async (news: Properties) => (await lifecycle.check(env.session(), stored.inputs, news)).failures
    assert.deepStrictEqual(await failures({ ...unknown }), [])
    // An instance with an unknown id is a new one, which is restored, too.
    assertLike(await failures({ ...unknown, instanceId: UNKNOWN }), [
      { reason: containing("overwrites the disk of the instance") }
    ])
  })
  it.each([
    ["shows request ids", true, noAnswer()],
    ["shows no request ids", false, noAnswer()],
    ["shows request ids", true, apiError(502, "bad gateway")]
  ])("a lost answer of a host that %s is not repeated: the feed shows the task", async (_words, shows, error) => {
    const { program, env } = await prepare()
    env.showsRequests = shows
    env.faults.fail(operation, error, true)
    await up(env.session(), program)
    assert.strictEqual(await restores(env), 1)
    assert.strictEqual(env.count(operation), 1)
  })
  it("a request that did not arrive, or that a busy server refused, is repeated", async () => {
    const { program, env } = await prepare()
    env.faults.fail(operation, noAnswer())
    await env.vps.power.restart(1)
    await up(env.session(), program)
    assert.strictEqual(await restores(env), 1)
  })
  it.each(["create", "update"])(
    "killed after the request of a %s, the next process does not repeat it",
    async (when) => {
      const { program, env } = await prepare()
      const before = when === "update" ? await up(env.session(), { ...program, triggers: ["zero"] }) : undefined
      const asked = env.count(operation)
      // The answer is never recorded: the state stays what it was.
      await up(env.session(), program, before)
      const stored = await up(env.session(), program, before)
      assert.strictEqual(env.count(operation), asked + 1)
      assert.isTrue(env.said("so it is not restored again"))
      assert.typeOf(stored.outputs["restoredAt"], "string")
    }
  )
  it("a state that was lost restores nothing again, however long ago it was; other triggers do", async () => {
    const { program, env } = await prepare()
    const first = await up(env.session(), program)
    const two = { ...program, triggers: ["two"] }
    const second = await up(env.session(), two, first)
    await env.advance(DAY + TASK_TIME)
    const found = await up(env.session(), two)
    assert.strictEqual(found.outputs["taskId"], second.outputs["taskId"])
    assert.strictEqual(await restores(env), 2)
    await up(env.session(), { ...program, triggers: ["three"] })
    assert.strictEqual(await restores(env), 3)
  })
  it("a restore that takes too long is in the state, and the next up continues to wait", async () => {
    const { program, env } = await prepare()
    await env.delayNext(task, 5_000)
    const slow = { ...program, timeouts: { create: "1s" } }
    const begun = await up(env.session(), slow)
    assert.include(begun.reasons.join(), "was started but is not finished yet")
    const done = await up(env.session(), slow, { ...begun, reasons: [] })
    assert.typeOf(done.outputs["restoredAt"], "string")
    assert.strictEqual(env.count(operation), 1)
  })
  it("a failed restore is reported with its reason, and repeated by the next up", async () => {
    const { program, env } = await prepare()
    await env.failNext(task)
    assert.include(
      (await rejection(up(env.session(), program))).message,
      `back: restoring ${kind} 1 on instance 1 failed: ${UPSTREAM_REASON}`
    )
    await up(env.session(), program)
    assert.strictEqual(await restores(env), 1)
  })
  it("a restore that failed between two runs is repeated only if data loss is allowed", async () => {
    const { program, env } = await prepare()
    await env.emulator.faults.add({ operation: `driver.${task}`, driver: "rejected", latency_ms: 5_000, count: 1 })
    const begun = await up(env.session(), { ...program, timeouts: { create: "1s" } })
    await env.advance(10_000)
    assert.include(
      (await rejection(up(env.session(), { ...program, allowDataLoss: false }, begun))).message,
      "Set allowDataLoss: true to allow it"
    )
    await up(env.session(), program, begun)
    assert.strictEqual(await restores(env), 1)
  })
  it("an instance that stays busy until the timeout, or rejects, is reported with the consequence", async () => {
    const { program, env } = await prepare()
    const busy = () => apiError(409, "busy with another task (resize)", { retryAfter: 5 })
    for (let at = 0; at < 9; at++) env.faults.fail(operation, busy())
    assert.match(
      (await rejection(up(env.session(), { ...program, timeouts: { create: "20s" } }))).message,
      /^back: \w+ \d+ was not restored on instance 1: gave up after 20s.*The disk is unchanged\. Run .* again$/
    )
    assert.strictEqual(await restores(env), 0)
    const refusing = await prepare()
    refusing.env.faults.fail(operation, apiError(409, "The server is in rescue mode."))
    assert.include((await rejection(up(refusing.env.session(), refusing.program))).message, "The disk is unchanged")
    assert.strictEqual(await restores(refusing.env), 0)
  })
  it("goes with its server", async () => {
    const { program, env } = await prepare()
    const { id, inputs, outputs } = await up(env.session(), program)
    assert.deepStrictEqual(await lifecycle.read(env.session(), id, outputs), { inputs, outputs })
    env.override(1, { status: "deleted" })
    assert.isUndefined(await lifecycle.read(env.session(), id, outputs))
    assert.include(
      (await rejection(up(env.session(), { ...program, triggers: ["two"] }, { id, inputs, outputs, reasons: [] })))
        .message,
      "no longer exists, so nothing was restored"
    )
  })
})
