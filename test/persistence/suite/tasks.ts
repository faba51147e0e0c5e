/** The task table: the queue, the lock of each instance, and the feed. */
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { UNRECONCILED } from "#service/operations/Registry"
import { SavedStates } from "#service/persistence/SavedStates"
import { Tasks } from "#service/persistence/Tasks"
import { account, firstInstance, instance, newTask, NOW, task } from "./Fixtures.ts"
import { countTogether, isRefused, type Rules, write } from "./Rules.ts"

const TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

/** Instances of one account. */
const several = Effect.fnUntraced(function*(count: number) {
  const first = yield* firstInstance
  const others = yield* Effect.forEach(Array.from({ length: count - 1 }), () => instance(first.accountId))
  return [first.id, ...others.map(({ id }) => id)]
})

const claim = (now: number, limit = 10) => write(Effect.flatMap(Tasks, (tasks) => tasks.claim(now, now + 60, limit)))

export const tasks: Rules = {
  "a task is read as it was queued": Effect.gen(function*() {
    const repository = yield* Tasks
    const { accountId, id: instanceId } = yield* firstInstance
    const params = "{\"a\":\"ä?1 'quoted'\"}"
    const id = yield* task(instanceId, { params, sealed: "s", trace: TRACE })
    const expected = {
      id,
      instanceId,
      kind: "operation",
      type: "provision",
      purpose: "request",
      ofTaskId: null,
      status: "queued",
      progress: 0,
      actor: "api_key",
      apiKeyId: 1,
      personId: null,
      requestId: "r-1",
      error: null,
      params,
      sealed: "s",
      attempts: 0,
      runAt: NOW,
      fence: 0,
      leaseUntil: null,
      createdAt: NOW,
      startedAt: null,
      finishedAt: null,
      trace: TRACE
    } as const
    assert.deepStrictEqual(yield* repository.find(id), expected)
    assert.deepStrictEqual(yield* repository.open(instanceId), expected)
    assert.isUndefined(yield* repository.find(id + 1))
    const settles = yield* task((yield* instance(accountId)).id, { purpose: "settle", ofTaskId: id })
    assert.deepInclude(yield* repository.find(settles), { purpose: "settle", ofTaskId: id, trace: null })
  }),

  "who does the work at once starts with a lease and the first fence": Effect.gen(function*() {
    const repository = yield* Tasks
    const { id: instanceId } = yield* firstInstance
    const id = yield* task(instanceId, { leaseUntil: NOW + 60, runAt: null, requestId: null, apiKeyId: null })
    const { attempts, fence, leaseUntil, startedAt, status, trace } = (yield* repository.find(id))!
    assert.deepStrictEqual([attempts, fence, leaseUntil, startedAt, status, trace], [
      1,
      1,
      NOW + 60,
      NOW,
      "running",
      null
    ])
    assert.isTrue(yield* write(repository.setProgress(id, 1, 50)))
  }),

  "an instance has one open operation, however many are begun at once": Effect.gen(function*() {
    const repository = yield* Tasks
    const { id: instanceId } = yield* firstInstance
    const begin = Effect.gen(function*() {
      if ((yield* repository.open(instanceId)) !== undefined) return yield* Effect.fail("busy")
      return yield* repository.insert(newTask(instanceId))
    })
    assert.strictEqual(yield* countTogether(Array.from({ length: 6 }, () => begin), Exit.isSuccess), 1)
    assert.isTrue(yield* isRefused(task(instanceId)), "who did not ask")
    assert.strictEqual(yield* repository.count(instanceId), 1)
    yield* write(repository.cancel((yield* repository.open(instanceId))!.id, "no", NOW))
    yield* task(instanceId)
    assert.strictEqual(yield* repository.count(instanceId), 2)
  }),

  "an audit entry is over when it is written, and locks nothing": Effect.gen(function*() {
    const repository = yield* Tasks
    const { id: instanceId } = yield* firstInstance
    yield* task(instanceId)
    const entry = { instanceId, type: "renew", actor: "system", apiKeyId: null, requestId: null } as const
    yield* repository.recordAudit({ ...entry, error: "no money", status: "failed", at: NOW + 1 })
    const [newest] = yield* repository.feed(instanceId, 1, 0)
    const { createdAt, error, finishedAt, kind, progress, startedAt, status } = newest!
    assert.deepStrictEqual([kind, status, error, progress], ["audit", "failed", "no money", 100])
    assert.deepStrictEqual([createdAt, startedAt, finishedAt], [NOW + 1, NOW + 1, NOW + 1])
    assert.strictEqual((yield* repository.open(instanceId))?.type, "provision")
  }),

  "the count of an instance follows what is added, deleted, undone and restored": Effect.gen(function*() {
    const repository = yield* Tasks
    const [id, other] = yield* several(2)
    const entry = { type: "renew", actor: "system", apiKeyId: null, requestId: null, error: null } as const
    const record = (instanceId: number, at: number) =>
      repository.recordAudit({ ...entry, instanceId, status: "succeeded", at })
    const counts = Effect.all([repository.count(id!), repository.count(other!)])
    const isCounted = Effect.map(
      Effect.all([counts, repository.all]),
      ([counted, all]) =>
        counted.every((count, index) =>
          count === all.filter(({ instanceId }) => instanceId === [id, other][index]).length
        )
    )
    for (const at of [1, 2, 3]) yield* Effect.andThen(record(id!, NOW + at), record(other!, NOW + at))
    yield* task(id!)
    assert.deepStrictEqual(yield* counts, [4, 3])
    assert.isTrue(yield* isRefused(write(Effect.andThen(record(id!, NOW), Effect.fail("no")))))
    const states = yield* SavedStates
    yield* write(states.save({ name: "before", savedAt: NOW }))
    yield* write(repository.deleteEnded(UNRECONCILED, NOW + 2, 10))
    assert.deepStrictEqual(yield* counts, [2, 1])
    assert.isTrue(yield* isCounted)
    yield* write(states.restore("before"))
    assert.deepStrictEqual(yield* counts, [4, 3])
    assert.isTrue(yield* isCounted)
    assert.strictEqual(yield* repository.count(99), 0)
  }),

  "the backlog counts open operations by type and status": Effect.gen(function*() {
    const repository = yield* Tasks
    const [a, b, c, d] = yield* several(4)
    yield* task(a!, { type: "stop" })
    yield* task(b!, { type: "stop" })
    yield* task(c!, { type: "resize", runAt: null })
    yield* task(d!, { type: "stop", runAt: NOW - 1 })
    yield* claim(NOW, 1)
    assert.deepStrictEqual(yield* repository.backlog, [
      { type: "resize", status: "queued", count: 1 },
      { type: "stop", status: "queued", count: 2 },
      { type: "stop", status: "running", count: 1 }
    ])
  })
}

