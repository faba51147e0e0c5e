/** Claims of due tasks, and the retention of ended ones. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { DueTimes } from "#service/persistence/DueTimes"
import { UNRECONCILED } from "#service/operations/Registry"
import { Tasks } from "#service/persistence/Tasks"
import type { NewTask } from "#service/persistence/tasks/Task"
import { setLifecycle } from "../../support/lifecycle.ts"
import { account, firstInstance, instance, NOW, stock, task } from "./Fixtures.ts"
import { type Rules, write } from "./Rules.ts"

const LEASE = 60

const claim = (now: number, limit = 10) => write(Effect.flatMap(Tasks, (tasks) => tasks.claim(now, now + LEASE, limit)))

const ids = (tasks: ReadonlyArray<{ readonly id: number }>) => tasks.map(({ id }) => id)

/** Tasks that are due at these moments, each of an instance of its own; returns their ids. */
const queued = Effect.fnUntraced(function*(...moments: ReadonlyArray<number>) {
  yield* stock
  const accountId = yield* account()
  return yield* Effect.forEach(
    moments,
    (runAt) => Effect.flatMap(instance(accountId), ({ id }) => task(id, { runAt }))
  )
})

export const claims: Rules = {
  "the earliest due tasks come first, then by ID, up to the limit": Effect.gen(function*() {
    const [late, first, second, early, never] = yield* queued(NOW + 3, NOW + 1, NOW + 1, NOW, NOW + 9)
    assert.deepStrictEqual(ids(yield* claim(NOW + 3, 3)), [early, first, second] as ReadonlyArray<number>)
    assert.deepStrictEqual(ids(yield* claim(NOW + 3, 3)), [late!])
    assert.deepStrictEqual(yield* claim(NOW + 8), [])
    assert.deepStrictEqual(ids(yield* claim(NOW + 9)), [never!])
  }),

  "a claim gives a new fence, one attempt more, and the lease": Effect.gen(function*() {
    const tasks = yield* Tasks
    const [id] = yield* queued(NOW)
    const [taken] = yield* claim(NOW + 5)
    assert.deepStrictEqual(yield* tasks.find(id!), taken)
    const { attempts, fence, leaseUntil, startedAt, status } = taken!
    assert.deepStrictEqual([attempts, fence, leaseUntil, startedAt, status], [
      1,
      1,
      NOW + 5 + LEASE,
      NOW + 5,
      "running"
    ])
    yield* tasks.retryAt(id!, fence, NOW + 6, "busy", 1)
    const [again] = yield* claim(NOW + 6)
    assert.deepStrictEqual([again!.attempts, again!.fence, again!.startedAt, again!.runAt], [2, 2, NOW + 5, NOW + 6])
  }),

  "a lease that has ended is taken among the due ones, in order of its end": Effect.gen(function*() {
    const [held, waiting] = yield* queued(NOW, NOW + LEASE + 1)
    assert.deepStrictEqual(ids(yield* claim(NOW)), [held!])
    assert.deepStrictEqual(yield* claim(NOW + LEASE - 1), [])
    assert.deepStrictEqual(ids(yield* claim(NOW + LEASE + 1)), [held, waiting] as ReadonlyArray<number>)
  }),

  "the limit holds for due ones and ended leases together": Effect.gen(function*() {
    const [first, second, third, fourth] = yield* queued(NOW, NOW, NOW + LEASE, NOW + LEASE)
    yield* claim(NOW)
    assert.deepStrictEqual(ids(yield* claim(NOW + LEASE, 3)), [first!, second!, third!])
    assert.deepStrictEqual(ids(yield* claim(NOW + LEASE, 3)), [fourth!])
  }),

  "two who claim at once never take the same": Effect.gen(function*() {
    const all = yield* queued(...Array.from({ length: 12 }, (_, place) => NOW + place))
    const taken = yield* Effect.forEach([4, 4, 4, 4], (limit) => claim(NOW + 50, limit), { concurrency: "unbounded" })
    const rest = yield* claim(NOW + 50, 12)
    assert.deepStrictEqual([...ids(taken.flat()), ...ids(rest)].toSorted((one, other) => one - other), all)
    assert.isTrue(taken.flat().every(({ fence }) => fence === 1))
  }),

  "the next due is the first run or the first end of a lease": Effect.gen(function*() {
    const tasks = yield* Tasks
    assert.isUndefined(yield* tasks.nextDue)
    const [, held] = yield* queued(NOW + 5, NOW)
    assert.strictEqual(yield* tasks.nextDue, NOW)
    yield* claim(NOW)
    assert.strictEqual(yield* tasks.nextDue, NOW + 5)
    yield* claim(NOW + 5)
    assert.strictEqual(yield* tasks.nextDue, NOW + LEASE)
    yield* tasks.expireLeases
    assert.strictEqual(yield* tasks.nextDue, 0)
    assert.deepStrictEqual((yield* claim(NOW + 6)).map(({ fence }) => fence), [2, 2])
    yield* tasks.cancel(held!, "no", NOW)
    assert.strictEqual(yield* tasks.nextDue, NOW + 6 + LEASE)
  })
}

