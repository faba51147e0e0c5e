import { describe, expect, it } from "vitest"
import { type Properties, UNKNOWN } from "#provider/definition/Properties"
import { backupRestoreLifecycle, snapshotRestoreLifecycle } from "#provider/restore/Restore"
import { engineFor } from "../Runs.ts"
import { DAY, Environment, TASK_TIME, UPSTREAM_REASON } from "../Environment.ts"
import { apiError, noAnswer } from "../Faults.ts"

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
    expect(stored.outputs).toMatchObject({ restoredFrom: program[source], userId: 1 })
    expect(stored.outputs["restoredAt"]).toBeTypeOf("string")
    for (const [triggers, count] of [[["one"], 1], [["two"], 2], [["two"], 2], [["one"], 3]] as const) {
      stored = await up(env.session(), { ...program, triggers }, stored)
      expect(await restores(env)).toBe(count)
    }
    await lifecycle.delete(env.session(), stored.id, stored.outputs)
    expect(await restores(env)).toBe(3)
  })
  it("another source without other triggers is only recorded, and says so", async () => {
    const { program, env } = await prepare()
    const stored = await up(env.session(), program)
    await up(env.session(), { ...program, [source]: 77 }, stored)
    expect(await restores(env)).toBe(1)
    expect(env.said(`${source} is recorded for the next restore`)).toBe(true)
  })
  it("without allowDataLoss a restore that is due fails the check, and one that is not does not", async () => {
    const { program, env } = await prepare()
    const careful = { ...program, allowDataLoss: false }
    await expect(up(env.session(), careful)).rejects.toThrow(
      /newer data on it is lost. Set allowDataLoss/
    )
    expect(env.count(operation)).toBe(0)
    const stored = await up(env.session(), program)
    expect(env.said("newer data on it is lost")).toBe(true)
    const settled = await up(env.session(), careful, stored)
    await expect(up(env.session(), { ...careful, triggers: ["two"] }, settled)).rejects.toThrow("allowDataLoss")
    await up(env.session(), { ...careful, triggers: undefined }, settled)
    expect(await restores(env)).toBe(1)
  })
  it("what is unknown in a preview is not judged", async () => {
    const { program, env } = await prepare()
    const stored = await up(env.session(), program)
    const unknown = { ...program, allowDataLoss: undefined, triggers: UNKNOWN, __urn: URN }
    const failures = async (news: Properties) => (await lifecycle.check(env.session(), stored.inputs, news)).failures
    expect(await failures({ ...unknown })).toEqual([])
    // An instance with an unknown id is a new one, which is restored, too.
    expect(await failures({ ...unknown, instanceId: UNKNOWN })).toMatchObject([
      { reason: expect.stringContaining("overwrites the disk of the instance") }
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
    expect(await restores(env)).toBe(1)
    expect(env.count(operation)).toBe(1)
  })
  it("a request that did not arrive, or that a busy server refused, is repeated", async () => {
    const { program, env } = await prepare()
    env.faults.fail(operation, noAnswer())
    await env.vps.power.restart(1)
    await up(env.session(), program)
    expect(await restores(env)).toBe(1)
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
      expect(env.count(operation)).toBe(asked + 1)
      expect(env.said("so it is not restored again")).toBe(true)
      expect(stored.outputs["restoredAt"]).toBeTypeOf("string")
    }
  )
  it("a state that was lost restores nothing again, however long ago it was; other triggers do", async () => {
    const { program, env } = await prepare()
    const first = await up(env.session(), program)
    const two = { ...program, triggers: ["two"] }
    const second = await up(env.session(), two, first)
    await env.advance(DAY + TASK_TIME)
    const found = await up(env.session(), two)
    expect(found.outputs["taskId"]).toBe(second.outputs["taskId"])
    expect(await restores(env)).toBe(2)
    await up(env.session(), { ...program, triggers: ["three"] })
    expect(await restores(env)).toBe(3)
  })
  it("a restore that takes too long is in the state, and the next up continues to wait", async () => {
    const { program, env } = await prepare()
    await env.delayNext(task, 5_000)
    const slow = { ...program, timeouts: { create: "1s" } }
    const begun = await up(env.session(), slow)
    expect(begun.reasons.join()).toContain("was started but is not finished yet")
    const done = await up(env.session(), slow, { ...begun, reasons: [] })
    expect(done.outputs["restoredAt"]).toBeTypeOf("string")
    expect(env.count(operation)).toBe(1)
  })
  it("a failed restore is reported with its reason, and repeated by the next up", async () => {
    const { program, env } = await prepare()
    await env.failNext(task)
    await expect(up(env.session(), program)).rejects.toThrow(
      `back: restoring ${kind} 1 on instance 1 failed: ${UPSTREAM_REASON}`
    )
    await up(env.session(), program)
    expect(await restores(env)).toBe(1)
  })
  it("a restore that failed between two runs is repeated only if data loss is allowed", async () => {
    const { program, env } = await prepare()
    await env.emulator.faults.add({ operation: `driver.${task}`, driver: "rejected", latency_ms: 5_000, count: 1 })
    const begun = await up(env.session(), { ...program, timeouts: { create: "1s" } })
    await env.advance(10_000)
    await expect(up(env.session(), { ...program, allowDataLoss: false }, begun)).rejects.toThrow("allowDataLoss")
    await up(env.session(), program, begun)
    expect(await restores(env)).toBe(1)
  })
  it("an instance that stays busy until the timeout, or rejects, is reported with the consequence", async () => {
    const { program, env } = await prepare()
    const busy = () => apiError(409, "busy with another task (resize)", { retryAfter: 5 })
    for (let at = 0; at < 9; at++) env.faults.fail(operation, busy())
    await expect(up(env.session(), { ...program, timeouts: { create: "20s" } }))
      .rejects.toThrow(
        /^back: \w+ \d+ was not restored on instance 1: gave up after 20s.*The disk is unchanged\. Run .* again$/
      )
    expect(await restores(env)).toBe(0)
    const refusing = await prepare()
    refusing.env.faults.fail(operation, apiError(409, "The server is in rescue mode."))
    await expect(up(refusing.env.session(), refusing.program)).rejects.toThrow("The disk is unchanged")
    expect(await restores(refusing.env)).toBe(0)
  })
  it("goes with its server", async () => {
    const { program, env } = await prepare()
    const { id, inputs, outputs } = await up(env.session(), program)
    expect(await lifecycle.read(env.session(), id, outputs)).toEqual({ inputs, outputs })
    env.override(1, { status: "deleted" })
    expect(await lifecycle.read(env.session(), id, outputs)).toBeUndefined()
    await expect(up(env.session(), { ...program, triggers: ["two"] }, { id, inputs, outputs, reasons: [] }))
      .rejects.toThrow("no longer exists, so nothing was restored")
  })
})