export const fences: Rules = {
  "only the holder of the latest fence changes the task": Effect.gen(function*() {
    const repository = yield* Tasks
    const { id: instanceId } = yield* firstInstance
    yield* task(instanceId)
    const [first] = yield* claim(NOW)
    const [second] = yield* claim(NOW + 60)
    const { fence, id } = second!
    assert.strictEqual(fence, first!.fence + 1)
    const end = { status: "succeeded", error: null, at: NOW } as const
    const tries = (of: number) => [
      repository.extendLease(id, of, NOW + 500),
      repository.setProgress(id, of, 40),
      repository.retryAt(id, of, NOW + 100, "busy", 2)
    ]
    assert.deepStrictEqual(yield* Effect.all(tries(first!.fence)), [false, false, false])
    assert.isFalse(yield* repository.finish(id, first!.fence, end))
    assert.deepStrictEqual(yield* repository.find(id), second)
    assert.deepStrictEqual(yield* Effect.all(tries(fence)), [true, true, true])
    const { attempts, error, leaseUntil, progress, runAt, status } = (yield* repository.find(id))!
    assert.deepStrictEqual([status, error, leaseUntil, runAt], ["queued", "busy", null, NOW + 100])
    assert.deepStrictEqual([attempts, progress], [2, 40])
    assert.isFalse(yield* repository.finish(id, fence, end), "it is in nobody's hands")
  }),

  "an end wipes secrets and lease; success counts as all of the way": Effect.gen(function*() {
    const repository = yield* Tasks
    const [a, b] = yield* several(2)
    yield* task(a!, { sealed: "secret" })
    yield* task(b!, { sealed: "secret" })
    const [one, other] = yield* claim(NOW)
    yield* repository.setProgress(other!.id, 1, 30)
    assert.isTrue(yield* repository.finish(one!.id, 1, { status: "succeeded", error: null, at: NOW + 1 }))
    assert.isTrue(yield* repository.finish(other!.id, 1, { status: "failed", error: "refused", at: NOW + 2 }))
    const all = yield* repository.all
    const ends = all.map(({ error, finishedAt, progress, status }) => [status, error, progress, finishedAt])
    assert.deepStrictEqual(ends, [
      ["succeeded", null, 100, NOW + 1],
      ["failed", "refused", 30, NOW + 2]
    ])
    assert.isTrue(all.every(({ leaseUntil, sealed }) => leaseUntil === null && sealed === null))
    assert.isFalse(yield* repository.finish(one!.id, 1, { status: "failed", error: null, at: NOW }))
  }),

  "a cancelled task is out of its holder's hands; one that has ended stays as it is": Effect.gen(function*() {
    const repository = yield* Tasks
    const { id: instanceId } = yield* firstInstance
    const id = yield* task(instanceId, { sealed: "secret" })
    yield* claim(NOW)
    yield* repository.cancel(id, "gave way", NOW + 1)
    assert.isFalse(yield* repository.setProgress(id, 1, 40))
    yield* repository.cancel(id, "again", NOW + 2)
    const { error, finishedAt, leaseUntil, sealed, status } = (yield* repository.find(id))!
    assert.deepStrictEqual([status, error, finishedAt, sealed, leaseUntil], [
      "cancelled",
      "gave way",
      NOW + 1,
      null,
      null
    ])
    assert.isUndefined(yield* repository.open(instanceId))
  }),

  "what is held for an operator is due when it is released": Effect.gen(function*() {
    const repository = yield* Tasks
    yield* account()
    const { id: instanceId } = yield* firstInstance
    const id = yield* task(instanceId, { runAt: null })
    assert.deepStrictEqual(yield* claim(NOW + 1_000), [])
    assert.isTrue(yield* repository.runNow(id, NOW))
    assert.deepStrictEqual((yield* claim(NOW)).map((taken) => taken.id), [id])
    assert.isFalse(yield* repository.runNow(id, NOW))
    assert.isFalse(yield* repository.runNow(id + 1, NOW))
  })
}