/** A task of the system that failed, or ended in another way. */
const ended = Effect.fnUntraced(function*(
  instanceId: number,
  overrides: Partial<NewTask>,
  status: "failed" | "succeeded" = "failed"
) {
  const tasks = yield* Tasks
  const made = overrides.at ?? NOW
  const id = yield* task(instanceId, { actor: "system", runAt: made, ...overrides })
  const [taken] = yield* claim(made)
  yield* tasks.finish(id, taken!.fence, { status, error: status === "failed" ? "refused" : null, at: made })
  return id
})

const COMPENSATES = { purpose: "compensate", ofTaskId: 1 } as const
const UNDO = { ...COMPENSATES, type: "resize", params: "{\"plan_id\":2}" } as const

export const endedTasks: Rules = {
  "left over is unasked work that failed and is still wanted, newest first": Effect.gen(function*() {
    const repository = yield* Tasks
    const { accountId, id: first } = yield* firstInstance
    const second = (yield* instance(accountId)).id
    const gone = (yield* instance(accountId)).id
    const terminate = yield* ended(first, { type: "terminate" })
    const kept = yield* ended(second, { ...COMPENSATES, type: "snapshot_delete" })
    yield* ended(second, { type: "resize", params: "{\"plan_id\":3}", actor: "api_key" })
    yield* ended(second, { type: "resize", params: "{\"plan_id\":2}", actor: "panel" })
    yield* ended(second, { type: "iso_mount", params: "{}" })
    const undo = yield* ended(second, UNDO)
    yield* ended(gone, UNDO)
    yield* setLifecycle(gone, "deleted")
    assert.deepStrictEqual(ids(yield* repository.unreconciled(UNRECONCILED, 10)), [undo, kept])
    yield* setLifecycle(first, "failed")
    assert.deepStrictEqual(ids(yield* repository.unreconciled(UNRECONCILED, 10)), [undo, kept, terminate])
    assert.deepStrictEqual(ids(yield* repository.unreconciled(UNRECONCILED, 1)), [undo])
    assert.deepStrictEqual(yield* repository.findUnreconciled(UNRECONCILED, kept), yield* (yield* Tasks).find(kept))
    assert.isUndefined(yield* repository.findUnreconciled(UNRECONCILED, kept + 1))
  }),

  "a task that was retried, superseded, or abandoned is no longer listed": Effect.gen(function*() {
    const repository = yield* Tasks
    const { id } = yield* firstInstance
    const [undo, keep] = [yield* ended(id, UNDO), yield* ended(id, { ...COMPENSATES, type: "iso_mount" })]
    assert.deepStrictEqual(ids(yield* repository.unreconciled(UNRECONCILED, 10)), [keep, undo])
    yield* ended(id, { type: "iso_unmount", actor: "api_key" }, "succeeded")
    assert.deepStrictEqual(ids(yield* repository.unreconciled(UNRECONCILED, 10)), [undo])
    const again = yield* ended(id, UNDO)
    assert.deepStrictEqual(ids(yield* repository.unreconciled(UNRECONCILED, 10)), [again])
    yield* repository.abandon(again, "looked at it")
    const { error, status } = (yield* (yield* Tasks).find(again))!
    assert.deepStrictEqual([status, error], ["cancelled", "looked at it"])
    assert.deepStrictEqual(
      ids(yield* repository.unreconciled(UNRECONCILED, 10)),
      [undo],
      "the one before it counts again"
    )
    yield* ended(id, { type: "resize", actor: "api_key" }, "succeeded")
    assert.deepStrictEqual(yield* repository.unreconciled(UNRECONCILED, 10), [])
    yield* repository.abandon(again + 1, "not failed")
    assert.strictEqual((yield* (yield* Tasks).find(again + 1))?.status, "succeeded")
  }),

  "nothing else that went well since makes up for it": Effect.gen(function*() {
    const repository = yield* Tasks
    const { id } = yield* firstInstance
    const kept = yield* ended(id, { ...COMPENSATES, type: "snapshot_delete", params: "{\"snapshot_id\":1}" })
    const undo = yield* ended(id, UNDO)
    yield* ended(id, { type: "resize", params: UNDO.params, actor: "api_key" })
    yield* ended(id, { type: "snapshot_delete", params: "{\"snapshot_id\":2}", actor: "api_key" }, "succeeded")
    const entry = { instanceId: id, type: "resize", actor: "panel", apiKeyId: null, requestId: null } as const
    yield* (yield* Tasks).recordAudit({ ...entry, error: null, status: "succeeded", at: NOW })
    assert.deepStrictEqual(ids(yield* repository.unreconciled(UNRECONCILED, 10)), [undo, kept])
  }),

  "a settlement is repeated by one of the same task": Effect.gen(function*() {
    const { unreconciled } = yield* Tasks
    const { id } = yield* firstInstance
    const settles = (ofTaskId: number) =>
      ended(id, { type: "set_hostname", params: "{\"hostname\":\"a.test\"}", purpose: "settle", ofTaskId })
    const [first, second] = [yield* settles(1), yield* settles(2)]
    assert.deepStrictEqual(ids(yield* unreconciled(UNRECONCILED, 10)), [second, first])
    const again = yield* settles(1)
    assert.deepStrictEqual(ids(yield* unreconciled(UNRECONCILED, 10)), [again, second])
  }),

  "the feed forgets what was made until a moment, but nothing open and nothing left to do": Effect.gen(function*() {
    const repository = yield* Tasks
    const tasks = yield* Tasks
    assert.isUndefined((yield* (yield* DueTimes).next).oldestTask)
    const { id } = yield* firstInstance
    const left = yield* ended(id, { ...UNDO, at: NOW })
    const old = [
      yield* ended(id, { type: "resize", params: "{}", at: NOW + 1 }),
      yield* ended(id, { type: "start", at: NOW + 2 }, "succeeded")
    ]
    const young = yield* ended(id, { at: NOW + 9 }, "succeeded")
    const open = yield* task(id, { at: NOW + 9 })
    assert.strictEqual((yield* (yield* DueTimes).next).oldestTask, NOW)
    assert.strictEqual(yield* repository.deleteEnded(UNRECONCILED, NOW + 2, 1), 1)
    assert.deepStrictEqual(ids(yield* tasks.all), [left, old[1]!, young, open])
    assert.strictEqual(yield* repository.deleteEnded(UNRECONCILED, NOW + 2, 10), 1)
    assert.strictEqual(yield* repository.deleteEnded(UNRECONCILED, NOW + 2, 10), 0)
    assert.strictEqual(
      yield* repository.deleteEnded(UNRECONCILED, NOW + 99, 10),
      1,
      "without a younger one all are old"
    )
    assert.deepStrictEqual(ids(yield* tasks.all), [left, open])
  })
}
