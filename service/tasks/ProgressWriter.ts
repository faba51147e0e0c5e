/** Writes the progress of tasks to the feed, in batches: each poll of each task would be a commit otherwise. */
import * as Effect from "effect/Effect"
import { Limits } from "../config/Limits.ts"
import type { Task } from "../persistence/tasks/Task.ts"
import { Tasks } from "../persistence/Tasks.ts"
import { Transaction } from "../persistence/Transaction.ts"
import * as ConditionVariable from "../runtime/ConditionVariable.ts"

type Progress = Pick<Task, "fence"> & { readonly percent: number }

export class ProgressWriter {
  private readonly pending = new Map<number, Progress>()
  private readonly added = ConditionVariable.make()

  /** Ignores 0, which the feed shows anyway. */
  readonly record = ({ fence, id }: Task, percent: number): Effect.Effect<void> =>
    Effect.suspend(() => {
      if (percent === 0) return Effect.void
      this.pending.set(id, { fence, percent })
      return this.pending.size === 1 ? this.added.notifyAll : Effect.void
    })

  private readonly awaitSome: Effect.Effect<void> = Effect.flatMap(
    this.added.version,
    (version) => Effect.suspend(() => this.pending.size > 0 ? Effect.void : this.added.waitSince(version))
  )

  /** Waits for progress, and writes all that is recorded within an interval, in one transaction. */
  readonly flush = Effect.gen({ self: this }, function*() {
    yield* this.awaitSome
    yield* Effect.sleep((yield* Limits).PROGRESS_MILLIS)
    // In the order of ids, as leases are extended: transactions do not wait for each other in a circle.
    const batch = [...this.pending].toSorted(([one], [other]) => one - other)
    this.pending.clear()
    const tasks = yield* Tasks
    // The fence drops the progress of a task that has ended or was taken over.
    const write = Effect.forEach(batch, ([id, { fence, percent }]) => tasks.setProgress(id, fence, percent), {
      discard: true
    })
    // Progress that cannot be written is dropped: the next one replaces it.
    yield* Effect.ignore((yield* Transaction).runWriting(write))
  })
}
