/** Tasks whose rollback failed at the upstream: operators list, retry or abandon them, and none is lost. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { abandonTask, listUnreconciledTasks, retryTask } from "#service/admin/commands/Tasks"
import { suspend, unsuspend } from "#service/admin/commands/Instances"
import { mountIso } from "#service/operations/Isos"
import { resize } from "#service/operations/Resize"
import { createSnapshot } from "#service/operations/Snapshots"
import { Rejected } from "#service/provisioning/Driver"
import { operationTime, running } from "../support/instances.ts"
import { allTasks, buy, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"
import { type Mishap, Upstream } from "../support/upstream.ts"
import { machineOf, tagOf } from "../support/machineTag.ts"

const { FAILED_RETENTION_MILLIS } = DEFAULT_LIMITS

const NO = new Rejected({ reason: "no" })

const next = (...mishaps: ReadonlyArray<Mishap>) =>
  Effect.map(Upstream, (upstream) => void upstream.mishaps.push(...mishaps))

const left = Effect.map(listUnreconciledTasks({ limit: 10 }), (tasks) => tasks.map(({ type }) => type))

const machine = machineOf(1)

const refusal = <A, E extends { readonly message: string }, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(effect), ({ message }) => message)

/** A resize whose answer was lost, which was then refused, and could not be set back either. */
const stuckResize = Effect.gen(function*() {
  const id = yield* running()
  yield* next("lost", NO, NO)
  yield* resize(owner, id, 3)
  yield* elapse(5_000)
  return (yield* allTasks).at(-1)!
})

/** By the type of the task that is left over. */
const STUCK = {
  terminate: Effect.andThen(next(NO, NO), Effect.andThen(buy(), elapse(2_000))),
  resize: stuckResize,
  iso_unmount: Effect.gen(function*() {
    const id = yield* running()
    yield* next("lost", NO, NO)
    yield* mountIso(owner, id, 2)
    yield* elapse(5_000)
  }),
  snapshot_delete: Effect.gen(function*() {
    const id = yield* running()
    yield* next(NO, NO)
    yield* createSnapshot(owner, id, "one")
    yield* operationTime
  }),
  suspend: Effect.gen(function*() {
    const id = yield* running()
    yield* next(NO)
    yield* suspend({ id, reason: "sends spam" })
    yield* operationTime
  })
}

type Needs = Effect.Services<typeof STUCK[keyof typeof STUCK]>

describe("a leftover", () => {
  it.effect.each(Object.keys(STUCK) as ReadonlyArray<keyof typeof STUCK>)(
    "of a failed %s is shown until it was done",
    (type) =>
      Effect.gen(function*() {
        const happen: Effect.Effect<unknown, unknown, Needs> = STUCK[type]
        yield* happen
        const [leftover, ...others] = yield* listUnreconciledTasks({ limit: 10 })
        assert.deepStrictEqual(others, [])
        assert.deepInclude(leftover, { type, instance_id: 1, machine: yield* tagOf(1), error: "no" })
        assert.match(leftover!.left, /may/)
        // It is rejected again, so that the retried task is now in the list.
        yield* next(NO)
        const again = yield* retryTask({ id: leftover!.id })
        assert.deepStrictEqual(yield* left, [])
        yield* operationTime
        assert.deepStrictEqual((yield* listUnreconciledTasks({ limit: 10 })).map(({ id }) => id), [again.id])
        assert.deepInclude((yield* allTasks).at(-1), { type, actor: "admin", status: "failed" })
        yield* retryTask({ id: again.id })
        yield* operationTime
        assert.deepStrictEqual(yield* left, [])
        assert.deepInclude((yield* allTasks).at(-1), { type, actor: "admin", status: "succeeded" })
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("is reverted at the upstream when it is retried, and charges nothing", () =>
    Effect.gen(function*() {
      const stuck = yield* stuckResize
      assert.strictEqual((yield* machine)!.plan, "vps-l")
      yield* retryTask({ id: stuck.id })
      yield* operationTime
      assert.strictEqual((yield* machine)!.plan, "vps-s")
      assert.strictEqual((yield* show(1)).order.service.slug, "vps-s")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("is retried also after its failed instance has left the list", () =>
    Effect.gen(function*() {
      yield* STUCK.terminate
      yield* elapse(FAILED_RETENTION_MILLIS + 3_600_000, 3_600_000)
      assert.strictEqual((yield* show(1)).status, "deleted")
      assert.deepStrictEqual(yield* left, ["terminate"])
      const [task] = yield* listUnreconciledTasks({ limit: 1 })
      yield* retryTask({ id: task!.id })
      yield* operationTime
      assert.deepStrictEqual(yield* left, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("leaves the list once the customer has changed the same", () =>
    Effect.gen(function*() {
      const stuck = yield* stuckResize
      yield* resize(owner, 1, 2)
      yield* operationTime
      assert.deepStrictEqual(yield* left, [])
      // Setting it back now would undo what the customer has paid for.
      assert.include(yield* refusal(retryTask({ id: stuck.id })), "Request the operation again through the API")
      assert.strictEqual((yield* machine)!.plan, "vps-m")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("leaves the list once its reason is gone", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* next(NO)
      yield* suspend({ id, reason: "sends spam" })
      yield* operationTime
      assert.deepStrictEqual(yield* left, ["suspend"])
      yield* unsuspend({ id })
      assert.deepStrictEqual(yield* left, [])
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("that is abandoned leaves the list; the feed names the operator and the reason", () =>
    Effect.gen(function*() {
      const { id } = yield* stuckResize
      assert.deepInclude(yield* abandonTask({ id, reason: "resized by hand" }), { id, reason: "resized by hand" })
      assert.deepStrictEqual(yield* left, [])
      const tasks = yield* allTasks
      assert.deepInclude(tasks.find((task) => task.id === id), {
        status: "cancelled",
        error: "no; abandoned by an operator: resized by hand"
      })
      assert.deepInclude(tasks.at(-1), {
        kind: "audit",
        type: "resize",
        actor: "admin",
        error: `an operator abandoned task ${id}: resized by hand`
      })
      assert.include(yield* refusal(abandonTask({ id, reason: "again" })), "has nothing left to do")
      assert.include(yield* refusal(retryTask({ id })), "is cancelled")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("does not include an operation that its customer can repeat", () =>
    Effect.gen(function*() {
      const id = yield* running()
      yield* next(NO)
      yield* resize(owner, id, 3)
      yield* operationTime
      assert.strictEqual((yield* allTasks).at(-1)!.status, "failed")
      assert.deepStrictEqual(yield* left, [])
    }).pipe(Effect.provide(serviceLayer())))
})
