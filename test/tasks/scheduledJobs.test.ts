/** The scheduled jobs handle the earliest first, a batch at a time: here, one instance at a time. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/testing/TestClock"
import { terminate } from "#service/admin/commands/Instances"
import { undoRenewal } from "#service/admin/commands/Wallet"
import { Limits } from "#service/config/Limits"
import { listBackups, restoreBackup } from "#service/operations/Backups"
import { operate } from "#service/operations/Power"
import { DueTimes } from "#service/persistence/DueTimes"
import { Rejected } from "#service/provisioning/Driver"
import * as Scheduler from "#service/tasks/Scheduler"
import { WorkerNotifier } from "#service/runtime/WorkerNotifier"
import { at } from "../support/billing.ts"
import { execute, rows } from "../support/database.ts"
import { operationTime, running } from "../support/instances.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { allTasks, buy, coreLayer, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const { FAILED_RETENTION_MILLIS, RENEWAL_PAUSE_MILLIS } = DEFAULT_LIMITS

const MONTH = 31 * 86_400_000

/** Without a worker, which would repeat it until nothing is due. */
const runJobs = Effect.fnUntraced(function*(moment: number) {
  yield* TestClock.setTime(moment)
  const limits = { ...(yield* Limits), DUTY_BATCH: 1 }
  const context = yield* Effect.provideService(Layer.build(Layer.fresh(Scheduler.layer)), Limits, limits)
  const jobs = Context.get(context, Scheduler.ScheduledJobs)
  const moments = yield* (yield* DueTimes).next
  for (const job of Scheduler.dueJobs(jobs, moments, moment)) yield* job.run(moment)
})

const next = Effect.flatMap(DueTimes, (times) => times.next)

const finished = (id: number) =>
  execute(`UPDATE tasks SET status = 'succeeded', finished_at = 0 WHERE instance_id = ${id}`)

/** Idle instances with these columns; returns their ids. */
const resting = Effect.fnUntraced(function*(...columns: ReadonlyArray<string>) {
  const ids: Array<number> = []
  for (const each of columns) {
    const { id } = yield* buy()
    yield* finished(id)
    for (const set of ["lifecycle = 'active'", each]) yield* execute(`UPDATE instances SET ${set} WHERE id = ${id}`)
    ids.push(id)
  }
  return ids
})

/** An operation of it is in work. */
const busy = (id: number) =>
  execute(`UPDATE tasks SET status = 'running', finished_at = NULL WHERE instance_id = ${id} AND type = 'provision'`)

/** The instances that had a task or an entry of this type, in that order. */
const had = (type: string) =>
  Effect.map(allTasks, (tasks) => tasks.filter((task) => task.type === type).map(({ instanceId }) => instanceId))

