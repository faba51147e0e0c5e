/** The progress of all tasks is stored together: one commit per second, for any number of tasks and reports. */
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Tasks } from "#service/persistence/Tasks"
import { BatchObserver, Transaction } from "#service/persistence/Transaction"
import { ProgressWriter } from "#service/tasks/ProgressWriter"
import { allTasks, buy, coreLayer, elapse } from "../support/service.ts"
import { DEFAULT_LIMITS } from "../support/limits.ts"

const { PROGRESS_MILLIS } = DEFAULT_LIMITS

/** Three running tasks, and a writer for their progress. */
const inWork = Effect.gen(function*() {
  yield* Effect.all([buy(), buy(), buy()])
  const claimed = yield* (yield* Transaction).run(Effect.flatMap(Tasks, ({ claim }) => claim(0, 60_000, 3)))
  const progress = new ProgressWriter()
  yield* Effect.forkScoped(Effect.forever(progress.flush))
  return { claimed, progress }
})

const percents = Effect.map(allTasks, (tasks) => tasks.map(({ progress }) => progress))

describe("progress", () => {
  const commits: Array<number> = []
  const counting = Layer.provide(coreLayer(), Layer.succeed(BatchObserver, (size: number) => void commits.push(size)))

  it.effect("is stored once for all tasks, the last of each", () =>
    Effect.gen(function*() {
      const { claimed, progress } = yield* inWork
      commits.length = 0
      for (const percent of [10, 20, 30]) {
        yield* Effect.forEach(claimed, (task) => progress.record(task, percent + task.id))
      }
      yield* elapse(PROGRESS_MILLIS)
      assert.deepStrictEqual(yield* percents, claimed.map(({ id }) => 30 + id))
      assert.deepStrictEqual(commits, [1])
      yield* elapse(PROGRESS_MILLIS * 3)
      assert.deepStrictEqual(commits, [1], "nothing is written when nothing was told")
    }).pipe(Effect.provide(counting)))

  it.effect("of a task that another has taken over is dropped", () =>
    Effect.gen(function*() {
      const { claimed: [first], progress } = yield* inWork
      yield* progress.record({ ...first!, fence: first!.fence - 1 }, 50)
      yield* elapse(PROGRESS_MILLIS)
      assert.deepStrictEqual(yield* percents, [0, 0, 0])
    }).pipe(Effect.provide(coreLayer())))
})
