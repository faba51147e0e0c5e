/** The retention of the feed: ended tasks are deleted after half a year, except those still to be reconciled. */
import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/testing/TestClock"
import { operate } from "#service/operations/Power"
import { UNRECONCILED } from "#service/operations/Registry"
import { Tasks } from "#service/persistence/Tasks"
import type { Actor, NewTask } from "#service/persistence/tasks/Task"
import type { TaskType } from "#service/domain/TaskType"
import { DueTimes } from "#service/persistence/DueTimes"
import { ScheduledJobs } from "#service/tasks/Scheduler"
import { Transaction } from "#service/persistence/Transaction"
import { execute } from "../support/database.ts"
import { running } from "../support/instances.ts"
import { allTasks, elapse, owner, serviceLayer } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { FEED_FORGET_BATCH, FEED_FORGET_PAUSE_MILLIS, FEED_RETENTION_MILLIS } = DEFAULT_LIMITS

const types = Effect.map(allTasks, (tasks) => tasks.map(({ type }) => type))

/** A task of an instance that failed at once. */
const failed = Effect.fnUntraced(
  function*(instanceId: number, type: TaskType, actor: Actor, more: Partial<NewTask> = {}) {
    const at = yield* Clock.currentTimeMillis
    const tasks = yield* Tasks
    const by = { actor, apiKeyId: null, requestId: null, sealed: null } as const
    return yield* (yield* Transaction).run(Effect.gen(function*() {
      const id = yield* tasks.insert({ ...by, instanceId, type, params: "{}", runAt: at, at, leaseUntil: at, ...more })
      yield* tasks.finish(id, 1, { status: "failed", error: "refused", at })
      return id
    }))
  }
)

describe("the feed", () => {
  it.effect("forgets a task when it is half a year old, and not before", () =>
    Effect.gen(function*() {
      const id = yield* running(5)
      yield* elapse(1_000)
      yield* operate(owner, id, "restart")
      yield* elapse(1_000)
      const made = (yield* allTasks).map(({ createdAt }) => createdAt)
      const { deleteEnded } = yield* Tasks
      assert.strictEqual((yield* (yield* DueTimes).next).oldestTask, made[0])
      const { run } = yield* Transaction
      yield* run(deleteEnded(UNRECONCILED, made[0]! - 1, 10))
      assert.deepStrictEqual(yield* types, ["provision", "restart"])
      yield* TestClock.adjust(made[0]! + FEED_RETENTION_MILLIS - (yield* Clock.currentTimeMillis))
      yield* elapse(0)
      assert.notInclude(yield* types, "provision")
      assert.include(yield* types, "restart")
      // It is looked for once an hour.
      yield* TestClock.adjust(FEED_FORGET_PAUSE_MILLIS)
      yield* elapse(0)
      assert.notInclude(yield* types, "restart")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("forgets thousands in shared strokes, and comes to an end", () =>
    Effect.gen(function*() {
      const id = yield* running(5)
      yield* execute(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${3 * FEED_FORGET_BATCH})
        INSERT INTO tasks (instance_id, kind, type, status, progress, actor, params, attempts, fence, created_at,
          finished_at)
        SELECT ${id}, 'audit', 'renew', 'succeeded', 100, 'system', '{}', 0, 0, 0, 0 FROM n`
      )
      yield* TestClock.adjust(FEED_RETENTION_MILLIS + 60_000)
      yield* elapse(1_000)
      const { dueAt } = (yield* ScheduledJobs).at(-2)!
      assert.isAbove(
        dueAt(yield* (yield* DueTimes).next)!,
        yield* Clock.currentTimeMillis,
        "it does not come back at once"
      )
      assert.deepStrictEqual((yield* allTasks).filter(({ createdAt }) => createdAt === 0), [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("keeps what is open, and what failed and may have left something at the upstream", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* failed(id, "restart", "api_key")
      yield* failed(id, "terminate", "system")
      yield* failed(id, "resize", "system", { purpose: "compensate", ofTaskId: 1 })
      yield* failed(id, "resize", "api_key")
      yield* operate(owner, id, "stop")
      const { deleteEnded } = yield* Tasks
      yield* (yield* Transaction).run(deleteEnded(UNRECONCILED, Number.MAX_SAFE_INTEGER, 100))
      const kept = (yield* allTasks).map(({ actor, type }) => `${actor} ${type}`)
      assert.deepStrictEqual(kept, ["system terminate", "system resize", "api_key stop"])
    }).pipe(Effect.provide(serviceLayer())))
})