describe("a scheduled job", () => {
  it.effect("renews what ended earliest, and a busy instance when its operation has ended", () =>
    Effect.gen(function*() {
      const end = MONTH
      const ends = [end + 3, end + 1, end + 2, end + 2, end].map((each) => `expires_at = ${each}`)
      const [last, first, second, third, working] = yield* resting(...ends)
      assert.strictEqual((yield* next).ending, end)
      yield* busy(working!)
      assert.strictEqual((yield* next).ending, end + 1)
      for (const renewed of [[first], [first, second], [first, second, third], [first, second, third]]) {
        yield* runJobs(end + 2)
        assert.deepStrictEqual(yield* had("renew"), renewed)
      }
      assert.strictEqual((yield* next).ending, end + 3)
      yield* finished(working!)
      yield* runJobs(end + 3)
      yield* runJobs(end + 3)
      assert.deepStrictEqual(yield* had("renew"), [first, second, third, working, last])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("renews an instance that is behind when its pause is over, and others meanwhile", () =>
    Effect.gen(function*() {
      const now = 4 * MONTH
      const [behind, other] = yield* resting(`expires_at = ${MONTH}`, `expires_at = ${now}`)
      yield* runJobs(now)
      yield* runJobs(now)
      yield* runJobs(now)
      assert.deepStrictEqual(yield* had("renew"), [behind, other])
      assert.strictEqual((yield* next).ending, now + RENEWAL_PAUSE_MILLIS)
      yield* runJobs(now + RENEWAL_PAUSE_MILLIS)
      assert.deepStrictEqual(yield* had("renew"), [behind, other, behind])
    }).pipe(Effect.provide(coreLayer())))

  it.effect("deletes what expired earliest, and tries a deletion again at its own moment", () =>
    Effect.gen(function*() {
      const end = MONTH
      const expired = (more: string) => `lifecycle = 'expired', auto_renew = 0, ${more}`
      const [last, first, working, again] = yield* resting(
        ...[end + 2, end + 1, end].map((each) => expired(`grace_until = ${each}`)),
        expired(`terminate_at = ${end + 3}`),
        `expires_at = ${2 * end}`
      )
      yield* busy(working!)
      assert.strictEqual((yield* next).deletion, end + 1)
      for (const deleted of [[first], [first, last], [first, last]]) {
        yield* runJobs(end + 2)
        assert.deepStrictEqual(yield* had("terminate"), deleted)
      }
      assert.strictEqual((yield* next).deletion, end + 3)
      yield* runJobs(end + 3)
      assert.deepStrictEqual(yield* had("terminate"), [first, last, again])
      assert.isUndefined((yield* next).deletion)
    }).pipe(Effect.provide(coreLayer())))

  it.effect("backs up active instances whose night is due, earliest first", () =>
    Effect.gen(function*() {
      const night = MONTH
      const nights = [night + 3, night + 1, night + 2, night + 2].map((each) => `next_backup_at = ${each}`)
      const [last, first, second, third] = yield* resting(
        ...nights,
        `next_backup_at = ${night}, lifecycle = 'suspended'`,
        "next_backup_at = NULL"
      )
      yield* execute(`UPDATE instances SET expires_at = ${2 * MONTH}`)
      assert.strictEqual((yield* next).backup, night + 1)
      for (const made of [[first], [first, second], [first, second, third], [first, second, third]]) {
        yield* runJobs(night + 2)
        assert.deepStrictEqual(yield* had("backup_create"), made)
      }
      assert.strictEqual((yield* next).backup, night + 3)
      yield* runJobs(night + 3)
      assert.deepStrictEqual(yield* had("backup_create"), [first, second, third, last])
    }).pipe(Effect.provide(coreLayer())))
})

describe("a deployment that failed", () => {
  it.effect("leaves nothing to renew, and an instance that leaves the list later", () =>
    Effect.gen(function*() {
      ;(yield* Upstream).mishaps.push(new Rejected({ reason: "no such image" }))
      const { id } = yield* buy()
      yield* deployTime
      assert.deepInclude(yield* show(id), { status: "failed", expires_at: null, auto_renew: false })
      assert.include(String(yield* Effect.flip(undoRenewal({ id }))), "is failed, and has no paid period")
      const { deletion, ending } = yield* next
      assert.isUndefined(ending)
      const end = at((yield* show(id)).created_at) + FAILED_RETENTION_MILLIS
      assert.isAtLeast(deletion!, end)
      yield* TestClock.setTime(deletion! - 1)
      yield* elapse(0)
      assert.strictEqual((yield* show(id)).status, "failed")
      yield* elapse(3_000)
      assert.strictEqual((yield* show(id)).status, "deleted")
    }).pipe(Effect.provide(serviceLayer())))
})

describe("a backup", () => {
  const backups = (id: number) =>
    Effect.map(listBackups(owner, id), (all) => all.map((each) => [each.id, each.status] as const))

  /** The instance's night begins. */
  const night = (id: number) =>
    Effect.gen(function*() {
      yield* execute(`UPDATE instances SET next_backup_at = 0 WHERE id = ${id}`)
      yield* (yield* WorkerNotifier).notify
      yield* elapse(0)
    })

  it.effect("is listed unless it gave way, and deleted by the first night after its last, or with its instance", () =>
    Effect.gen(function*() {
      const [id, other] = [yield* running(), yield* running()]
      yield* night(id)
      assert.deepStrictEqual(yield* backups(id), [[1, "creating"]])
      yield* operate(owner, id, "restart")
      assert.deepStrictEqual(yield* backups(id), [])
      yield* elapse(3_000)
      // The next one deletes the rest of it.
      yield* night(id)
      yield* elapse(3_000)
      assert.deepStrictEqual(yield* rows("SELECT id, status FROM backups"), [[2, "available"]])
      yield* night(other)
      yield* elapse(3_000)
      yield* night(id)
      yield* elapse(3_000)
      assert.deepStrictEqual(yield* backups(id), [[2, "available"], [4, "available"]])
      assert.strictEqual((yield* Effect.flip(restoreBackup(owner, id, 3)))._tag, "PartNotFound")
      yield* restoreBackup(owner, id, 2)
      // Written last, and listed first all the same.
      assert.deepStrictEqual(yield* backups(id), [[2, "restoring"], [4, "available"]])
      yield* operationTime
      yield* execute(`UPDATE backups SET expires_at = ${yield* Clock.currentTimeMillis}`)
      yield* night(id)
      assert.include((yield* allTasks).at(-1)!.params, "\"spent\":[2,4]")
      yield* elapse(3_000)
      assert.deepStrictEqual(yield* backups(id), [[5, "available"]])
      assert.deepStrictEqual(yield* backups(other), [[3, "available"]])
      yield* terminate({ id, reason: "asked" })
      assert.isFalse((yield* show(id)).auto_renew)
      yield* elapse(3_000)
      assert.deepStrictEqual(yield* rows("SELECT id, status FROM backups"), [[3, "available"]])
    }).pipe(Effect.provide(serviceLayer())))
})
