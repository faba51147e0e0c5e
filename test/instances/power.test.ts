/** Power actions: answered at once, done by their task, one at a time. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { operate } from "#service/operations/Power"
import { Unavailable } from "#service/provisioning/Driver"
import { allTasks, buy, deployTime, elapse, owner, serviceLayer, show } from "../support/service.ts"
import { Upstream } from "../support/upstream.ts"

const running = Effect.gen(function*() {
  const { id } = yield* buy()
  yield* deployTime
  return id
})

const stopped = Effect.gen(function*() {
  const id = yield* running
  yield* operate(owner, id, "stop")
  yield* elapse(300)
  return id
})

describe("a power action", () => {
  it.effect.each(
    [
      ["stop", running, "stopping", "stopped"],
      ["restart", running, "restarting", "running"],
      ["start", stopped, "starting", "running"],
      ["restart", stopped, "restarting", "running"]
    ] as const
  )("%s answers at once and is done later", ([action, from, during, after]) =>
    Effect.gen(function*() {
      const id = yield* from
      const result = yield* operate(owner, id, action)
      const task = (yield* allTasks).at(-1)!
      assert.deepStrictEqual(result, { ok: true, action, status: during, task_id: task.id })
      assert.deepInclude(task, { type: action, actor: "api_key", apiKeyId: 1, requestId: "r-1" })
      assert.strictEqual((yield* show(id)).status, during)
      yield* elapse(300)
      assert.strictEqual((yield* show(id)).status, after)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect.each([["start", running, "running"], ["stop", stopped, "stopped"]] as const)(
    "%s of what is so already is done without a task",
    ([action, from, status]) =>
      Effect.gen(function*() {
        const id = yield* from
        const before = (yield* allTasks).length
        assert.deepStrictEqual(yield* operate(owner, id, action), { ok: true, action, status, task_id: null })
        assert.strictEqual((yield* allTasks).length, before)
      }).pipe(Effect.provide(serviceLayer()))
  )

  it.effect("meets 409 while another is under way, and names it", () =>
    Effect.gen(function*() {
      const id = yield* running
      yield* operate(owner, id, "restart")
      const busy = yield* Effect.flip(operate(owner, id, "stop"))
      assert.deepInclude(busy, { _tag: "InstanceBusy", taskType: "restart" })
      yield* elapse(300)
      assert.strictEqual((yield* operate(owner, id, "stop")).status, "stopping")
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("twenty at once on one instance: one is taken", () =>
    Effect.gen(function*() {
      const id = yield* running
      const each = Array.from({ length: 20 }, () => Effect.exit(operate(owner, id, "restart")))
      const exits = yield* Effect.all(each, { concurrency: "unbounded" })
      assert.strictEqual(exits.filter(({ _tag }) => _tag === "Success").length, 1)
    }).pipe(Effect.provide(serviceLayer())))

  it.effect("gives up after 10 tries", () =>
    Effect.gen(function*() {
      const id = yield* running
      const upstream = yield* Upstream
      upstream.always = new Unavailable({ reason: "away" })
      yield* operate(owner, id, "stop")
      yield* elapse(10 * 60_000, 1_000)
      const task = (yield* allTasks).at(-1)!
      assert.deepInclude(task, { status: "failed", attempts: 10, error: "gave up after 10 attempts: away" })
      assert.strictEqual((yield* show(id)).status, "running")
    }).pipe(Effect.provide(serviceLayer())))
})
